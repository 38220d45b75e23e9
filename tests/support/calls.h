/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the public interface as tests make them: refusals to be expected, results to be sane. */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include "support/problem.h"

/* A problem that takes no time. */
extern const struct problem small;

void set(nim_options *options, const char *name, const char *value);

/* Fails the test with the message; after success there must be none. */
void stop_on(nim_status status, const nim_error *error);

/* One thread and few epochs: for tests of what happens, not how fast. */
void begin(struct fixture *fixture, const struct problem *problem);

/* A refusal: this status, one line, and in it every one of the words (ended by NULL). */
void assert_refused(const char *where, nim_status got, nim_status wanted, const nim_error *error,
                    const char *const *words);
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What an output must not become on failure: anything but what it was, or NULL. */
extern char untouched;
#define UNTOUCHED ((void *)&untouched)
void assert_no_output(const char *where, const void *output);

/* One function refuses, with and without an error to write to. */
void refuse_create(const nim_options *options, const nim_data *data, nim_status status,
                   const char *const *words);
void refuse_training(nim_model *model, const nim_data *data, nim_status status,
                     const char *const *words);
void refuse_denoising(const nim_model *model, const nim_data *data, nim_status status,
                      const char *const *words);
void refuse_prediction(const nim_model *model, const nim_data *data, nim_status status,
                       const char *const *words);

/* A table that no function may take; and one that is good for prediction, which needs no labels. */
void refuse_everywhere(const struct fixture *fixture, nim_status status, const char *const *words);
void refuse_for_training(const struct fixture *fixture, nim_status status,
                         const char *const *words);

/* Rows first .. first+count-1 of a table, with all that belongs to them. */
nim_data rows_of(const nim_data *data, size_t first, size_t count);

/* All that a model can say of `rows` rows: how many doubles that is, and where in an array of so
 * many the answers for the rows from `first` on go. log_density is asked for where `scored`. */
size_t everything_count(const nim_model *model, size_t rows);
nim_prediction everything(const nim_model *model, double *values, size_t rows, size_t first,
                          bool scored);

/* Results that are finite and, where they are probabilities, sum to one. */
void assert_finite(const double *values, size_t count, const char *what);
void check_arrays(const nim_model *model, bool ordinary_units);
void check_probabilities(const double *p, size_t rows, size_t classes, const char *what);
void check_prediction(const nim_model *model, const nim_data *data, const char *what);
void check_denoising(const nim_model *model, const nim_data *data);

#endif
