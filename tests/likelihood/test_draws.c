/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every likelihood against plain draws of f: E log p, with and without blur, and all predictions,
 * within five standard errors. p(y | f) is computed here in plain doubles, since there are ten
 * million draws of each. test_likelihoods.c has the difficult cases, test_robust_max.c the draws of
 * that likelihood.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/lattice.h"
#include "math/random.h"
#include "support/likelihood_case.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS (SANITIZED ? 1e5 : 1e7)

/* Softmax is averaged over 256 points rather than all f: see softmax_points. */
#define LATTICE_ERROR 0.05

/* ---------------------------------------------------------------- what draws are asked -------- */

/* A quantity whose mean over f is computed, at most once for each of these. */
enum channel { LOG_P, LOG_BLURRED, DENSITY, BELOW, FIRST, SECOND, PROBABILITY };
enum { CHANNELS = PROBABILITY + MOST_F };

typedef void channel_function(const struct likelihood_case *c, const double *f, double *channel);

static double phi_below(double z) {
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

/* log N(u; 0, v). */
static double log_normal(double u, double v) {
    return -0.5 * (log(2.0 * 3.14159265358979323846 * v) + u * u / v);
}

static void draw_gaussian(const struct likelihood_case *c, const double *f, double *channel) {
    double s2 = exp(c->theta[0]), u = c->target[0] - f[0];
    channel[LOG_P] = log_normal(u, s2);
    channel[LOG_BLURRED] = log_normal(u, s2 + c->blur[0]);
    channel[DENSITY] = exp(channel[LOG_P]);
    channel[BELOW] = phi_below(u / sqrt(s2));
    channel[FIRST] = f[0];
    channel[SECOND] = f[0] * f[0] + s2;
}

/* With nu = 4, where p = 3/8 (1 + t^2/4)^(-5/2) / s and P(T <= t) is a formula. */
static void draw_student_t(const struct likelihood_case *c, const double *f, double *channel) {
    double s2 = exp(c->theta[0]), wider = s2 + c->blur[0], u = c->target[0] - f[0];
    double q = 1.0 + u * u / (4.0 * s2), t = u / sqrt(s2 * q);
    channel[LOG_P] = log(0.375) - 0.5 * log(s2) - 2.5 * log(q);
    channel[LOG_BLURRED] = log(0.375) - 0.5 * log(wider) - 2.5 * log1p(u * u / (4.0 * wider));
    channel[DENSITY] = exp(channel[LOG_P]);
    channel[BELOW] = 0.5 + 0.375 * t * (1.0 - t * t / 12.0);
    channel[FIRST] = f[0];
    channel[SECOND] = f[0] * f[0] + 2.0 * s2; /* the variance of a t is nu / (nu - 2) */
}

static void draw_poisson(const struct likelihood_case *c, const double *f, double *channel) {
    double rate = c->target[1] * exp(c->theta[0] + f[0]), p = exp(-rate), below = p;
    for (double k = 1.0; k <= c->target[0]; k += 1.0)
        below += p *= rate / k;
    channel[LOG_P] = log(p);
    channel[DENSITY] = p;
    channel[BELOW] = below;
    channel[FIRST] = rate;
    channel[SECOND] = rate + rate * rate;
}

static void draw_probit(const struct likelihood_case *c, const double *f, double *channel) {
    double *p = channel + PROBABILITY, wider = phi_below(f[0] / sqrt(1.0 + c->blur[0]));
    p[1] = phi_below(f[0]);
    p[0] = 1.0 - p[1];
    channel[LOG_P] = log(p[(size_t)c->target[0]]);
    channel[LOG_BLURRED] = log(c->target[0] > 0.0 ? wider : 1.0 - wider);
}

/* Three levels. */
static void draw_ordinal(const struct likelihood_case *c, const double *f, double *channel) {
    double b1 = c->theta[0], b2 = b1 + exp(c->theta[1]), s = sqrt(1.0 + c->blur[0]);
    double *p = channel + PROBABILITY;
    p[0] = phi_below(b1 - f[0]);
    p[2] = phi_below(f[0] - b2);
    p[1] = 1.0 - p[0] - p[2];
    channel[LOG_P] = log(p[1]);
    channel[LOG_BLURRED] = log(phi_below((b2 - f[0]) / s) - phi_below((b1 - f[0]) / s));
}

/* Two functions. */
static void draw_multilabel(const struct likelihood_case *c, const double *f, double *channel) {
    channel[LOG_P] = channel[LOG_BLURRED] = 0.0;
    for (size_t l = 0; l < c->classes; l++) {
        const double *w = c->theta + 2 * l;
        double g = w[0] * f[0] + w[1] * f[1] + c->theta[2 * c->classes + l];
        double wider = 1.0 + w[0] * w[0] * c->blur[0] + w[1] * w[1] * c->blur[1];
        double p = phi_below(g), sign = c->target[l] > 0.0 ? 1.0 : -1.0;
        channel[LOG_P] += log(phi_below(sign * g));
        channel[LOG_BLURRED] += log(phi_below(sign * g / sqrt(wider)));
        channel[PROBABILITY + l] = p;
    }
}

static void draw_softmax(const struct likelihood_case *c, const double *f, double *channel) {
    double total = 0.0, *p = channel + PROBABILITY;
    for (size_t k = 0; k < c->classes; k++)
        total += p[k] = exp(f[k]);
    for (size_t k = 0; k < c->classes; k++)
        p[k] /= total;
    channel[LOG_P] = log(p[(size_t)c->target[0]]);
}

/* ---------------------------------------------------------------- means over draws ------------ */

struct means {
    double mean[CHANNELS], error[CHANNELS];
};

static struct means draw(const struct likelihood_case *c, channel_function *evaluate) {
    enum { BLOCK = 1000 };
    static double normal[BLOCK * MOST_F];
    struct means means = {0};
    double square[CHANNELS] = {0}, f[MOST_F], deviation[MOST_F];
    size_t channels = PROBABILITY + c->classes;
    for (size_t k = 0; k < c->functions; k++)
        deviation[k] = sqrt(c->variance[k]);
    for (size_t block = 0; block < (size_t)DRAWS / BLOCK; block++) {
        random_normal((struct random_key){41, 1}, c->functions, block, BLOCK * c->functions,
                      normal);
        for (size_t i = 0; i < BLOCK; i++) {
            double channel[CHANNELS] = {0};
            for (size_t k = 0; k < c->functions; k++)
                f[k] = c->mean[k] + deviation[k] * normal[i * c->functions + k];
            evaluate(c, f, channel);
            for (size_t k = 0; k < channels; k++) {
                means.mean[k] += channel[k];
                square[k] += channel[k] * channel[k];
            }
        }
    }
    for (size_t k = 0; k < CHANNELS; k++) {
        means.mean[k] /= DRAWS;
        means.error[k] = sqrt(fmax(0.0, square[k] / DRAWS - means.mean[k] * means.mean[k]) / DRAWS);
    }
    return means;
}

/* All predictions that the likelihood supports; `more` is allowed beyond five standard errors. */
static void check(struct likelihood_case *c, channel_function *evaluate, double more) {
    case_prepare(c);
    struct means means = draw(c, evaluate);
    const double *mean = means.mean, *error = means.error;
    more += 1e-9; /* rounding, if nothing varies */
    case_close(c, "E log p", case_ask(c).value, mean[LOG_P], 5.0 * error[LOG_P] + more);
    if (c->likelihood->blurs) {
        struct likelihood_case blurred = *c;
        blurred.blurred = true;
        case_close(&blurred, "E log p, blurred", case_ask(&blurred).value, mean[LOG_BLURRED],
                   5.0 * error[LOG_BLURRED] + more);
    }
    if (c->classes) {
        double p[MOST_F];
        case_predict(c, p);
        for (size_t k = 0; k < c->classes; k++)
            case_close(c, "probability", p[k], mean[PROBABILITY + k],
                       5.0 * error[PROBABILITY + k] + more);
    } else {
        struct case_number number = case_number(c);
        case_close(c, "density", exp(number.log_density), mean[DENSITY],
                   5.0 * error[DENSITY] + more);
        case_close(c, "P(Y <= y)", number.cumulative, mean[BELOW], 5.0 * error[BELOW] + more);
        case_close(c, "E y", number.first, mean[FIRST], 5.0 * error[FIRST] + more);
        case_close(c, "E y^2", number.second, mean[SECOND], 5.0 * error[SECOND] + more);
    }
    case_free(c);
}

/* ---------------------------------------------------------------- cases ----------------------- */

static void gaussian(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_gaussian,
                                .functions = 1,
                                .theta = {-0.5},
                                .target = {1.2},
                                .mean = {0.3},
                                .variance = {0.8},
                                .blur = {0.4}};
    check(&c, draw_gaussian, 0.0);
}

static void student_t(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_student_t,
                                .functions = 1,
                                .theta = {-1.5, log(2.0)},
                                .target = {2.2},
                                .mean = {-0.3},
                                .variance = {0.8},
                                .blur = {0.4}};
    check(&c, draw_student_t, 0.0);
}

static void poisson(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_poisson,
                                .functions = 1,
                                .theta = {0.2},
                                .target = {6.0, 2.5},
                                .mean = {0.4},
                                .variance = {0.3}};
    check(&c, draw_poisson, 0.0);
}

static void probit(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_probit,
                                .classes = 2,
                                .functions = 1,
                                .target = {0.0},
                                .mean = {0.6},
                                .variance = {1.7},
                                .blur = {0.9}};
    check(&c, draw_probit, 0.0);
}

static void ordinal(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_ordinal,
                                .classes = 3,
                                .functions = 1,
                                .theta = {-0.5, 0.1},
                                .target = {1.0},
                                .mean = {0.6},
                                .variance = {1.7},
                                .blur = {0.9}};
    check(&c, draw_ordinal, 0.0);
}

static void multilabel(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_multilabel,
                                .classes = 3,
                                .functions = 2,
                                .theta = {1.0, 0.0, -0.6, 0.8, 0.7, 1.2, 0.5, -1.0, 0.1},
                                .target = {1.0, 0.0, 1.0},
                                .mean = {0.5, -0.2},
                                .variance = {0.7, 1.1},
                                .blur = {0.3, 0.2}};
    check(&c, draw_multilabel, 0.0);
}

static void softmax(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_softmax,
                                .classes = 3,
                                .functions = 3,
                                .target = {1.0},
                                .mean = {0.2, 0.5, -1.0},
                                .variance = {0.5, 5.0, 0.1}};
    check(&c, draw_softmax, LATTICE_ERROR);
}

/* ---------------------------------------------------------------- 256 points ------------------ */

/*
 * The error of 256 points against 2^16 other ones, for variances from 0.1 to 10: up to
 * LATTICE_ERROR for E log p, and half as much for a probability.
 */
static void softmax_points(void **state) {
    (void)state;
    enum { MANY = 1 << 16, CASES = 12 };
    static const size_t classes[] = {3, 10};
    for (size_t n = 0; n < 2; n++) {
        struct likelihood_case c = {
            .likelihood = &likelihood_softmax, .classes = classes[n], .functions = classes[n]};
        double *xi = doubles(MANY * classes[n]), p[MOST_F], worst_log = 0.0, worst_p = 0.0;
        case_prepare(&c);
        assert_true(lattice_normal((struct random_key){42, 1}, MANY, classes[n], xi));
        for (size_t k = 0; k < CASES; k++) {
            double spread[MOST_F], sum[CHANNELS] = {0}, f[MOST_F];
            random_normal((struct random_key){43, 1}, n, k, classes[n], c.mean);
            random_uniform((struct random_key){43, 2}, n, k, classes[n], spread);
            for (size_t i = 0; i < classes[n]; i++)
                c.variance[i] = 0.1 * pow(100.0, k == 0 ? 1.0 : k == 1 ? 0.0 : spread[i]);
            for (size_t s = 0; s < MANY; s++) {
                double channel[CHANNELS];
                for (size_t i = 0; i < classes[n]; i++)
                    f[i] = c.mean[i] + sqrt(c.variance[i]) * xi[s * classes[n] + i];
                draw_softmax(&c, f, channel);
                sum[LOG_P] += channel[LOG_P] / MANY;
                for (size_t i = 0; i < classes[n]; i++)
                    sum[PROBABILITY + i] += channel[PROBABILITY + i] / MANY;
            }
            case_predict(&c, p);
            worst_log = fmax(worst_log, fabs(case_ask(&c).value - sum[LOG_P]));
            for (size_t i = 0; i < classes[n]; i++)
                worst_p = fmax(worst_p, fabs(p[i] - sum[PROBABILITY + i]));
        }
        print_message("softmax, C = %zu: 256 points are off by up to %.1e in E log p, %.1e in p\n",
                      classes[n], worst_log, worst_p);
        assert_true(worst_log < LATTICE_ERROR && worst_p < 0.5 * LATTICE_ERROR);
        free(xi);
        case_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian), cmocka_unit_test(student_t),      cmocka_unit_test(poisson),
        cmocka_unit_test(probit),   cmocka_unit_test(ordinal),        cmocka_unit_test(multilabel),
        cmocka_unit_test(softmax),  cmocka_unit_test(softmax_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
