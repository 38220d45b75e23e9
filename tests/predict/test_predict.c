/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prediction and denoising of trained models, in the user's own units: what the probabilities and
 * moments must obey, against averages made from point predictions and from the textbook formulas.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "model/model.h"
#include "math/lattice.h"
#include "support/problem.h"
#include "support/reference.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 3, WIDTH = 2, TRAIN = 150, TEST = 12, SEED = 5 };

/* ---------------------------------------------------------------- data and models ------------- */

struct table {
    size_t rows, width;
    double *truth, *x, *sigma;
    int32_t *labels;
};

static nim_data as_data(const struct table *table) {
    return NIM_DATA(.rows = table->rows, .attributes = table->width, .x = table->x,
                    .sigma = table->sigma, .sigma_rows = table->rows, .labels = table->labels);
}

static void table_create(struct table *table, size_t rows, size_t width) {
    *table = (struct table){rows,
                            width,
                            doubles(rows * width),
                            doubles(rows * width),
                            doubles(rows * width),
                            calloc(rows, sizeof(int32_t))};
    assert_non_null(table->labels);
}

static void table_free(struct table *table) {
    free(table->truth);
    free(table->x);
    free(table->sigma);
    free(table->labels);
}

/*
 * Three classes in sectors around the origin, attributes of very different units (a around 40, b
 * in millionths), every cell with an error bar of its own.
 */
static void make_sectors(struct table *table, size_t rows, uint64_t part) {
    static const double centre[WIDTH] = {40.0, 0.0}, unit[WIDTH] = {5.0, 1e-6};
    table_create(table, rows, WIDTH);
    random_normal((struct random_key){31, 1}, part, 0, rows * WIDTH, table->truth);
    random_normal((struct random_key){31, 2}, part, 0, rows * WIDTH, table->x);
    random_uniform((struct random_key){31, 3}, part, 0, rows * WIDTH, table->sigma);
    for (size_t i = 0; i < rows; i++) {
        double angle =
            atan2(table->truth[2 * i + 1], table->truth[2 * i]) / (2.0 * (double)REAL_PI) + 0.5;
        table->labels[i] = (int32_t)(angle * 2.999999);
    }
    for (size_t i = 0; i < rows * WIDTH; i++) {
        table->sigma[i] = (0.15 + 0.35 * table->sigma[i]) * unit[i % WIDTH];
        table->truth[i] = centre[i % WIDTH] + unit[i % WIDTH] * table->truth[i];
        table->x[i] = table->truth[i] + table->sigma[i] * table->x[i];
    }
}

/* Mean and deviation of a column, as the library's scaling is documented. */
static void column_moments(const struct table *table, size_t j, double *mean, double *deviation) {
    real sum = 0, squares = 0;
    for (size_t i = 0; i < table->rows; i++)
        sum += table->x[i * table->width + j];
    sum /= table->rows;
    for (size_t i = 0; i < table->rows; i++)
        squares += powl(table->x[i * table->width + j] - sum, 2);
    *mean = (double)sum;
    *deviation = (double)sqrtl(squares / table->rows);
}

struct setting {
    const char *name, *value;
};

static void set_option(nim_options *options, const char *name, const char *value) {
    nim_error error;
    if (nim_options_set(options, name, value, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

/* A model trained for this number of epochs; settings end with a NULL name. */
static nim_model *train(const struct table *table, const char *input, const char *epochs,
                        const struct setting *settings) {
    nim_options *options = nim_options_create();
    nim_data data = as_data(table);
    nim_model *model;
    nim_error error;
    set_plain(options);
    set_option(options, "input", input);
    set_option(options, "epochs", epochs);
    set_option(options, "stop", "fixed");
    set_option(options, "inducing", "15");
    set_option(options, "batch", "50");
    set_option(options, "seed", "5");
    set_option(options, "threads", "1"); /* small steps: two threads would wait for each other */
    for (; settings && settings->name; settings++)
        set_option(options, settings->name, settings->value);
    if (nim_model_create(options, &data, &model, &error) != NIM_OK ||
        nim_model_train(model, &data, NULL, NULL, &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_options_free(options);
    return model;
}

static void predict(const nim_model *model, const nim_data *data, const nim_prediction *wanted) {
    nim_predictor *predictor;
    nim_error error;
    if (nim_predictor_create(model, &predictor, &error) != NIM_OK ||
        nim_predict(predictor, data, wanted, &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_predictor_free(predictor);
}

static void close_to(real value, real expected, real tolerance, const char *what) {
    if (!(fabsl(value - expected) <= tolerance))
        print_error("%s: %.15Lg, expected %.15Lg\n", what, value, expected);
    assert_true(fabsl(value - expected) <= tolerance);
}

static void all_close(size_t count, const double *value, const double *expected, double tolerance,
                      const char *what) {
    for (size_t i = 0; i < count; i++)
        close_to(value[i], expected[i], tolerance * fmax(1.0, fabs(expected[i])), what);
}

/* Models used by all tests: trained once, for `latent` with several numbers of points. */
static struct {
    struct table train, test;
    nim_model *latent, *coarse, *fine, *first_order, *exact, *unwhitened;
} world;

static int create_world(void **state) {
    (void)state;
    make_sectors(&world.train, TRAIN, 0);
    make_sectors(&world.test, TEST, 1);
    world.latent = train(&world.train, "latent", "60", (struct setting[]){{"points", "4096"}, {0}});
    world.coarse = train(&world.train, "latent", "60", (struct setting[]){{"points", "256"}, {0}});
    world.fine = train(&world.train, "latent", "60", (struct setting[]){{"points", "16384"}, {0}});
    world.first_order = train(&world.train, "first_order", "60", NULL);
    world.exact = train(&world.train, "exact", "60", NULL);
    world.unwhitened = train(&world.train, "exact", "60", (struct setting[]){{"whiten", "0"}, {0}});
    return 0;
}

static int free_world(void **state) {
    (void)state;
    nim_model *models[] = {world.latent,      world.coarse, world.fine,
                           world.first_order, world.exact,  world.unwhitened};
    for (size_t i = 0; i < 6; i++)
        nim_model_free(models[i]);
    table_free(&world.train);
    table_free(&world.test);
    return 0;
}

/* ---------------------------------------------------------------- probabilities --------------- */

static void test_sums_and_entropy(void **state) {
    (void)state;
    nim_model *models[] = {world.coarse, world.first_order, world.exact};
    nim_data data = as_data(&world.train);
    double *p = doubles(TRAIN * CLASSES), *entropy = doubles(TRAIN);
    for (size_t n = 0; n < 3; n++) {
        predict(models[n], &data, &NIM_PREDICTION(.probabilities = p, .entropy = entropy));
        for (size_t i = 0; i < TRAIN; i++) {
            real total = 0, expected = 0;
            for (size_t c = 0; c < CLASSES; c++) {
                real share = p[i * CLASSES + c];
                assert_true(share > 0 && share < 1);
                total += share;
                expected -= share * logl(share);
            }
            close_to(total, 1, 1e-12L, "sum of a row");
            close_to(entropy[i], expected, 1e-12L, "entropy");
        }
    }
    free(p);
    free(entropy);
}

/* Probabilities at one point in the user's units, from the formulas. */
static void point_by_hand(nim_model *model, const double *x, double *p) {
    real point[WIDTH], mean[CLASSES], variance[CLASSES], epsilon = model->options.epsilon;
    for (size_t j = 0; j < WIDTH; j++) {
        double centre, deviation;
        column_moments(&world.train, j, &centre, &deviation);
        point[j] = ((real)x[j] - centre) / deviation;
    }
    for (size_t c = 0; c < CLASSES; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        struct reference_gp gp;
        reference_gp_create(&gp, &model->gp, &theta, model->jitter[c]);
        reference_gp_at(&gp, point, &mean[c], &variance[c]);
        reference_gp_free(&gp);
    }
    for (size_t c = 0; c < CLASSES; c++) {
        real win = reference_win_probability(CLASSES, c, mean, variance, NULL, NULL);
        p[c] = (double)((1 - epsilon) * win + (1 - win) * epsilon / (CLASSES - 1));
    }
}

/* Zero error bars: every input model evaluates one point, and its predictions follow the
 * formulas. */
static void test_single_point(void **state) {
    (void)state;
    nim_model *models[] = {world.latent, world.first_order, world.exact, world.unwhitened};
    double zero[WIDTH] = {0}, p[TEST * CLASSES], without[TEST * CLASSES], expected[CLASSES];
    nim_data data = as_data(&world.test);
    data.sigma = zero;
    data.sigma_rows = 1;
    for (size_t n = 0; n < 4; n++) {
        predict(models[n], &data, &NIM_PREDICTION(.probabilities = p));
        nim_data plain = data;
        plain.sigma = NULL;
        predict(models[n], &plain, &NIM_PREDICTION(.probabilities = without));
        assert_memory_equal(p, without, sizeof p);
        for (size_t i = 0; i < TEST; i++) {
            point_by_hand(models[n], world.test.x + i * WIDTH, expected);
            all_close(CLASSES, p + i * CLASSES, expected, 1e-8, "single point");
        }
    }
}

/* ---------------------------------------------------------------- averages -------------------- */

/* x* = c + sqrt(T) xi in the user's units, for count rows of standard normal xi. */
static void spread_points(const double *measured, const double *sigma, size_t count,
                          const double *xi, double *x) {
    const double prior = 1000.0; /* the default, in standard units */
    for (size_t j = 0; j < WIDTH; j++) {
        double mean, deviation;
        column_moments(&world.train, j, &mean, &deviation);
        double noise = pow(sigma[j] / deviation, 2);
        double centre = prior / (prior + noise) * (measured[j] - mean) / deviation;
        double width = sqrt(prior * noise / (prior + noise));
        for (size_t i = 0; i < count; i++)
            x[i * WIDTH + j] = mean + deviation * (centre + width * xi[i * WIDTH + j]);
    }
}

/* Predictions at the points themselves: p, mean and variance of f, count x CLASSES each. */
struct scatter {
    size_t count;
    double *x, *p, *mean, *variance;
};

static struct scatter look_at(nim_model *model, size_t row, size_t count, const double *xi) {
    struct scatter s = {count, doubles(count * WIDTH), doubles(count * CLASSES),
                        doubles(count * CLASSES), doubles(count * CLASSES)};
    spread_points(world.test.x + row * WIDTH, world.test.sigma + row * WIDTH, count, xi, s.x);
    nim_data data = NIM_DATA(.rows = count, .attributes = WIDTH, .x = s.x);
    predict(model, &data,
            &NIM_PREDICTION(.probabilities = s.p, .latent_mean = s.mean,
                            .latent_variance = s.variance));
    return s;
}

static void scatter_free(struct scatter *scatter) {
    free(scatter->x);
    free(scatter->p);
    free(scatter->mean);
    free(scatter->variance);
}

/* Mean of one class's column and its variance over the points. */
static void moments(size_t count, const double *values, size_t c, double *mean, double *variance) {
    real sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i * CLASSES + c];
    sum /= count;
    for (size_t i = 0; i < count; i++)
        squares += powl(values[i * CLASSES + c] - sum, 2);
    *mean = (double)sum;
    *variance = (double)(squares / count);
}

static double *draws(size_t count, size_t row) {
    double *xi = doubles(count * WIDTH);
    random_normal((struct random_key){32, 1}, 0, row, count * WIDTH, xi);
    return xi;
}

/*
 * The quasi-random average is the average over N(c, T): plain draws agree within five standard
 * errors plus the weight of one point, since a lattice does not represent rarer events.
 */
__attribute__((unused)) static void test_against_draws(void **state) {
    (void)state;
    enum { DRAWS = 20000, POINTS = 4096 };
    nim_data data = as_data(&world.test);
    double p[TEST * CLASSES], mean[TEST * CLASSES];
    predict(world.latent, &data, &NIM_PREDICTION(.probabilities = p, .latent_mean = mean));
    for (size_t row = 0; row < TEST; row++) {
        double *xi = draws(DRAWS, row), average, variance;
        struct scatter plain = look_at(world.latent, row, DRAWS, xi);
        for (size_t c = 0; c < CLASSES; c++) {
            moments(DRAWS, plain.p, c, &average, &variance);
            close_to(p[row * CLASSES + c], average, 5.0 * sqrt(variance / DRAWS) + 1.0 / POINTS,
                     "probability");
            moments(DRAWS, plain.mean, c, &average, &variance);
            close_to(mean[row * CLASSES + c], average, 5.0 * sqrt(variance / DRAWS), "mean");
        }
        scatter_free(&plain);
        free(xi);
    }
}

/* 256 points of the lattice are several times nearer to the limit than 256 draws are on average. */
__attribute__((unused)) static void test_beats_draws(void **state) {
    (void)state;
    enum { POINTS = 256 };
    nim_data data = as_data(&world.test);
    double coarse[TEST * CLASSES], fine[TEST * CLASSES], own = 0.0, plain = 0.0;
    predict(world.coarse, &data, &NIM_PREDICTION(.probabilities = coarse));
    predict(world.fine, &data, &NIM_PREDICTION(.probabilities = fine));
    for (size_t row = 0; row < TEST; row++) {
        double *xi = draws(20 * POINTS, row), average, unused;
        struct scatter scatter = look_at(world.coarse, row, 20 * POINTS, xi);
        for (size_t c = 0; c < CLASSES; c++) {
            double limit = fine[row * CLASSES + c];
            own += pow(coarse[row * CLASSES + c] - limit, 2);
            for (size_t group = 0; group < 20; group++) {
                const double *part = scatter.p + group * POINTS * CLASSES;
                moments(POINTS, part, c, &average, &unused);
                plain += pow(average - limit, 2) / 20.0;
            }
        }
        scatter_free(&scatter);
        free(xi);
    }
    if (!(sqrt(own) < 0.2 * sqrt(plain)))
        print_error("lattice %g, draws %g\n", sqrt(own), sqrt(plain));
    assert_true(sqrt(own) < 0.2 * sqrt(plain));
}

/*
 * Over the very points the predictor uses: E p; E f = E m(x); Var f = E v(x) + Var m(x), the law of
 * total variance.
 */
static void test_total_variance(void **state) {
    (void)state;
    enum { POINTS = 256 };
    nim_data data = as_data(&world.test);
    double p[TEST * CLASSES], mean[TEST * CLASSES], variance[TEST * CLASSES], xi[POINTS * WIDTH];
    predict(world.coarse, &data,
            &NIM_PREDICTION(.probabilities = p, .latent_mean = mean, .latent_variance = variance));
    assert_true(lattice_normal((struct random_key){SEED, STREAM_LATTICE}, POINTS, WIDTH, xi));
    for (size_t row = 0; row < TEST; row++) {
        struct scatter s = look_at(world.coarse, row, POINTS, xi);
        for (size_t c = 0; c < CLASSES; c++) {
            double average, between, within, unused;
            size_t at = row * CLASSES + c;
            moments(POINTS, s.p, c, &average, &unused);
            close_to(p[at], average, 1e-9L, "probability");
            moments(POINTS, s.mean, c, &average, &between);
            moments(POINTS, s.variance, c, &within, &unused);
            close_to(mean[at], average, 1e-9L * fmax(1.0, fabs(average)), "mean");
            close_to(variance[at], within + between, 1e-9L * (within + between), "variance");
            assert_true(between > 0.0);
        }
        scatter_free(&s);
    }
}

/* ---------------------------------------------------------------- error bars ------------------ */

static double mean_entropy(nim_model *model, double factor) {
    double *sigma = doubles(TRAIN * WIDTH), *entropy = doubles(TRAIN), total = 0.0;
    nim_data data = as_data(&world.train);
    for (size_t i = 0; i < TRAIN * WIDTH; i++)
        sigma[i] = factor * world.train.sigma[i];
    data.sigma = sigma;
    predict(model, &data, &NIM_PREDICTION(.entropy = entropy));
    for (size_t i = 0; i < TRAIN; i++)
        total += entropy[i] / TRAIN;
    free(sigma);
    free(entropy);
    return total;
}

static void test_less_certain(void **state) {
    (void)state;
    nim_model *models[] = {world.coarse, world.first_order};
    for (size_t n = 0; n < 2; n++) {
        double before = mean_entropy(models[n], 0.0);
        for (double factor = 0.5; factor < 5.0; factor *= 2.0) {
            double after = mean_entropy(models[n], factor);
            assert_true(after > before + 1e-3);
            before = after;
        }
    }
    assert_true(mean_entropy(world.exact, 4.0) == mean_entropy(world.exact, 0.0));
}

/* A missing cell is a measurement at the mean of the training rows with their deviation. */
static void test_missing_cell(void **state) {
    (void)state;
    nim_model *models[] = {world.coarse, world.first_order, world.exact};
    double x[TEST * WIDTH], sigma[TEST * WIDTH];
    double missing[TEST * CLASSES], stated[TEST * CLASSES];
    nim_data data = as_data(&world.test);
    for (size_t n = 0; n < 3; n++)
        for (size_t j = 0; j < WIDTH; j++) {
            memcpy(x, world.test.x, sizeof x);
            memcpy(sigma, world.test.sigma, sizeof sigma);
            data.x = x;
            data.sigma = sigma;
            for (size_t i = 0; i < TEST; i++)
                x[i * WIDTH + j] = NAN;
            predict(models[n], &data, &NIM_PREDICTION(.probabilities = missing));
            for (size_t i = 0; i < TEST; i++)
                column_moments(&world.train, j, &x[i * WIDTH + j], &sigma[i * WIDTH + j]);
            predict(models[n], &data, &NIM_PREDICTION(.probabilities = stated));
            all_close(TEST * CLASSES, missing, stated, 1e-10, "missing cell");
        }
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median of a column of the training rows' error bars. */
static double median_error(size_t j) {
    double column[TRAIN];
    for (size_t i = 0; i < TRAIN; i++)
        column[i] = world.train.sigma[i * WIDTH + j];
    qsort(column, TRAIN, sizeof *column, by_size);
    return 0.5 * (column[TRAIN / 2 - 1] + column[TRAIN / 2]);
}

/* A missing error bar is the training rows' median, times the geometric mean of the ratios of the
 * row's other error bars to their medians. */
static void test_missing_error(void **state) {
    (void)state;
    double sigma[TEST * WIDTH], unknown[TEST * CLASSES], stated[TEST * CLASSES];
    nim_data data = as_data(&world.test);
    data.sigma = sigma;
    for (size_t j = 0; j < WIDTH; j++) {
        memcpy(sigma, world.test.sigma, sizeof sigma);
        for (size_t i = 0; i < TEST; i++)
            sigma[i * WIDTH + j] = NAN;
        predict(world.coarse, &data, &NIM_PREDICTION(.probabilities = unknown));
        for (size_t i = 0; i < TEST; i++) {
            double product = 1.0;
            for (size_t k = 0; k < WIDTH; k++)
                product *= k == j ? 1.0 : sigma[i * WIDTH + k] / median_error(k);
            sigma[i * WIDTH + j] = median_error(j) * pow(product, 1.0 / (WIDTH - 1));
        }
        predict(world.coarse, &data, &NIM_PREDICTION(.probabilities = stated));
        all_close(TEST * CLASSES, unknown, stated, 1e-10, "missing error");
    }
}

/* ---------------------------------------------------------------- denoising ------------------- */

/* One attribute, three stripes of width 2, error bars of 0.8: the label has much information about
 * x. */
static void make_stripes(struct table *table, size_t rows) {
    table_create(table, rows, 1);
    random_uniform((struct random_key){33, 1}, 0, 0, rows, table->truth);
    random_normal((struct random_key){33, 2}, 0, 0, rows, table->x);
    for (size_t i = 0; i < rows; i++) {
        table->truth[i] = 6.0 * table->truth[i] - 3.0;
        table->labels[i] = (int32_t)((table->truth[i] + 3.0) / 2.0000001);
        table->sigma[i] = 0.8;
        table->x[i] = table->truth[i] + table->sigma[i] * table->x[i];
    }
}

static double distance(const struct table *table, const double *x) {
    double total = 0.0;
    for (size_t i = 0; i < table->rows; i++)
        total += pow(x[i] - table->truth[i], 2);
    return sqrt(total / (double)table->rows);
}

static void check_denoising(const char *input) {
    enum { ROWS = 300 }; /* more than the denoiser processes at a time */
    struct table table;
    double mean[ROWS], deviation[ROWS], within = 0.0;
    nim_error error;
    make_stripes(&table, ROWS);
    nim_model *model = train(&table, input, "300", NULL);
    nim_data data = as_data(&table);
    assert_int_equal(nim_model_denoise(model, &data, mean, deviation, &error), NIM_OK);
    double before = distance(&table, table.x), after = distance(&table, mean);
    if (!(after < 0.9 * before))
        print_error("%s: measured within %g of the truth, denoised within %g\n", input, before,
                    after);
    assert_true(after < 0.9 * before);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(deviation[i] > 0.0);
        within += fabs(mean[i] - table.truth[i]) < 2.0 * deviation[i];
    }
    assert_true(within > 0.8 * ROWS); /* 95 % if the error bars were perfect */
    nim_model_free(model);
    table_free(&table);
}

static void test_denoise(void **state) {
    (void)state;
    check_denoising("latent");
    check_denoising("amortised");
}

/* Models that do not infer inputs return the measurement and its error bar. */
static void test_denoise_measured(void **state) {
    (void)state;
    nim_model *models[] = {world.exact, world.first_order};
    nim_data data = as_data(&world.train);
    double mean[TRAIN * WIDTH], deviation[TRAIN * WIDTH];
    nim_error error;
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(nim_model_denoise(models[n], &data, mean, deviation, &error), NIM_OK);
        for (size_t i = 0; i < TRAIN * WIDTH; i++) {
            double unit = i % WIDTH ? 1e-6 : 40.0;
            close_to(mean[i], world.train.x[i], 1e-14L * unit, "measurement");
            close_to(deviation[i], world.train.sigma[i], 1e-14L * unit, "error bar");
        }
    }
}

/* ---------------------------------------------------------------- portions -------------------- */

/* Row by row, in two parts or at once: the same bits. */
static void test_portions(void **state) {
    (void)state;
    nim_model *models[] = {world.coarse, world.first_order, world.exact};
    static const size_t part[] = {1, 7, 64, 97};
    double *whole = doubles(TRAIN * CLASSES), *pieces = doubles(TRAIN * CLASSES);
    for (size_t n = 0; n < 3; n++)
        for (size_t k = 0; k < 4; k++) {
            nim_data data = as_data(&world.train);
            predict(models[n], &data, &NIM_PREDICTION(.probabilities = whole));
            for (size_t first = 0; first < TRAIN; first += part[k]) {
                nim_data piece = data;
                piece.rows = piece.sigma_rows = TRAIN - first < part[k] ? TRAIN - first : part[k];
                piece.x += first * WIDTH;
                piece.sigma += first * WIDTH;
                predict(models[n], &piece,
                        &NIM_PREDICTION(.probabilities = pieces + first * CLASSES));
            }
            assert_memory_equal(whole, pieces, TRAIN * CLASSES * sizeof *whole);
        }
    free(whole);
    free(pieces);
}

/* Stops at the given call; stores its arguments. */
struct stopper {
    size_t calls, last, rows_done, rows;
    pthread_t thread;
    bool elsewhere; /* was called in another thread */
};

static int count_down(const nim_progress *progress, void *context) {
    struct stopper *stopper = context;
    stopper->elsewhere = stopper->elsewhere || !pthread_equal(pthread_self(), stopper->thread);
    stopper->rows_done = progress->batch;
    stopper->rows = progress->batches;
    return ++stopper->calls == stopper->last;
}

static void stop_prediction(nim_predictor *predictor, const nim_data *data, size_t last,
                            size_t *rows_done) {
    nim_error error;
    double *answer = doubles(data->rows * data->attributes);
    for (size_t question = 0; question < 2; question++) {
        struct stopper stopper = {.last = last, .thread = pthread_self()};
        assert_int_equal(nim_predictor_set_progress(predictor, count_down, &stopper, &error),
                         NIM_OK);
        nim_status status =
            question ? nim_remeasure(predictor, data, answer, &error)
                     : nim_predict(predictor, data, &NIM_PREDICTION(.entropy = answer), &error);
        assert_int_equal(status, NIM_CANCELLED);
        assert_int_equal(stopper.calls, last);
        assert_int_equal(stopper.rows, data->rows);
        assert_false(stopper.elsewhere);
        *rows_done = stopper.rows_done;
        assert_true(stopper.rows_done < data->rows);
    }
    free(answer);
}

/* A long prediction ends when the progress function requests it, and the next one is not
 * affected. */
static void test_cancellation(void **state) {
    (void)state;
    enum { MANY = 400000 };
    nim_data few = as_data(&world.test), many = few;
    nim_predictor *predictor;
    nim_error error;
    size_t rows_done;
    double *x = doubles(MANY * WIDTH), *before = doubles(few.rows * CLASSES),
           *after = doubles(few.rows * CLASSES);
    many.rows = MANY;
    many.x = x;
    many.sigma_rows = 1;
    many.labels = NULL;
    const nim_prediction first = NIM_PREDICTION(.probabilities = before);
    const nim_prediction second = NIM_PREDICTION(.probabilities = after);
    assert_int_equal(nim_model_set_option(world.fine, "threads", "3", &error), NIM_OK);
    assert_int_equal(nim_predictor_create(world.fine, &predictor, &error), NIM_OK);
    assert_int_equal(nim_predict(predictor, &few, &first, &error), NIM_OK);
    stop_prediction(predictor, &many, 1, &rows_done);
    assert_int_equal(rows_done, 0);
    stop_prediction(predictor, &many, 2, &rows_done);
    assert_int_equal(nim_predictor_set_progress(predictor, NULL, NULL, &error), NIM_OK);
    assert_int_equal(nim_predict(predictor, &few, &second, &error), NIM_OK);
    assert_memory_equal(before, after, few.rows * CLASSES * sizeof *before);
    assert_int_equal(nim_predictor_set_progress(NULL, NULL, NULL, &error), NIM_INVALID_ARGUMENT);
    nim_predictor_free(predictor);
    nim_model_set_option(world.fine, "threads", "1", &error);
    free(x);
    free(before);
    free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_and_entropy),
        cmocka_unit_test(test_single_point),
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        /* These test numbers, in one thread, with the same code as the others. */
        cmocka_unit_test(test_against_draws),
        cmocka_unit_test(test_beats_draws),
#endif
        cmocka_unit_test(test_total_variance),
        cmocka_unit_test(test_less_certain),
        cmocka_unit_test(test_missing_cell),
        cmocka_unit_test(test_missing_error),
        cmocka_unit_test(test_denoise),
        cmocka_unit_test(test_denoise_measured),
        cmocka_unit_test(test_portions),
        cmocka_unit_test(test_cancellation),
    };
    return cmocka_run_group_tests(tests, create_world, free_world);
}
