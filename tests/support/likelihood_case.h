/* SPDX-License-Identifier: Apache-2.0 */
/* One likelihood, one target and one normal f: questions for tests, and the library's answers. */
#ifndef TESTS_LIKELIHOOD_CASE_H
#define TESTS_LIKELIHOOD_CASE_H

#include "support/likelihood_reference.h"

enum { MOST_F = 10, MOST_THETA = 32 };

struct likelihood_case {
    const struct likelihood *likelihood;
    size_t classes, functions;
    double theta[MOST_THETA];
    double target[MOST_F];
    double mean[MOST_F], variance[MOST_F], blur[MOST_F];
    bool blurred; /* blur is there; else NULL */
    double alpha, epsilon;
    bool learn_epsilon;
    double *table; /* case_prepare's */
};

/* What the likelihood works out beforehand. */
void case_prepare(struct likelihood_case *c);
void case_free(struct likelihood_case *c);

struct likelihood_setting case_setting(const struct likelihood_case *c);
struct reference_likelihood case_reference(const struct likelihood_case *c);

/* The value and its derivatives, of a row that stands between two others. */
struct case_answer {
    double value, d_mean[MOST_F], d_variance[MOST_F], d_blur[MOST_F], d_theta[MOST_THETA];
};
struct case_answer case_ask(const struct likelihood_case *c);

/* Probabilities of all classes. */
void case_predict(const struct likelihood_case *c, double *probability);

/* Of a number or count, whose target this is: E y, E y^2, log E p(y), P(Y <= y). */
struct case_number {
    double first, second, log_density, cumulative;
};
struct case_number case_number(const struct likelihood_case *c);

/* Fails, naming the case, unless |value - expected| <= tolerance. */
void case_close(const struct likelihood_case *c, const char *what, double value, real expected,
                real tolerance);

#endif
