/* SPDX-License-Identifier: Apache-2.0 */
#include "support/reference.h"

#include "gp/posterior_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- arrays and matrices --------- */

real *reals(size_t count) {
    real *array = calloc(count + 1, sizeof *array);
    assert_non_null(array);
    return array;
}

double *doubles(size_t count) {
    double *array = calloc(count + 1, sizeof *array);
    assert_non_null(array);
    return array;
}

bool reference_cholesky(size_t n, const real *a, real *l) {
    memset(l, 0, n * n * sizeof *l);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            real rest = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                rest -= l[i * n + k] * l[j * n + k];
            if (i == j && !(rest > 0))
                return false;
            l[i * n + j] = i == j ? sqrtl(rest) : rest / l[j * n + j];
        }
    return true;
}

static void swap_rows(size_t width, real *a, real *b) {
    for (size_t j = 0; j < width; j++) {
        real kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

real reference_inverse(size_t n, const real *a, real *inverse) {
    size_t width = 2 * n; /* [a | 1] becomes [1 | inverse] */
    real *both = reals(n * width), log_determinant = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(both + i * width, a + i * n, n * sizeof *a);
        both[i * width + n + i] = 1;
    }
    for (size_t p = 0; p < n; p++) {
        size_t largest = p;
        for (size_t i = p + 1; i < n; i++)
            if (fabsl(both[i * width + p]) > fabsl(both[largest * width + p]))
                largest = i;
        if (largest != p)
            swap_rows(width, both + p * width, both + largest * width);
        real pivot = both[p * width + p];
        log_determinant += logl(fabsl(pivot));
        for (size_t j = 0; j < width; j++)
            both[p * width + j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            real factor = both[i * width + p];
            for (size_t j = 0; i != p && j < width; j++)
                both[i * width + j] -= factor * both[p * width + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        memcpy(inverse + i * n, both + i * width + n, n * sizeof *a);
    free(both);
    return log_determinant;
}

void reference_product(size_t m, size_t n, size_t k, const real *a, const real *b, real *c) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            real total = 0;
            for (size_t p = 0; p < k; p++)
                total += a[i * k + p] * b[p * n + j];
            c[i * n + j] = total;
        }
}

real reference_form(size_t n, const real *x, const real *a, const real *y) {
    real total = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            total += x[i] * a[i * n + j] * y[j];
    return total;
}

/* ---------------------------------------------------------------- normal distribution --------- */

real reference_normal_cdf(real z) {
    return 0.5L * erfcl(-z / sqrtl(2.0L));
}

real reference_normal_density(real x, real mean, real variance) {
    real distance = x - mean;
    return expl(-0.5L * distance * distance / variance) / sqrtl(2.0L * REAL_PI * variance);
}

/*
 * One node f of the integral P = int N(f; label) prod_c Phi_c df and of its derivatives, the
 * product differentiated factor by factor: d Phi_c / d mean_c = -N(f; c), and differentiating by a
 * variance is half of differentiating twice by the mean.
 */
static void add_node(size_t classes, size_t label, const real *mean, const real *variance, real f,
                     real width, real *cdf, real *probability, real *d_mean, real *d_variance) {
    real own = width * reference_normal_density(f, mean[label], variance[label]), product = 1;
    for (size_t c = 0; c < classes; c++) {
        cdf[c] = c == label ? 1 : reference_normal_cdf((f - mean[c]) / sqrtl(variance[c]));
        product *= cdf[c];
    }
    *probability += own * product;
    if (!d_mean)
        return;
    for (size_t c = 0; c < classes; c++) {
        real distance = f - mean[c], others = 1;
        for (size_t k = 0; k < classes; k++)
            others *= k == c ? 1 : cdf[k];
        real slope = c == label ? own * others * distance / variance[c]
                                : -own * others * reference_normal_density(f, mean[c], variance[c]);
        real curvature = c == label ? slope * distance - own * others : slope * distance;
        d_mean[c] += slope;
        d_variance[c] += 0.5L * curvature / variance[c];
    }
}

real reference_win_probability(size_t classes, size_t label, const real *mean, const real *variance,
                               real *d_mean, real *d_variance) {
    real narrowest = INFINITY, reach = 11.0L * sqrtl(variance[label]), probability = 0;
    real *cdf = reals(classes);
    for (size_t c = 0; c < classes; c++) {
        narrowest = fminl(narrowest, sqrtl(variance[c]));
        if (d_mean)
            d_mean[c] = d_variance[c] = 0;
    }
    size_t intervals = (size_t)ceill(2.0L * reach / (0.2L * narrowest));
    real width = 2.0L * reach / intervals;
    for (size_t i = 0; i <= intervals; i++)
        add_node(classes, label, mean, variance, mean[label] - reach + i * width, width, cdf,
                 &probability, d_mean, d_variance);
    free(cdf);
    return probability;
}

/* ---------------------------------------------------------------- kernels --------------------- */

real reference_shape(const char *term, unsigned degree, real t) {
    if (strcmp(term, "se") == 0)
        return expl(-0.5L * t);
    if (strcmp(term, "matern32") == 0)
        return (1 + sqrtl(3) * sqrtl(t)) * expl(-sqrtl(3) * sqrtl(t));
    if (strcmp(term, "matern52") == 0)
        return (1 + sqrtl(5) * sqrtl(t) + 5 * t / 3) * expl(-sqrtl(5) * sqrtl(t));
    if (strcmp(term, "polynomial") == 0)
        return powl(1 + t, degree);
    if (strcmp(term, "linear") == 0)
        return 1 + t;
    fail_msg("no textbook formula for the kernel %s", term);
    return NAN;
}

size_t reference_terms(const char *kernel) {
    size_t terms = 1;
    for (; *kernel; kernel++)
        terms += *kernel == '+';
    assert_true(terms <= REFERENCE_TERMS);
    return terms;
}

static real term_covariance(const char *term, const struct reference_kernel *kernel, real variance,
                            const real *lengthscale, const real *x, const real *y) {
    bool dot = strcmp(term, "polynomial") == 0 || strcmp(term, "linear") == 0;
    real t = 0;
    for (size_t j = 0; j < kernel->attributes; j++) {
        real square = lengthscale[j] * lengthscale[j];
        t += (dot ? x[j] * y[j] : (x[j] - y[j]) * (x[j] - y[j])) / square;
    }
    return variance * reference_shape(term, kernel->degree, t);
}

real reference_covariance(const struct reference_kernel *kernel, const real *x, const real *y) {
    const char *name = kernel->name;
    real total = 0;
    for (size_t t = 0; t < reference_terms(kernel->name); t++) {
        char term[32];
        int length = (int)strcspn(name, "+");
        snprintf(term, sizeof term, "%.*s", length, name);
        total += term_covariance(term, kernel, kernel->variance[t],
                                 kernel->lengthscale + t * kernel->attributes, x, y);
        name += length + 1;
    }
    return total;
}

real reference_read_kernel(struct reference_kernel *kernel, const struct gp_shape *shape,
                           const struct gp_parameters *theta, real **lengthscale) {
    size_t d = shape->attributes, terms = reference_terms(shape->kernel->name);
    real total = 0;
    *lengthscale = reals(terms * d);
    for (size_t j = 0; j < terms * d; j++)
        (*lengthscale)[j] = expl(theta->log_lengthscale[j]);
    *kernel = (struct reference_kernel){.name = shape->kernel->name,
                                        .degree = shape->degree,
                                        .attributes = d,
                                        .lengthscale = *lengthscale};
    for (size_t t = 0; t < terms; t++)
        total += kernel->variance[t] = expl(theta->log_variance[t]);
    return total;
}

/* ---------------------------------------------------------------- one sparse process ---------- */

static void read_kernel(struct reference_gp *gp, const struct gp_shape *shape,
                        const struct gp_parameters *theta, double jitter) {
    size_t m = shape->inducing, d = shape->attributes;
    gp->inducing = m;
    gp->z = reals(m * d);
    for (size_t i = 0; i < m * d; i++)
        gp->z[i] = theta->z[i];
    real variance = reference_read_kernel(&gp->kernel, shape, theta, &gp->lengthscale);
    gp->diagonal = expl(*theta->log_white) + (real)jitter * variance;
}

static void fill_covariance(struct reference_gp *gp) {
    size_t m = gp->inducing, d = gp->kernel.attributes;
    gp->covariance = reals(m * m);
    gp->inverse = reals(m * m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            gp->covariance[i * m + j] =
                reference_covariance(&gp->kernel, gp->z + i * d, gp->z + j * d) +
                (i == j ? gp->diagonal : 0);
    gp->log_determinant = reference_inverse(m, gp->covariance, gp->inverse);
}

/* q(u) from its parameters: those of q(w) with u = L_K w, or its own. */
static void read_posterior(struct reference_gp *gp, const struct gp_shape *shape,
                           const struct gp_parameters *theta) {
    size_t m = gp->inducing;
    real *root = reals(m * m), *l = reals(m * m), *whitened = reals(m), *product = reals(m * m);
    assert_true(reference_cholesky(m, gp->covariance, root));
    for (size_t i = 0; shape->form == &posterior_unwhitened && i < m * m; i++)
        root[i] = i % (m + 1) == 0;
    for (size_t i = 0, at = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++, at++)
            l[i * m + j] = i == j ? expl(theta->l[at]) : (real)theta->l[at];
    for (size_t i = 0; i < m; i++)
        whitened[i] = theta->m[i];
    gp->mean = reals(m);
    gp->spread = reals(m * m);
    reference_product(m, 1, m, root, whitened, gp->mean);
    reference_product(m, m, m, root, l, product);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < m; k++)
                gp->spread[i * m + j] += product[i * m + k] * product[j * m + k];
    free(root);
    free(l);
    free(whitened);
    free(product);
}

static void prepare_prediction(struct reference_gp *gp) {
    size_t m = gp->inducing;
    real *product = reals(m * m);
    gp->weights = reals(m);
    gp->inner = reals(m * m);
    reference_product(m, 1, m, gp->inverse, gp->mean, gp->weights);
    reference_product(m, m, m, gp->inverse, gp->spread, product);
    reference_product(m, m, m, product, gp->inverse, gp->inner);
    for (size_t i = 0; i < m * m; i++)
        gp->inner[i] -= gp->inverse[i];
    free(product);
}

void reference_gp_create(struct reference_gp *gp, const struct gp_shape *shape,
                         const struct gp_parameters *theta, double jitter) {
    *gp = (struct reference_gp){0};
    read_kernel(gp, shape, theta, jitter);
    fill_covariance(gp);
    read_posterior(gp, shape, theta);
    prepare_prediction(gp);
}

void reference_gp_free(struct reference_gp *gp) {
    free(gp->lengthscale);
    free(gp->z);
    free(gp->covariance);
    free(gp->inverse);
    free(gp->mean);
    free(gp->spread);
    free(gp->weights);
    free(gp->inner);
}

void reference_gp_at(const struct reference_gp *gp, const real *x, real *mean, real *variance) {
    size_t m = gp->inducing, d = gp->kernel.attributes;
    real *k = reals(m);
    *mean = 0;
    for (size_t i = 0; i < m; i++) {
        k[i] = reference_covariance(&gp->kernel, x, gp->z + i * d);
        *mean += k[i] * gp->weights[i];
    }
    if (variance)
        *variance = reference_covariance(&gp->kernel, x, x) + gp->diagonal +
                    reference_form(m, k, gp->inner, k);
    free(k);
}

/* Differences of fourth order: the error is about h^4 = 1e-16 and the last digits over h. */
void reference_gp_slope(const struct reference_gp *gp, const real *x, real *slope) {
    static const real at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    size_t d = gp->kernel.attributes;
    real *moved = reals(d), mean;
    for (size_t j = 0; j < d; j++) {
        real h = 1e-4L * gp->lengthscale[j];
        memcpy(moved, x, d * sizeof *x);
        slope[j] = 0;
        for (int k = 0; k < 4; k++) {
            moved[j] = x[j] + at[k] * h;
            reference_gp_at(gp, moved, &mean, NULL);
            slope[j] += weight[k] * mean / (12 * h);
        }
    }
    free(moved);
}

real reference_gp_kl(const struct reference_gp *gp) {
    size_t m = gp->inducing;
    real *unused = reals(m * m), trace = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            trace += gp->inverse[i * m + j] * gp->spread[j * m + i];
    real spread = reference_inverse(m, gp->spread, unused);
    real distance = reference_form(m, gp->mean, gp->inverse, gp->mean);
    free(unused);
    return 0.5L * (trace + distance - m + gp->log_determinant - spread);
}
