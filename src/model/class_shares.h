/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_CLASS_SHARES_H
#define NIMGP_MODEL_CLASS_SHARES_H

/* The shares of classes or levels among the rows a model learned from: the prior that its
 * probabilities of them contain. */

#include "model/model.h"

/* A smaller one is none: what is divided by a share stays finite. */
#define LEAST_SHARE 1e-100

/* Counts the labels of `data`, by their weights, into class_share; nothing where rows have no
 * class. */
void class_shares_count(struct nim_model *model, const nim_data *data);

/* Whether the shares a file holds can be such. */
bool class_shares_can_be(const struct nim_model *model);

#endif
