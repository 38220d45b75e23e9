/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_START_H
#define NIMGP_MODEL_START_H

#include "model/model.h"

/*
 * Where training starts. Inducing inputs: rows drawn without replacement, every label with a fair
 * share, so that no rare class is without any. Lengthscales: from the median distance of rows.
 * False when memory runs out.
 */
bool model_start(struct nim_model *model, const nim_data *data);

#endif
