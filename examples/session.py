# SPDX-License-Identifier: Apache-2.0
"""The session of session.c in Python: two classes in a plane, divided by a parabola.

usage: python session.py
"""

import numpy as np

from nimgp import NoisyGPClassifier

rng = np.random.default_rng(0)
truth = rng.uniform([-2, -1], [2, 3], size=(300, 2))
y = np.where(truth[:, 1] > truth[:, 0] ** 2, "above", "below")
sigma = rng.uniform(0.1, 0.6, size=truth.shape)
X = truth + sigma * rng.normal(size=truth.shape)

model = NoisyGPClassifier(random_state=0).fit(X, y, X_err=sigma)

# The same place seen sharply and badly, and a place far inside the parabola.
places = [[0.0, 0.4], [0.0, 0.4], [0.0, 2.0]]
errors = [[0.05, 0.05], [1.0, 1.0], [0.3, 0.3]]
for place, error, p in zip(places, errors, model.predict_proba(places, X_err=errors), strict=True):
    print(f"({place[0]:4.1f}, {place[1]:4.1f}) +- {error[0]:.2f}: above {p[0]:.3f}, below {p[1]:.3f}")
