/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_STEP_CASE_H
#define BENCH_STEP_CASE_H

/* What benchmarks of training steps share: settings, random rows, time. Whatever fails ends the
 * program with one line. */

#include "nimgp.h"

_Noreturn void bench_stop(const char *message);
void bench_check(nim_status status, const nim_error *error);

void set_text(nim_options *options, const char *name, const char *value);
void set_number(nim_options *options, const char *name, size_t number);

/* Random rows with random labels: what the numbers are does not matter to the time. */
nim_data random_data(size_t rows, size_t classes, size_t attributes);
void random_data_free(nim_data *data);

/* `all` may be NULL. */
nim_trainer *make_trainer(const nim_options *options, const nim_data *data,
                          const nim_collectives *all, nim_model **model);

/* One step's processor time. */
double step_seconds(nim_trainer *trainer);
double processor_seconds(void);

/* Sorts. */
double median_of(double *values, size_t count);

#endif
