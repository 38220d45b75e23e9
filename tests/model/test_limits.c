/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits in which the model equals a simpler one: the full process if there are as many inducing
 * inputs as rows, `exact` if error bars vanish, probit if there are two classes, and equal
 * probabilities if nothing has been learned. Also kernels and KL divergences.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gp/posterior_form.h"
#include "math/linalg.h"
#include "math/random.h"
#include "support/problem.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_to(real value, real expected, real tolerance, const char *what) {
    if (!(fabsl(value - expected) <= tolerance))
        print_error("%s: %.15Lg, expected %.15Lg\n", what, value, expected);
    assert_true(fabsl(value - expected) <= tolerance);
}

static void draw(uint32_t stream, size_t count, double *out) {
    random_normal((struct random_key){21, stream}, 0, 0, count, out);
}

/* ---------------------------------------------------------------- one process on its own ------ */

enum { MOST_POINTS = 64 };

struct process {
    struct gp_shape shape;
    struct gp_parameters theta;
    struct gp_factor factor;
    struct gp_tile tile;
    double *memory, *q, *scratch;
    struct arena arena;
};

static void process_layout(struct process *process, struct arena *arena) {
    process->memory = arena_doubles(arena, gp_parameter_count(&process->shape));
    process->q = arena_doubles(arena, process->shape.kernel->terms * process->shape.attributes);
    process->scratch = arena_doubles(arena, GEMM_SCRATCH);
    gp_factor_layout(&process->factor, &process->shape, false, arena, process->q,
                     (union gp_matrix){0});
    gp_tile_layout(&process->tile, &process->shape, MOST_POINTS, (struct gp_tile_use){0}, arena);
}

/* Inputs on a jittered grid of spacing one in the first attribute, so that K is well conditioned.
 */
static void process_create(struct process *process, const struct kernel *kernel, size_t inducing,
                           size_t attributes, double log_white) {
    *process = (struct process){.shape = {kernel, 3, inducing, attributes, &posterior_whitened}};
    process_layout(process, &process->arena);
    assert_true(arena_allocate(&process->arena));
    process_layout(process, &process->arena);
    process->theta = gp_parameters_at(&process->shape, process->memory);
    for (size_t t = 0; t < kernel->terms; t++)
        process->theta.log_variance[t] = 0.4 - 0.7 * (double)t;
    *process->theta.log_white = log_white;
    draw(1, inducing * attributes, process->theta.z);
    for (size_t j = 0; j < kernel->terms * attributes; j++)
        process->theta.log_lengthscale[j] = 0.2 * (double)j - 0.3;
    for (size_t i = 0; i < inducing; i++)
        process->theta.z[i * attributes] =
            0.1 * process->theta.z[i * attributes] + (double)i - 0.5 * (double)inducing;
    process->factor.jitter = 1e-10;
}

static void process_free(struct process *process) {
    arena_free(&process->arena);
}

static void process_factor(struct process *process) {
    double jitter = process->factor.jitter;
    gp_scales(&process->shape, &process->theta, process->q);
    gp_factor_posterior(&process->factor, &process->shape, &process->theta, process->scratch);
    assert_true(
        gp_factor_prior(&process->factor, &process->shape, &process->theta, process->scratch));
    assert_true(process->factor.jitter == jitter); /* otherwise the limits below differ */
}

static void process_at(struct process *process, size_t rows, const double *x, double *mean,
                       double *variance) {
    size_t area = rows * process->shape.attributes;
    double *square = doubles(area);
    for (size_t i = 0; i < area; i++)
        square[i] = x[i] * x[i];
    double norm[KERNEL_MOST_TERMS * MOST_POINTS];
    gp_norms(&process->shape, 1, process->q, rows, square, norm, MOST_POINTS, process->scratch);
    struct gp_points points = {.rows = rows, .x = x, .x_norm = norm, .norm_stride = MOST_POINTS};
    gp_arithmetic.conditional(&process->factor, &process->shape, &process->theta, &points,
                              &process->tile, mean, variance, process->scratch);
    free(square);
}

/* ---------------------------------------------------------------- M = N: the full process ----- */

/* The same process at its inputs Z = X, dense: K with its diagonal, and k(x, X). */
struct dense {
    size_t n;
    struct reference_kernel kernel;
    real diagonal, *lengthscale, *z, *covariance, *root;
};

static void dense_create(struct dense *dense, const struct process *process) {
    const struct gp_shape *shape = &process->shape;
    size_t n = shape->inducing, d = shape->attributes;
    *dense = (struct dense){.n = n, .z = reals(n * d)};
    for (size_t i = 0; i < n * d; i++)
        dense->z[i] = process->theta.z[i];
    real variance =
        reference_read_kernel(&dense->kernel, shape, &process->theta, &dense->lengthscale);
    dense->diagonal = expl(*process->theta.log_white) + process->factor.jitter * variance;
    dense->covariance = reals(n * n);
    dense->root = reals(n * n);
    for (size_t i = 0; i < n * n; i++)
        dense->covariance[i] =
            reference_covariance(&dense->kernel, dense->z + i / n * d, dense->z + i % n * d) +
            (i / n == i % n ? dense->diagonal : 0);
    assert_true(reference_cholesky(n, dense->covariance, dense->root));
}

static void dense_free(struct dense *dense) {
    free(dense->lengthscale);
    free(dense->z);
    free(dense->covariance);
    free(dense->root);
}

/* f(x) given f_X ~ N(mean, spread): k' K^-1 mean and k_xx - k' K^-1 (K - spread) K^-1 k. */
static void dense_conditional(const struct dense *dense, const real *mean, const real *spread,
                              const double *x, real *value, real *variance) {
    size_t n = dense->n, d = dense->kernel.attributes;
    real *inverse = reals(n * n), *k = reals(n), *weights = reals(n), *point = reals(d);
    for (size_t j = 0; j < d; j++)
        point[j] = x[j];
    for (size_t i = 0; i < n; i++)
        k[i] = reference_covariance(&dense->kernel, point, dense->z + i * d);
    reference_inverse(n, dense->covariance, inverse);
    reference_product(n, 1, n, inverse, k, weights);
    *value = 0;
    *variance = reference_covariance(&dense->kernel, point, point) + dense->diagonal;
    for (size_t i = 0; i < n; i++)
        *value += weights[i] * mean[i];
    *variance += reference_form(n, weights, spread, weights) -
                 reference_form(n, weights, dense->covariance, weights);
    free(inverse);
    free(k);
    free(weights);
    free(point);
}

/* root^-1 b for b (n x columns), by forward substitution. */
static void solve_lower(size_t n, size_t columns, const real *root, const real *b, real *x) {
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < n; i++) {
            real rest = b[i * columns + c];
            for (size_t k = 0; k < i; k++)
                rest -= root[i * n + k] * x[k * columns + c];
            x[i * columns + c] = rest / root[i * n + i];
        }
}

/* Sets m and L so that q(f_X) = N(mean, spread). */
static void set_posterior(struct process *process, const struct dense *dense, const real *mean,
                          const real *spread) {
    size_t n = dense->n;
    real *m = reals(n), *half = reals(n * n), *turned = reals(n * n), *whitened = reals(n * n);
    real *l = reals(n * n);
    solve_lower(n, 1, dense->root, mean, m);
    solve_lower(n, n, dense->root, spread, half);
    for (size_t i = 0; i < n * n; i++)
        turned[i] = half[i % n * n + i / n];
    solve_lower(n, n, dense->root, turned, whitened);
    assert_true(reference_cholesky(n, whitened, l));
    double *packed = process->theta.l;
    for (size_t i = 0; i < n; i++) {
        process->theta.m[i] = (double)m[i];
        for (size_t j = 0; j <= i; j++)
            *packed++ = (double)(i == j ? logl(l[i * n + j]) : l[i * n + j]);
    }
    free(m);
    free(half);
    free(turned);
    free(whitened);
    free(l);
}

/* An arbitrary q(f_X): mean, and spread = B B' + 0.1. */
static void arbitrary_posterior(size_t n, real *mean, real *spread) {
    double *b = doubles(n * n + n);
    draw(2, n * n + n, b);
    for (size_t i = 0; i < n; i++) {
        mean[i] = b[n * n + i];
        for (size_t j = 0; j < n; j++) {
            spread[i * n + j] = i == j ? 0.1L : 0;
            for (size_t k = 0; k < n; k++)
                spread[i * n + j] += 0.1L * b[i * n + k] * b[j * n + k];
        }
    }
    free(b);
}

static void full_process(const struct kernel *kernel, size_t d, double log_white, real tolerance) {
    enum { N = 12 };
    struct process process;
    struct dense dense;
    real *mean = reals(N), *spread = reals(N * N), value, variance;
    double *x = doubles(MOST_POINTS * d), got[MOST_POINTS], got_variance[MOST_POINTS];
    process_create(&process, kernel, N, d, log_white);
    dense_create(&dense, &process);
    arbitrary_posterior(N, mean, spread);
    set_posterior(&process, &dense, mean, spread);
    process_factor(&process);
    draw(3, MOST_POINTS * d, x);
    for (size_t i = 0; i < MOST_POINTS * d; i++)
        x[i] *= 2.0;
    process_at(&process, MOST_POINTS, x, got, got_variance);
    for (size_t i = 0; i < MOST_POINTS; i++) {
        dense_conditional(&dense, mean, spread, x + i * d, &value, &variance);
        close_to(got[i], value, tolerance * fmaxl(1, fabsl(value)), "mean of the full process");
        close_to(got_variance[i], variance, tolerance * fmaxl(1, variance), "its variance");
    }
    dense_free(&dense);
    process_free(&process);
    free(mean);
    free(spread);
    free(x);
}

/* The polynomial's K has low rank and entries up to 1e6, so its condition is worse by this
 * factor. */
static void test_full_process(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t d = 1; d <= 3; d += 2) {
            bool polynomial = kernel_list[k]->term[0]->argument == DOT_PRODUCT;
            full_process(kernel_list[k], d, -1.0, polynomial ? 1e-7L : 1e-10L);
            full_process(kernel_list[k], d, polynomial ? -2.0 : -8.0, polynomial ? 1e-7L : 1e-10L);
        }
}

/*
 * The posterior given values y measured with variance r, put into q(f_X), must predict as plain
 * Gaussian-process regression does: k' (K + r)^-1 y and k_xx - k' (K + r)^-1 k.
 */
static void test_regression(void **state) {
    (void)state;
    enum { N = 10, D = 2 };
    const real r = 0.3L;
    for (size_t kind = 0; kernel_list[kind]; kind++) {
        struct process process;
        struct dense dense;
        double y[N], x[N * D], got[N], got_variance[N];
        real noisy[N * N], inverse[N * N], product[N * N], posterior[N * N], values[N], mean[N];
        process_create(&process, kernel_list[kind], N, D, -2.0);
        dense_create(&dense, &process);
        draw(4, N, y);
        draw(5, N * D, x);
        for (size_t i = 0; i < N * N; i++)
            noisy[i] = dense.covariance[i] + (i / N == i % N ? r : 0);
        for (size_t i = 0; i < N; i++)
            values[i] = y[i];
        reference_inverse(N, noisy, inverse);
        reference_product(N, N, N, dense.covariance, inverse, product);
        reference_product(N, 1, N, product, values, mean);
        reference_product(N, N, N, product, dense.covariance, posterior);
        for (size_t i = 0; i < N * N; i++)
            posterior[i] = dense.covariance[i] - posterior[i];
        set_posterior(&process, &dense, mean, posterior);
        process_factor(&process);
        process_at(&process, N, x, got, got_variance);
        for (size_t i = 0; i < N; i++) {
            real k[N], point[D] = {x[i * D], x[i * D + 1]};
            for (size_t j = 0; j < N; j++)
                k[j] = reference_covariance(&dense.kernel, point, dense.z + j * D);
            real prior = reference_covariance(&dense.kernel, point, point) + dense.diagonal;
            close_to(got[i], reference_form(N, k, inverse, values), 1e-9L, "regression's mean");
            close_to(got_variance[i], prior - reference_form(N, k, inverse, k), 1e-9L * prior,
                     "regression's variance");
        }
        dense_free(&dense);
        process_free(&process);
    }
}

/*
 * At the inducing inputs themselves. f(z) and u share everything but the diagonal's noise delta, so
 * mean = u - delta K^-1 u, and the variance is S_ii + 2 delta up to terms of the order delta S/K.
 */
static void at_the_inputs(const struct kernel *kernel, double log_white, real tolerance) {
    enum { N = 12, D = 2 };
    struct process process;
    struct dense dense;
    double mean[N], variance[N];
    real u[N], spread[N * N], inverse[N * N], pulled[N], product[N * N], both[N * N];
    process_create(&process, kernel, N, D, log_white);
    process.factor.jitter = 1e-12;
    dense_create(&dense, &process);
    arbitrary_posterior(N, u, spread);
    set_posterior(&process, &dense, u, spread);
    process_factor(&process);
    process_at(&process, N, process.theta.z, mean, variance);
    reference_inverse(N, dense.covariance, inverse);
    reference_product(N, 1, N, inverse, u, pulled);
    reference_product(N, N, N, inverse, spread, product);
    reference_product(N, N, N, product, inverse, both);
    real delta = dense.diagonal;
    for (size_t i = 0; i < N; i++) {
        real exact = spread[i * N + i] + 2 * delta - delta * delta * inverse[i * N + i] -
                     2 * delta * product[i * N + i] + delta * delta * both[i * N + i];
        close_to(mean[i], u[i] - delta * pulled[i], 1e-9L, "mean at an inducing input");
        close_to(variance[i], exact, 1e-9L, "variance at an inducing input");
        close_to(mean[i], u[i], tolerance, "u itself");
        close_to(variance[i], spread[i * N + i], tolerance, "its variance itself");
    }
    dense_free(&dense);
    process_free(&process);
}

static void test_at_the_inputs(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) { /* the polynomial's K is singular without its noise */
        at_the_inputs(kernel_list[k], -1.0, 10);
        at_the_inputs(kernel_list[k], -12.0, 1e-3L);
        at_the_inputs(kernel_list[k], -25.0, 1e-8L);
    }
}

/* ---------------------------------------------------------------- vanishing error bars -------- */

enum { FEW = 20, WIDE = 2 };

static void make_fixture(struct fixture *fixture, const char *input, double variance) {
    struct problem problem = {.classes = 3,
                              .attributes = WIDE,
                              .inducing = 8,
                              .rows = FEW,
                              .kernel = "se",
                              .input = input,
                              .noise = "given",
                              .noise_variance = variance > 0 ? variance : 1.0};
    fixture_create(fixture, &problem);
    fixture_disturb(fixture);
    /* q(xi) = N(0, 1): only the noise moves the inputs. */
    memset(fixture->own, 0, FEW * fixture->model->table.each * sizeof(double));
    memset(fixture->model->theta + fixture->model->input_at, 0,
           fixture->model->input_count * sizeof(double));
    for (size_t i = 0; variance == 0 && i < FEW * WIDE; i++)
        fixture->sigma[i] = 0.0;
}

/* sum_i log N(x~_i; 0, prior + V_i) in standard units, multiplied by the rows that each
 * represents. */
static real evidence_of_measurements(const struct fixture *fixture) {
    real total = 0, prior = fixture->model->options.prior_variance;
    for (size_t j = 0; j < WIDE; j++) {
        real mean = 0, square = 0;
        for (size_t i = 0; i < FEW; i++)
            mean += fixture->x[i * WIDE + j] / (real)FEW;
        for (size_t i = 0; i < FEW; i++)
            square += powl(fixture->x[i * WIDE + j] - mean, 2) / FEW;
        for (size_t i = 0; i < FEW; i++) {
            real noise = powl(fixture->sigma[i * WIDE + j], 2) / square;
            real x = (fixture->x[i * WIDE + j] - mean) / sqrtl(square);
            total += logl(reference_normal_density(x, 0, prior + noise));
        }
    }
    return 3 * total;
}

/* The distance of the bound from that of `exact`, without the evidence of the measurements. */
static double distance_from_exact(const char *input, double variance) {
    struct fixture exact, other;
    make_fixture(&exact, "exact", variance);
    make_fixture(&other, input, variance);
    double distance = fixture_bound(&other) - fixture_bound(&exact);
    if (other.model->options.input->posterior)
        distance -= (double)evidence_of_measurements(&other);
    fixture_free(&exact);
    fixture_free(&other);
    return distance;
}

/*
 * One draw per row changes the bound by the order sigma, the first-order model by the order
 * sigma^2: a hundredth of the variance gives a tenth or a hundredth of the distance. At V = 1e-12
 * (sigma 1e-6) the rest is 1e-4 and rounding, for bounds of several hundred.
 */
static void vanishing_noise(const char *input, double factor, double tolerance) {
    double far = distance_from_exact(input, 1e-6), near = distance_from_exact(input, 1e-8);
    assert_true(fabs(far) > 1e-8);
    close_to(near / far, factor, 0.05 * factor, input);
    close_to(distance_from_exact(input, 1e-12), 0, tolerance, input);
    close_to(distance_from_exact(input, 0.0), 0, 1e-10L, input);
}

static void test_vanishing_noise(void **state) {
    (void)state;
    vanishing_noise("latent", 0.1, 1e-4);
    vanishing_noise("amortised", 0.1, 1e-4);
    vanishing_noise("resampled", 0.1, 1e-4);
    vanishing_noise("augmented", 0.1, 1e-4);
    vanishing_noise("first_order", 0.01, 1e-9);
}

static void place_without_noise(const struct input_model *model, const double *measured,
                                double *x) {
    struct population population;
    assert_true(population_flat(&population, WIDE, 1000.0));
    struct input_setting setting = {.attributes = WIDE,
                                    .features = 3,
                                    .samples = 1,
                                    .most_rows = FEW,
                                    .population = &population,
                                    .layers = 1,
                                    .units = 4};
    struct input_work work = {0};
    struct arena arena = {0};
    double noise[FEW * WIDE] = {0}, feature[3 * FEW] = {0}, weight[FEW], value[FEW];
    double *own = doubles(FEW * 2 * WIDE), *shared = doubles(1000), *scratch = NULL;
    size_t row[FEW], copy[FEW];
    struct pool *pool = pool_create(1);
    for (int pass = 0; pass < 2; pass++) {
        scratch = arena_doubles(&arena, GEMM_SCRATCH);
        if (model->layout)
            model->layout(&work, &setting, &arena);
        assert_true(pass == 1 || arena_allocate(&arena));
    }
    assert_true(!model->prepare || model->prepare(&work, &setting, 1));
    draw(6, FEW * 2 * WIDE, own);
    draw(7, 1000, shared);
    for (size_t i = 0; i < FEW; i++) {
        row[i] = i;
        copy[i] = i % model->copies;
        weight[i] = 1.0;
    }
    struct input_batch batch = {.setting = &setting,
                                .work = &work,
                                .rows = FEW,
                                .row = row,
                                .copy = copy,
                                .x = measured,
                                .noise = noise,
                                .feature = feature,
                                .weight = weight,
                                .seed = 1,
                                .step = 1,
                                .width = 1.0,
                                .pool = pool,
                                .scratch = &scratch,
                                .shared = shared,
                                .own = own,
                                .point = x,
                                .value = value};
    model->place(&batch);
    population_free(&population);
    pool_free(pool);
    arena_free(&arena);
    free(own);
    free(shared);
}

/* Without error bars every model evaluates exactly the measurement, whatever its q(xi). */
static void test_zero_error_bars(void **state) {
    (void)state;
    double measured[FEW * WIDE], x[FEW * WIDE];
    draw(8, FEW * WIDE, measured);
    for (size_t i = 0; input_list[i]; i++) {
        memset(x, 0, sizeof x);
        place_without_noise(input_list[i], measured, x);
        assert_memory_equal(x, measured, sizeof x);
    }
}

/* ---------------------------------------------------------------- two classes ----------------- */

static void predict(struct fixture *fixture, double *p, double *mean, double *variance) {
    nim_predictor *predictor;
    nim_error error;
    if (nim_predictor_create(fixture->model, &predictor, &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = p, .latent_mean = mean, .latent_variance = variance);
    assert_int_equal(nim_predict(predictor, &fixture->data, &wanted, &error), NIM_OK);
    nim_predictor_free(predictor);
}

/* With almost no label noise, two classes are a probit model of the difference f_1 - f_0. */
static void test_probit(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++) {
        struct problem problem = {.classes = 2,
                                  .attributes = 3,
                                  .inducing = 8,
                                  .rows = 30,
                                  .kernel = kernel_list[k]->name,
                                  .input = "exact",
                                  .noise = "given"};
        struct fixture fixture;
        double p[60], mean[60], variance[60];
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        fixture.model->likelihood.epsilon = 1e-15;
        predict(&fixture, p, mean, variance);
        for (size_t i = 0; i < 60; i += 2) {
            real width = sqrtl((real)variance[i] + variance[i + 1]);
            real probit = reference_normal_cdf(((real)mean[i + 1] - mean[i]) / width);
            close_to(p[i + 1], probit, 1e-9L, "second of two classes");
            close_to(p[i], 1 - probit, 1e-9L, "first of two classes");
        }
        fixture_free(&fixture);
    }
}

/* ---------------------------------------------------------------- kernels --------------------- */

/* g' and g'' of the textbook formula by differences of fourth order. */
static real shape_slope(const char *name, unsigned degree, real t) {
    real h = 1e-3L * fminl(t, 1), sum = 0;
    static const real weight[5] = {1, -8, 0, 8, -1};
    for (int n = 0; n < 5; n++)
        sum += weight[n] * reference_shape(name, degree, t + (n - 2) * h);
    return sum / (12 * h);
}

static real shape_curvature(const char *name, unsigned degree, real t) {
    real h = 1e-2L * fminl(t, 1), sum = 0;
    static const real weight[5] = {-1, 16, -30, 16, -1};
    for (int n = 0; n < 5; n++)
        sum += weight[n] * reference_shape(name, degree, t + (n - 2) * h);
    return sum / (12 * h * h);
}

static void test_kernel_values(void **state) {
    (void)state;
    static const double at[] = {1e-3, 0.02, 0.3, 1.0, 2.5, 7.0, 40.0};
    for (size_t k = 0; kernel_list[k] && kernel_list[k]->terms == 1; k++)
        for (unsigned degree = 1; degree <= 9; degree += 2)
            for (size_t i = 0; i < 7; i++) {
                const char *name = kernel_list[k]->name;
                double value, slope, curvature, s2 = 1.75;
                kernel_list[k]->term[0]->evaluate(degree, s2, 1, &at[i], &value, &slope,
                                                  &curvature);
                real g = s2 * reference_shape(name, degree, at[i]);
                real first = s2 * shape_slope(name, degree, at[i]);
                real second = s2 * shape_curvature(name, degree, at[i]);
                close_to(value, g, 1e-14L * g, name);
                close_to(slope, first, 1e-10L * fabsl(first), name);
                close_to(curvature, second, 1e-8L * fabsl(second) + 1e-8L * g, name);
            }
}

static void test_kernel_at_zero(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++) {
        double t = 0.0, value, slope, curvature;
        kernel_list[k]->term[0]->evaluate(3, 2.0, 1, &t, &value, &slope, &curvature);
        close_to(value, 2, 0, "g(0) = 1");
        assert_true(isfinite(slope) && isfinite(curvature));
        kernel_list[k]->term[0]->evaluate(3, 2.0, 1, &t, &t, NULL,
                                          NULL); /* in place, value alone */
        close_to(t, 2, 0, "in place");
    }
}

/* Gram matrices computed by the library, of points some of which nearly or exactly coincide. */
static void test_positive_semidefinite(void **state) {
    (void)state;
    enum { N = 40 };
    for (size_t kind = 0; kernel_list[kind]; kind++)
        for (size_t d = 1; d <= 5; d += 2) {
            struct process process;
            real gram[N * N], root[N * N], largest = 0;
            process_create(&process, kernel_list[kind], N, d, -2.0);
            draw(9, N * d, process.theta.z);
            memcpy(process.theta.z + 30 * d, process.theta.z, 10 * d * sizeof(double));
            process.theta.z[35 * d] += 1e-7;
            process_factor(&process);
            for (size_t i = 0; i < N; i++)
                largest = fmaxl(largest, process.factor.k[i * N + i]);
            for (size_t i = 0; i < N * N; i++) {
                gram[i] = process.factor.k[i] + (i / N == i % N ? 1e-10L * largest : 0);
                close_to(process.factor.k[i], process.factor.k[i % N * N + i / N], 0, "symmetry");
            }
            assert_true(reference_cholesky(N, gram, root));
            process_free(&process);
        }
}

/* ---------------------------------------------------------------- Kullback-Leibler ------------ */

static void test_divergence(void **state) {
    (void)state;
    enum { M = 9 };
    struct process process;
    process_create(&process, kernel_list[2], M, 2, -3.0);
    process_factor(&process);
    close_to(process.factor.kl, 0, 1e-13L, "KL at the prior");
    double move[M + M * (M + 1) / 2];
    for (uint64_t trial = 0; trial < 50; trial++) {
        double size = pow(10.0, -3.0 + (double)(trial % 5));
        random_normal((struct random_key){21, 30}, 0, trial, sizeof move / sizeof *move, move);
        for (size_t i = 0; i < M; i++)
            process.theta.m[i] = trial % 2 ? size * move[i] : 0.0;
        for (size_t i = 0; i < M * (M + 1) / 2; i++)
            process.theta.l[i] = fmin(size, 0.5) * move[M + i]; /* S stays invertible */
        process_factor(&process);
        struct reference_gp gp;
        reference_gp_create(&gp, &process.shape, &process.theta, process.factor.jitter);
        double divergence = process.factor.kl;
        real expected = reference_gp_kl(&gp);
        assert_true(divergence > 0.0);
        close_to(divergence, expected, 1e-10L * fmaxl(1, expected), "KL");
        reference_gp_free(&gp);
    }
    process_free(&process);
}

/* ---------------------------------------------------------------- nothing learned ------------- */

/* The prior favours no class when all have the same hyper-parameters, though Z differs. */
static void test_untrained(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t i = 0; input_list[i]; i++) {
            struct problem problem = {.classes = 5,
                                      .attributes = 3,
                                      .inducing = 10,
                                      .rows = 20,
                                      .kernel = kernel_list[k]->name,
                                      .input = input_list[i]->name,
                                      .noise = "given"};
            struct fixture fixture;
            double p[100];
            fixture_create(&fixture, &problem);
            predict(&fixture, p, NULL, NULL);
            for (size_t n = 0; n < 100; n++)
                close_to(p[n], 0.2L, 1e-9L, "probability before training");
            fixture_free(&fixture);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_process),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_at_the_inputs),
        cmocka_unit_test(test_vanishing_noise),
        cmocka_unit_test(test_zero_error_bars),
        cmocka_unit_test(test_probit),
        cmocka_unit_test(test_kernel_values),
        cmocka_unit_test(test_kernel_at_zero),
        cmocka_unit_test(test_positive_semidefinite),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_untrained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
