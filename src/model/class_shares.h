/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The shares of classes or levels in the training rows, on which predicted probabilities depend. */

#include "model/model.h"

/* Smaller shares count as zero, so that divisions by a share stay finite. */
#define LEAST_SHARE 1e-100

/* Counts the labels of `data`, weighted, into class_share. Does nothing if rows have no class. */
void class_shares_count(struct nim_model *model, const nim_data *data);

/* Whether the shares read from a file are valid. */
bool class_shares_can_be(const struct nim_model *model);
