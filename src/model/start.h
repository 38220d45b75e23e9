/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/model.h"

/*
 * The start of training. Inducing inputs: rows drawn without replacement, with a fair share for
 * every label, so that a rare class has some. Lengthscales: from the median distance of rows.
 * False when out of memory.
 */
bool model_start(struct nim_model *model, const nim_data *data);

/* Sets the posterior of all functions to their prior: m = 0 and L = I. False when out of memory. */
bool model_start_posterior(struct nim_model *model);
