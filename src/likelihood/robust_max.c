/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust-max: p(y | f) = 1 - eps if y = argmax f, else eps / (C-1).
 *
 * All quantities follow from P_y = P(y = argmax f) = int N(f; mu_y, v_y) prod_{c != y} Phi(z_c) df
 * with z_c = (f - mu_c) / s_c, s_c = sqrt(v_c):
 *
 *     E log p   = P log(1-eps) + (1-P) log(eps/(C-1)),
 *     E p^alpha = h P + m (1-P),   h = (1-eps)^alpha, m = (eps/(C-1))^alpha,
 *     predicted = (1-eps) P + (1-P) eps/(C-1).
 *
 * Quadrature. The factors are steps whose widths s_c may differ by a factor of a hundred, so a rule
 * for one width (Gauss-Hermite) would miss others. But the product vanishes below
 * a = max_c (mu_c - CUT s_c), and a step is constant above mu_c + CUT s_c. So every factor that
 * still varies at a distance D above a has a width of at least D / (2 CUT), and the trapezoidal
 * rule in u,
 *
 *     f(u) = a + (s_min/k) sinh(k u),   k = 1 / (2 CUT),
 *
 * has a spacing proportional to the narrowest step that matters at each place. It converges
 * exponentially, with about 25 points if all widths are equal and 20 more for every factor of two
 * between them. Classes whose step is constant above a are omitted.
 */
#include "math/special.h"
#include "math/vector.h"
#include "likelihood/likelihood.h"
#include "likelihood/robust_max_coarse.h"

#include <math.h>
#include <string.h>

#define CUT 7.0 /* Phi(-7) = 1.3e-12 */

enum { LANES = 4, MAX_NODES = 768, NODE_ARRAYS = 3 };

/* The relevant classes of one row, and its nodes. The arrays of successive classes are `nodes`
 * apart. */
struct grid {
    size_t classes; /* relevant classes */
    size_t nodes;   /* a multiple of LANES; the added ones have weight 0 */
    size_t *which;  /* the class at each index */
    double *mean, *deviation;
    double *f, *weight, *product; /* nodes */
    double *z, *cdf, *hazard;     /* classes x nodes; hazard = phi(z)/Phi(z) */
};

static size_t scratch_size(const struct likelihood_setting *setting) {
    return 3 * setting->classes + 3 * MAX_NODES + NODE_ARRAYS * setting->classes * MAX_NODES;
}

static void grid_place(struct grid *grid, size_t classes, double *scratch) {
    _Static_assert(sizeof(size_t) <= sizeof(double), "class numbers share the scratch of doubles");
    grid->which = (size_t *)(void *)scratch;
    grid->mean = scratch + classes;
    grid->deviation = grid->mean + classes;
    grid->f = grid->deviation + classes;
    grid->weight = grid->f + MAX_NODES;
    grid->product = grid->weight + MAX_NODES;
    grid->z = grid->product + MAX_NODES;
    grid->cdf = grid->z + classes * MAX_NODES;
    grid->hazard = grid->cdf + classes * MAX_NODES;
}

/* Lists the classes whose step is not yet constant at `start`, and returns the least width. */
static double keep_relevant(struct grid *grid, size_t classes, const double *mean,
                            const double *variance, size_t stride, double start) {
    double narrowest = INFINITY;
    grid->classes = 0;
    for (size_t c = 0; c < classes; c++) {
        double mu = mean[c * stride], s = sqrt(variance[c * stride]);
        if (mu + CUT * s <= start)
            continue;
        grid->which[grid->classes] = c;
        grid->mean[grid->classes] = mu;
        grid->deviation[grid->classes++] = s;
        narrowest = fmin(narrowest, s);
    }
    return narrowest;
}

/* Largest spacing in units of the local width: the product of more steps is steeper. */
static double largest_step(size_t classes) {
    return 0.6 / (1.0 + 0.12 * log2((double)classes));
}

/* Nodes f and weights of the trapezoidal rule in u from `start` to `end`. */
static void lay_nodes(struct grid *grid, double start, double end, double narrowest) {
    const double k = 1.0 / (2.0 * CUT);
    double range = k * (end - start) / narrowest;
    double length = asinh(range) / k;
    double wanted = fmin(ceil(length / largest_step(grid->classes)), MAX_NODES - 1);
    double step = length / wanted;
    size_t count = (size_t)wanted + 1;
    grid->nodes = (count + LANES - 1) / LANES * LANES;
    double grow = exp(k * step), shrink = 1.0 / grow, up = 1.0, down = 1.0; /* exp(+-k u) */
    double height = 0.5 * narrowest / k, width = 0.5 * narrowest * step;
    for (size_t i = 0; i < grid->nodes; i++) {
        grid->f[i] = start + (up - down) * height;
        grid->weight[i] = i < count ? (up + down) * width : 0.0;
        up *= grow;
        down *= shrink;
    }
}

static void evaluate_steps(struct grid *grid) {
    size_t n = grid->nodes;
    for (size_t p = 0; p < grid->classes; p++) {
        double inverse = 1.0 / grid->deviation[p];
        for (size_t i = 0; i < n; i++)
            grid->z[p * n + i] = (grid->f[i] - grid->mean[p]) * inverse;
    }
    normal_cdf_array(grid->classes * n, grid->z, grid->cdf, grid->hazard);
    memcpy(grid->product, grid->weight, n * sizeof(double));
    for (size_t p = 0; p < grid->classes; p++)
        multiply(n, grid->product, grid->cdf + p * n, grid->product);
}

/*
 * P_y of one row. With g = N(f; mu_y, v_y) prod_{c != y} Phi(z_c) = product * hazard_y / s_y:
 *     dP/dmu_c = -int g hazard_c / s_c,        dP/dv_c = -int g hazard_c z_c / (2 v_c),
 *     dP/dmu_y = int g z_y / s_y,              dP/dv_y = int g (z_y^2 - 1) / (2 v_y).
 * The caller sets the derivatives (stride apart) to zero; only those of relevant classes are
 * written.
 */
static double probability_of_label(struct grid *grid, size_t classes, size_t label,
                                   const double *mean, const double *variance, size_t stride,
                                   double *d_mean, double *d_variance) {
    double start = -INFINITY;
    for (size_t c = 0; c < classes; c++)
        start = fmax(start, mean[c * stride] - CUT * sqrt(variance[c * stride]));
    double end = mean[label * stride] + CUT * sqrt(variance[label * stride]);
    if (end <= start)
        return 0.0;
    double narrowest = keep_relevant(grid, classes, mean, variance, stride, start);
    if (grid->classes == 1)
        return 1.0;
    lay_nodes(grid, start, end, narrowest);
    evaluate_steps(grid);

    size_t n = grid->nodes, own = 0;
    while (grid->which[own] != label)
        own++;
    const double *z = grid->z + own * n, *hazard = grid->hazard + own * n;
    double s = grid->deviation[own], *g = grid->product;
    multiply(n, g, hazard, g);
    scale(n, 1.0 / s, g);
    double total = sum(n, g);
    d_mean[label * stride] = dot(n, g, z) / s;
    d_variance[label * stride] = (dot3(n, g, z, z) - total) / (2.0 * s * s);
    for (size_t p = 0; p < grid->classes; p++) {
        if (p == own)
            continue;
        double width = grid->deviation[p], *slope = grid->cdf + p * n; /* cdf is no longer needed */
        multiply(n, g, grid->hazard + p * n, slope);
        double plain = sum(n, slope), weighted = dot(n, slope, grid->z + p * n);
        d_mean[grid->which[p] * stride] = -plain / width;
        d_variance[grid->which[p] * stride] = -weighted / (2.0 * width * width);
    }
    return total;
}

/* theta, if there is one, is the logit of eps. */
static double epsilon_of(const struct likelihood_setting *setting, const double *theta) {
    return setting->learn_epsilon ? 1.0 / (1.0 + exp(-theta[0])) : setting->epsilon;
}

/* A row's value as a function of P, with its derivatives by P and by the logit of eps. */
struct answer {
    double value, by_p, by_logit;
};

/* d eps / d logit = eps (1-eps). Near alpha = 0 the differences are computed without
 * cancellation. */
static struct answer answer_at(double p, double eps, double hit, double miss, double alpha) {
    if (alpha == 0.0)
        return (struct answer){.value = p * hit + (1.0 - p) * miss,
                               .by_p = hit - miss,
                               .by_logit = (1.0 - p) * (1.0 - eps) - p * eps};
    /* E p^alpha = exp(alpha hit) (1 + (1-P) r), r = exp(alpha (miss - hit)) - 1. */
    double r = expm1(alpha * (miss - hit)), rest = 1.0 + (1.0 - p) * r;
    return (struct answer){.value = hit + log1p((1.0 - p) * r) / alpha,
                           .by_p = -r / (alpha * rest),
                           .by_logit = ((1.0 - p) * (1.0 + r) * (1.0 - eps) - p * eps) / rest};
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    size_t classes = setting->classes, stride = question->stride;
    const double *weight = question->weight;
    double *d_mean = question->d_mean, *d_variance = question->d_variance;
    double eps = epsilon_of(setting, theta);
    double hit = log1p(-eps), miss = log(eps / ((double)classes - 1.0));
    struct grid grid;
    grid_place(&grid, classes, question->scratch);
    for (size_t r = 0; r < question->rows; r++) {
        for (size_t c = 0; c < classes; c++)
            d_mean[c * stride + r] = d_variance[c * stride + r] = 0.0;
        double p =
            probability_of_label(&grid, classes, (size_t)question->target[r], question->mean + r,
                                 question->variance + r, stride, d_mean + r, d_variance + r);
        struct answer answer = answer_at(p, eps, hit, miss, setting->alpha);
        question->value[r] = answer.value;
        for (size_t c = 0; c < classes; c++) {
            d_mean[c * stride + r] *= weight[r] * answer.by_p;
            d_variance[c * stride + r] *= weight[r] * answer.by_p;
        }
        if (question->d_theta && setting->learn_epsilon)
            question->d_theta[0] += weight[r] * answer.by_logit;
    }
}

/* P_y of every class from one grid, which ends where the last step is constant. */
static void probabilities(struct grid *grid, size_t classes, const double *mean,
                          const double *variance, size_t stride, double *probability) {
    double start = -INFINITY, end = -INFINITY;
    for (size_t c = 0; c < classes; c++) {
        double reach = CUT * sqrt(variance[c * stride]);
        start = fmax(start, mean[c * stride] - reach);
        end = fmax(end, mean[c * stride] + reach);
        probability[c] = 0.0;
    }
    double narrowest = keep_relevant(grid, classes, mean, variance, stride, start);
    if (grid->classes == 1) {
        probability[grid->which[0]] = 1.0;
        return;
    }
    lay_nodes(grid, start, end, narrowest);
    evaluate_steps(grid);
    double total = 0.0;
    for (size_t p = 0; p < grid->classes; p++) {
        double share = dot(grid->nodes, grid->product, grid->hazard + p * grid->nodes);
        probability[grid->which[p]] = share / grid->deviation[p];
        total += share / grid->deviation[p];
    }
    for (size_t c = 0; c < classes; c++)
        probability[c] /= total;
}

static void predict(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch) {
    size_t classes = setting->classes;
    double eps = epsilon_of(setting, theta), rest = eps / ((double)classes - 1.0);
    struct grid grid;
    grid_place(&grid, classes, scratch);
    if (setting->coarse)
        robust_max_coarse(classes, rows, mean, variance, stride, probability, scratch);
    for (size_t r = 0; r < rows; r++) {
        double *row = probability + r * classes;
        if (!setting->coarse)
            probabilities(&grid, classes, mean + r, variance + r, stride, row);
        for (size_t c = 0; c < classes; c++)
            row[c] = (1.0 - eps) * row[c] + (1.0 - row[c]) * rest;
    }
}

static size_t parameters(const struct likelihood_setting *setting) {
    return setting->learn_epsilon ? 1 : 0;
}

static void start_parameters(const struct likelihood_setting *setting,
                             const struct target_summary *summary, double *theta) {
    (void)summary;
    if (setting->learn_epsilon)
        theta[0] = log(setting->epsilon) - log1p(-setting->epsilon);
}

static void read_epsilon(const struct likelihood_setting *setting, const double *theta,
                         double *values) {
    values[0] = epsilon_of(setting, theta);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "epsilon", .read = read_epsilon},
    {0},
};

const struct likelihood likelihood_robust_max = {
    .name = "robust_max",
    .summary =
        "one of C classes: that of the largest latent function; a share of the labels is wrong",
    .target = TARGET_CLASS,
    .uses_epsilon = 1,
    .each_class = 1,
    .parameters = parameters,
    .start = start_parameters,
    .scratch = scratch_size,
    .quantities = quantities,
    .expectation = expectation,
    .predict = predict,
};
