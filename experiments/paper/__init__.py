# SPDX-License-Identifier: Apache-2.0
"""One module for each of the paper's experiments, and the list of them, the quick ones first."""

from ..experiment import Experiment
from . import active, astro, baselines, mnist, synthetic, synthetic_classes, synthetic_dn, toy, uci

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (toy, astro, baselines, synthetic, synthetic_dn, synthetic_classes, uci, active,
                   mnist)
}  # fmt: skip
