/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The one list of the arrays of a model (docs/model-file.md). */

#include "base/array_list.h"

struct nim_model;

/* What a model counts, as numbers of a file. */
struct model_counts {
    double step, epoch, visits, bound;
};

/* Appends all arrays of a model in the order of the file. Those of a planned model (model_plan)
 * have sizes but no memory. `counts` is the caller's. */
void model_arrays(struct nim_model *model, struct model_counts *counts, struct array_list *list);
