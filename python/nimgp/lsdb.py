# SPDX-License-Identifier: Apache-2.0
"""Predictions for catalogues in LSDB (HATS), partition by partition.

    catalog = lsdb.open_catalog("hats/sky")
    found = nimgp.lsdb.predict(catalog, "sky.nimgp")
    found.write_catalog("hats/classes")

Nothing is computed before LSDB does so. The predictions of a row are, to the last bit, those of the program
and of the estimator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._base.extras import needed
from ._estimators.partition import Reading, SentModel, predict_partition

__all__ = ["predict", "suggest"]


def predict(
    catalog: Any,
    model: Any,
    *,
    errors: Literal["auto"] | Mapping[str, str | None] | None = "auto",
    missing_value: float | Sequence[float] = (),
    exposure: str | None = None,
    prior: Any = None,
    novelty: bool = False,
    levels: Sequence[float] = (),
) -> Any:
    """The catalogue with columns of predictions.

    Parameters
    ----------
    catalog : lsdb.Catalog
        Its columns are those that the model was fitted on, and their errors.
    model : str or path-like, or estimator
        A model file that all workers can read, which each loads once; or an estimator, which is sent
        with the tasks.
    errors, missing_value, exposure
        As in :func:`nimgp.from_table`. Numbers that meant a missing value when the program fitted the
        model do so here, unless `missing_value` is given.
    prior : shares of the classes, or None
        As in ``predict_proba``. "auto" needs all rows at once and is refused: estimate the shares from some
        rows, with ``estimate_prior``.
    novelty : bool, default=False
        Whether there is a column ``novelty``: how unusual a row is.
    levels : sequence of float
        For numbers and counts: quantiles, such as (0.05, 0.5, 0.95).

    Returns
    -------
    lsdb.Catalog
        With the columns of the program's `predict`: ``p_CLASS``, ``predicted`` and ``entropy`` for classes,
        ``mean`` and ``sd`` for numbers.
    """
    sent = SentModel.of(model)
    how = Reading(errors, missing_value, exposure, prior, novelty, tuple(levels))
    how.check(sent.estimator())
    return catalog.map_partitions(_predicted, sent, how, meta=_predicted(catalog.meta, sent, how))


def suggest(catalog: Any, model: Any, n: int = 10, **how: Any) -> Any:
    """The rows of a catalogue whose labels would help the model most.

    Parameters
    ----------
    catalog, model
        As in :func:`predict`.
    n : int, default=10
        Number of rows.
    **how
        As in :func:`predict`.

    Returns
    -------
    pandas.DataFrame
        The rows with their predictions, those with the largest entropy first. This
        computes the predictions of all rows.
    """
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"n={n!r} is not a positive whole number")
    sent, reading = SentModel.of(model), Reading(**how)
    reading.check(sent.estimator())
    if not hasattr(sent.estimator(), "suggest"):
        raise ValueError("suggest is for models of classes")
    meta = _informative(catalog.meta, sent, reading, n)
    best = catalog.map_partitions(_informative, sent, reading, n, meta=meta).compute(progress_bar=False)
    return best.sort_values("entropy", ascending=False, kind="stable").head(n)


def _predicted(frame: Any, sent: SentModel, how: Reading, *more: str) -> Any:
    """The partition and its predictions."""
    columns = predict_partition(frame, sent, how, *more)
    double = [name for name in columns if name in frame.columns]
    if double:
        raise ValueError(f"the catalogue has a column {double[0]!r} already; rename it")
    pandas = needed("pandas", "lsdb")
    if "predicted" in columns:
        pyarrow = needed("pyarrow", "lsdb")
        columns["predicted"] = pandas.array(columns["predicted"], dtype=pandas.ArrowDtype(pyarrow.string()))
    return frame.assign(**columns)


def _informative(frame: Any, sent: SentModel, how: Reading, n: int) -> Any:
    """The n rows of the partition whose labels would help most."""
    all_rows = _predicted(frame, sent, how)
    order = all_rows["entropy"].to_numpy().argsort(kind="stable")[::-1][:n]
    return all_rows.iloc[order]
