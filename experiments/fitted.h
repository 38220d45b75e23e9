/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPERIMENTS_FITTED_H
#define EXPERIMENTS_FITTED_H

/* A model fitted in one call, for experiments: any failure is said and ends the program. */

#include "nimgp.h"

/* What happened to be asked for went wrong: says so and exits. */
void must(nim_status status, const nim_error *error);

/* The positive whole number argument[index], or `otherwise` if there are fewer arguments. Anything
 * else ends the program with the line `usage`. */
size_t number_argument(int count, char **argument, int index, size_t otherwise, const char *usage);

/* settings: name=value, separated by spaces. One thread; everything else at its default. */
nim_model *fitted(const nim_data *data, const char *settings);

/* Predictions of the model for these rows. */
void predicted(const nim_model *model, const nim_data *data, const nim_prediction *wanted);

#endif
