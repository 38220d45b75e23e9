/* SPDX-License-Identifier: Apache-2.0 */
#include "support/likelihood_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool reference_is(const struct reference_likelihood *likelihood, const char *name) {
    return strcmp(likelihood->likelihood->name, name) == 0;
}

/* ---------------------------------------------------------------- log p(y | f) ---------------- */

real reference_log_normal_cdf(real z) {
    if (z > 0)
        return log1pl(-reference_normal_cdf(-z));
    if (z > -100)
        return logl(reference_normal_cdf(z));
    real q = 1 / (z * z); /* log(phi(z) / -z (1 - 1/z^2 + 3/z^4 - ...)) */
    return -0.5L * z * z - logl(-z * sqrtl(2 * REAL_PI)) +
           log1pl(-q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q))));
}

real reference_log_student_t(real u, real nu, real s2) {
    return lgammal((nu + 1) / 2) - lgammal(nu / 2) - 0.5L * logl(REAL_PI * nu * s2) -
           (nu + 1) / 2 * log1pl(u * u / (nu * s2));
}

/* log(Phi(b) - Phi(a)) on the side where both are small. */
static real log_between(real a, real b) {
    if (a + b > 0)
        return log_between(-b, -a);
    real log_b = reference_log_normal_cdf(b);
    return isinf(a) ? log_b : log_b + logl(-expm1l(reference_log_normal_cdf(a) - log_b));
}

static real log_of_class(const struct reference_likelihood *likelihood, size_t label,
                         const real *f) {
    size_t classes = likelihood->setting.classes, best = 0;
    real largest = f[0], total = 0;
    for (size_t c = 1; c < classes; c++)
        if (f[c] > largest)
            largest = f[best = c];
    if (reference_is(likelihood, "robust_max")) {
        real epsilon = likelihood->setting.epsilon;
        if (likelihood->setting.learn_epsilon)
            epsilon = 1 / (1 + expl(-(real)likelihood->theta[0]));
        return best == label ? logl(1 - epsilon) : logl(epsilon / (real)(classes - 1));
    }
    for (size_t c = 0; c < classes; c++)
        total += expl(f[c] - largest);
    return f[label] - largest - logl(total);
}

/* Threshold k of an ordinal likelihood; 0 and C are the ends. */
static real threshold_at(const struct reference_likelihood *likelihood, size_t k) {
    if (k == 0 || k == likelihood->setting.classes)
        return k ? INFINITY : -INFINITY;
    real at = likelihood->theta[0];
    for (size_t i = 1; i < k; i++)
        at += expl(likelihood->theta[i]);
    return at;
}

static real log_of_labels(const struct reference_likelihood *likelihood, const double *target,
                          const real *f, const real *blur) {
    size_t classes = likelihood->setting.classes, functions = likelihood->setting.functions;
    real total = 0;
    for (size_t l = 0; l < classes; l++) {
        real g = likelihood->theta[classes * functions + l], width = 1;
        for (size_t k = 0; k < functions; k++) {
            real share = likelihood->theta[l * functions + k];
            g += share * f[k];
            width += blur ? share * share * blur[k] : 0;
        }
        total += reference_log_normal_cdf((target[l] > 0 ? g : -g) / sqrtl(width));
    }
    return total;
}

real reference_log_p(const struct reference_likelihood *likelihood, const double *target,
                     const real *f, const real *blur) {
    const double *theta = likelihood->theta;
    real wider = blur ? blur[0] : 0, y = target[0];
    if (likelihood->likelihood->target == TARGET_NUMBER)
        wider += target[1];
    if (reference_is(likelihood, "gaussian"))
        return logl(reference_normal_density(0, 0, expl(theta[0]) + wider)) -
               (y - f[0]) * (y - f[0]) / (2 * (expl(theta[0]) + wider));
    if (reference_is(likelihood, "student_t"))
        return reference_log_student_t(y - f[0], 2 + expl(theta[1]), expl(theta[0]) + wider);
    if (reference_is(likelihood, "poisson")) {
        real log_rate = logl(target[1]) + theta[0] + f[0];
        return y * log_rate - expl(log_rate) - lgammal(y + 1);
    }
    if (reference_is(likelihood, "probit"))
        return reference_log_normal_cdf((y > 0 ? f[0] : -f[0]) / sqrtl(1 + wider));
    if (reference_is(likelihood, "ordinal")) {
        size_t k = (size_t)y;
        return log_between((threshold_at(likelihood, k) - f[0]) / sqrtl(1 + wider),
                           (threshold_at(likelihood, k + 1) - f[0]) / sqrtl(1 + wider));
    }
    if (reference_is(likelihood, "multilabel"))
        return log_of_labels(likelihood, target, f, blur);
    if (reference_is(likelihood, "robust_max") || reference_is(likelihood, "softmax"))
        return log_of_class(likelihood, (size_t)y, f);
    fail_msg("no textbook formula for the likelihood %s", likelihood->likelihood->name);
    return NAN;
}

/* ---------------------------------------------------------------- expectations ---------------- */

/* The trapezoidal rule in u, f = place + w sinh(u), whose nodes are densest at `place`. */
real reference_average(reference_function *g, const void *context, real mean, real variance,
                       real place, real width) {
    enum { INTERVALS = 700 };
    real deviation = sqrtl(variance), w = fminl(width, deviation), total = 0, weights = 0;
    real reach = 11 * deviation + variance; /* beyond is e^-60; of exp(f), a variance farther out */
    place = fminl(fmaxl(place, mean - reach), mean + reach);
    real start = asinhl((mean - reach - place) / w), end = asinhl((mean + reach - place) / w);
    for (size_t i = 0; i <= INTERVALS; i++) {
        real u = start + (end - start) * (real)i / INTERVALS, f = place + w * sinhl(u);
        real weight = expl(-0.5L * (f - mean) * (f - mean) / variance) * coshl(u);
        weights += weight;
        total += weight * g(f, context);
    }
    return total / weights;
}

/* ---------------------------------------------------------------- powers ---------------------- */

/* The log of the integrand N(f; mean, variance) exp(alpha g(f)), up to a constant. All positions
 * are f - mean, which for a small variance has more digits than f. */
struct integrand {
    reference_function *g;
    const void *context;
    real alpha, mean, variance;
};

static real log_integrand(const struct integrand *integrand, real t) {
    real g = integrand->g(integrand->mean + t, integrand->context);
    return integrand->alpha * g - t * t / integrand->variance / 2;
}

/* Its maximum between low and high, if it has only one there. */
static real highest(const struct integrand *integrand, real low, real high) {
    for (int step = 0; step < 60; step++) {
        real a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (log_integrand(integrand, a) < log_integrand(integrand, b))
            low = a;
        else
            high = b;
    }
    return (low + high) / 2;
}

/* A distance from a maximum over which it decreases by one or less, but not by much less. */
static real fall(const struct integrand *integrand, real top, real start) {
    real value = log_integrand(integrand, top), width = start;
    while (value - log_integrand(integrand, top + width) > 1 ||
           value - log_integrand(integrand, top - width) > 1)
        width /= 2;
    return width;
}

/* Edges of panels that are short near certain places and grow with the distance from them. */
struct edges {
    size_t count;
    real at[4096], low, high;
};

static void add_edges(struct edges *edges, real place, real width) {
    edges->at[edges->count++] = place;
    for (real side = -1; side < 2; side += 2)
        for (real d = width; d < edges->high - edges->low; d *= 2)
            edges->at[edges->count++] = place + side * d;
    assert_true(edges->count < 4000);
}

static void add_maximum(struct edges *edges, const struct integrand *integrand, real low,
                        real high) {
    real top = highest(integrand, low, high);
    add_edges(edges, top, fall(integrand, top, sqrtl(integrand->variance)));
}

/* All maxima: one near `place`, where g bends over a distance of `width`, others between there and
 * the mean or, while the integrand still grows, beyond. */
static void place_edges(struct edges *edges, const struct integrand *integrand, real place,
                        real width) {
    enum { LOOKS = 100 };
    real deviation = sqrtl(integrand->variance);
    real low = fminl(0, place) - width, high = fmaxl(0, place) + width;
    for (real d = width; log_integrand(integrand, low - d) > log_integrand(integrand, low); d *= 2)
        low -= d;
    for (real d = width; log_integrand(integrand, high + d) > log_integrand(integrand, high);
         d *= 2)
        high += d;
    edges->count = 0;
    edges->low = low - 13 * deviation - width;
    edges->high = high + 13 * deviation + width;
    add_edges(edges, 0, deviation);
    add_edges(edges, place, width);
    add_maximum(edges, integrand, place - width, place + width);
    real gap = (high - low) / LOOKS, before = -INFINITY, here = log_integrand(integrand, low);
    for (int i = 0; i <= LOOKS; i++) {
        real t = low + (real)i * gap, after = log_integrand(integrand, t + gap);
        if (here >= before && here >= after)
            add_maximum(edges, integrand, t - gap, t + gap);
        before = here;
        here = after;
    }
}

static int compare_reals(const void *a, const void *b) {
    real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

/* Legendre's polynomial of degree `order` at x, and its slope. */
static real legendre(size_t order, real x, real *slope) {
    real before = 1, value = x;
    for (size_t n = 2; n <= order; n++) {
        real next = ((real)(2 * n - 1) * x * value - (real)(n - 1) * before) / (real)n;
        before = value;
        value = next;
    }
    *slope = (real)order * (x * value - before) / (x * x - 1);
    return value;
}

/* The integral from a to b of the integrand over exp(top), by Gauss's rule. */
static real panel(const struct integrand *integrand, real a, real b, real top) {
    enum { ORDER = 20 };
    static real node[ORDER], weight[ORDER];
    real total = 0, slope;
    for (size_t i = 0; i < ORDER && weight[ORDER - 1] == 0; i++) {
        real x = cosl(REAL_PI * ((real)i + 0.75L) / (ORDER + 0.5L));
        for (int step = 0; step < 8; step++)
            x -= legendre(ORDER, x, &slope) / slope;
        legendre(ORDER, x, &slope);
        node[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
    for (size_t i = 0; i < ORDER; i++) {
        real t = (a + b) / 2 + (b - a) / 2 * node[i];
        total += weight[i] * (b - a) / 2 * expl(log_integrand(integrand, t) - top);
    }
    return total;
}

/* Between maxima the integrand decreases and increases again, so its values at the ends decide
 * whether a panel is negligible. */
real reference_power(real alpha, reference_function *g, const void *context, real mean,
                     real variance, real place, real width) {
    static struct edges edges;
    struct integrand integrand = {g, context, alpha, mean, variance};
    real top = -INFINITY, total = 0, before = -INFINITY;
    if (alpha == 0)
        return reference_average(g, context, mean, variance, place, width);
    place_edges(&edges, &integrand, place - mean, width);
    qsort(edges.at, edges.count, sizeof *edges.at, compare_reals);
    for (size_t i = 0; i < edges.count; i++)
        top = fmaxl(top, log_integrand(&integrand, edges.at[i]));
    for (size_t i = 0; i < edges.count; i++) {
        real here = log_integrand(&integrand, edges.at[i]);
        if (i && fmaxl(before, here) > top - 60)
            total += panel(&integrand, edges.at[i - 1], edges.at[i], top);
        before = here;
    }
    return (top + logl(total) - 0.5L * logl(2 * REAL_PI * variance)) / alpha;
}

/* ---------------------------------------------------------------- one target ------------------ */

struct one_function {
    const struct reference_likelihood *likelihood;
    const double *target;
    const real *blur;
};

static real log_p_of_one(real f, const void *context) {
    const struct one_function *question = context;
    return reference_log_p(question->likelihood, question->target, &f, question->blur);
}

/* Where log p bends most, and over what distance. */
static void find_bend(const struct one_function *question, real mean, real *place, real *width) {
    const struct reference_likelihood *likelihood = question->likelihood;
    real blur = question->blur ? question->blur[0] : 0, y = question->target[0];
    real error = likelihood->likelihood->target == TARGET_NUMBER ? question->target[1] : 0;
    *place = 0;
    *width = sqrtl(1 + blur);
    if (reference_is(likelihood, "ordinal")) {
        real low = threshold_at(likelihood, (size_t)y);
        real high = threshold_at(likelihood, (size_t)y + 1);
        *place = fabsl(mean - low) < fabsl(mean - high) ? low : high;
    } else if (reference_is(likelihood, "student_t")) {
        *place = y;
        *width =
            sqrtl((2 + expl(likelihood->theta[1])) * (expl(likelihood->theta[0]) + error + blur));
    } else if (reference_is(likelihood, "poisson"))
        *place = logl((y + 0.5L) / question->target[1]) - likelihood->theta[0];
}

static real log_probit(real g, const void *context) {
    return reference_log_normal_cdf(g * *(const real *)context);
}

/* Label by label: g = W f + b is normal with the mean and variance of that sum. */
static real expect_labels(const struct reference_likelihood *likelihood, const double *target,
                          const real *mean, const real *variance, const real *blur) {
    size_t classes = likelihood->setting.classes, functions = likelihood->setting.functions;
    real total = 0;
    for (size_t l = 0; l < classes; l++) {
        real centre = likelihood->theta[classes * functions + l], spread = 0, width = 1;
        for (size_t k = 0; k < functions; k++) {
            real share = likelihood->theta[l * functions + k];
            centre += share * mean[k];
            spread += share * share * variance[k];
            width += blur ? share * share * blur[k] : 0;
        }
        real scale = (target[l] > 0 ? 1 : -1) / sqrtl(width);
        total += reference_power(likelihood->setting.alpha, log_probit, &scale, centre, spread, 0,
                                 sqrtl(width));
    }
    return total;
}

static real expect_robust_max(const struct reference_likelihood *likelihood, const double *target,
                              const real *mean, const real *variance) {
    size_t classes = likelihood->setting.classes, label = (size_t)target[0];
    real *f = reals(classes);
    real p = reference_win_probability(classes, label, mean, variance, NULL, NULL);
    real alpha = likelihood->setting.alpha;
    f[label] = 1;
    real hit = log_of_class(likelihood, label, f);
    f[(label + 1) % classes] = 2;
    real miss = log_of_class(likelihood, label, f);
    free(f);
    return alpha > 0 ? logl(p * expl(alpha * hit) + (1 - p) * expl(alpha * miss)) / alpha
                     : p * hit + (1 - p) * miss;
}

static real expect_softmax(const struct reference_likelihood *likelihood, const double *target,
                           const real *mean, const real *variance) {
    size_t classes = likelihood->setting.classes;
    size_t points = likelihood->likelihood->table(&likelihood->setting) / classes;
    real *f = reals(classes), total = 0, alpha = likelihood->setting.alpha;
    for (size_t s = 0; s < points; s++) {
        for (size_t c = 0; c < classes; c++)
            f[c] = mean[c] + sqrtl(variance[c]) * likelihood->setting.table[c * points + s];
        real log_p = log_of_class(likelihood, (size_t)target[0], f);
        total += (alpha > 0 ? expl(alpha * log_p) : log_p) / (real)points;
    }
    free(f);
    return alpha > 0 ? logl(total) / alpha : total;
}

real reference_expectation(const struct reference_likelihood *likelihood, const double *target,
                           const real *mean, const real *variance, const real *blur) {
    if (reference_is(likelihood, "multilabel"))
        return expect_labels(likelihood, target, mean, variance, blur);
    if (reference_is(likelihood, "robust_max"))
        return expect_robust_max(likelihood, target, mean, variance);
    if (reference_is(likelihood, "softmax"))
        return expect_softmax(likelihood, target, mean, variance);
    struct one_function question = {likelihood, target, blur};
    real place, width;
    find_bend(&question, mean[0], &place, &width);
    return reference_power(likelihood->setting.alpha, log_p_of_one, &question, mean[0], variance[0],
                           place, width);
}
