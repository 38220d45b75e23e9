/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regression with noisy inputs: four curves similar to a sine, 250 training and 1000 test rows, x
 * uniform in [-10, 10]. Each x has its own known error between 0.1 and 0.9; y has noise of 0.1,
 * which is learned.
 *
 *     regression [FIRST [SEEDS [ROWS]]]     prints a page in Markdown
 *
 * Each model predicts y for inputs measured as in training, and for exactly known inputs. "best"
 * uses the true curve and noise: p(y | x~) by integration over x.
 */
#define _POSIX_C_SOURCE 200809L
#include "fitted.h"
#include "generate/random.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_ROWS = 1000, CURVES = 4, METHODS = 5, LEVELS = 2, GRID = 4000 };

#define REACH 10.0
#define NOISE 0.1

static const char *const curve_name[CURVES] = {"sin x", "exp(-x/5) sin x", "tan(0.15 x) sin x",
                                               "0.2 x^2 tanh(cos x)"};
static const char *const method[METHODS] = {"exact", "first_order", "latent", "amortised", "best"};

static double curve(size_t which, double x) {
    switch (which) {
    case 0:
        return sin(x);
    case 1:
        return exp(-0.2 * x) * sin(x);
    case 2:
        return tan(0.15 * x) * sin(x);
    default:
        return 0.2 * x * x * tanh(cos(x));
    }
}

struct rows {
    size_t count;
    double *true_x, *x, *sigma, *y;
};

static struct rows draw_rows(size_t which, size_t count, uint64_t seed) {
    double *all = malloc(4 * count * sizeof *all);
    struct rows rows = {count, all, all + count, all + 2 * count, all + 3 * count};
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) {
        double x = REACH * (2.0 * next_uniform(&state) - 1.0);
        rows.true_x[i] = x;
        rows.sigma[i] = 0.05 + 0.45 * next_uniform(&state);
        rows.x[i] = x + rows.sigma[i] * next_normal(&state);
        rows.y[i] = curve(which, x) + NOISE * next_normal(&state);
    }
    return rows;
}

static nim_data table(const struct rows *rows, int exactly) {
    return NIM_DATA(.rows = rows->count, .attributes = 1, .x = exactly ? rows->true_x : rows->x,
                    .sigma = exactly ? NULL : rows->sigma, .sigma_rows = exactly ? 0 : rows->count,
                    .targets = rows->y, .outputs = 1);
}

/* How good predictions are: root mean square error, mean -log p(y), share within the 90 % interval,
 * [0] of measured and [1] of exact inputs. */
struct scores {
    double rmse[2], nll[2], covered[2], noise;
};

static void score_model(const nim_model *model, const struct rows *test, struct scores *scores) {
    static const double level[LEVELS] = {0.05, 0.95};
    double *mean = malloc(4 * TEST_ROWS * sizeof *mean), *quantile = mean + 2 * TEST_ROWS;
    for (int exactly = 0; exactly < 2; exactly++) {
        nim_data data = table(test, exactly);
        predicted(model, &data,
                  &NIM_PREDICTION(.mean = mean, .log_density = mean + TEST_ROWS, .levels = level,
                                  .level_count = LEVELS, .quantiles = quantile));
        double squares = 0.0;
        for (size_t i = 0; i < TEST_ROWS; i++) {
            double distance = mean[i] - test->y[i];
            squares += distance * distance / TEST_ROWS;
            scores->nll[exactly] -= mean[TEST_ROWS + i] / TEST_ROWS;
            scores->covered[exactly] +=
                (quantile[2 * i] <= test->y[i] && test->y[i] <= quantile[2 * i + 1]) /
                (double)TEST_ROWS;
        }
        scores->rmse[exactly] = sqrt(squares);
    }
    nim_error error;
    must(nim_model_get(model, "noise_deviation", &scores->noise, 1, NULL, &error), &error);
    free(mean);
}

/* log of the normal density, up to a constant that the caller knows. */
static double log_normal_of(double distance, double deviation) {
    return -0.5 * distance * distance / (deviation * deviation) - log(deviation);
}

/* What the best prediction scores: x given x~ is normal, cut off at the ends of the range. */
static void score_best(size_t which, const struct rows *test, struct scores *scores) {
    double squares[2] = {0.0, 0.0};
    const double root = 0.5 * log(2.0 * PI);
    for (size_t i = 0; i < TEST_ROWS; i++) {
        double weights = 0.0, mean = 0.0, density = 0.0, below = 0.0, above = 0.0;
        for (size_t k = 0; k < GRID; k++) {
            double x = REACH * (2.0 * ((double)k + 0.5) / GRID - 1.0), f = curve(which, x);
            double weight = exp(log_normal_of(test->x[i] - x, test->sigma[i]));
            weights += weight;
            mean += weight * f;
            density += weight * exp(log_normal_of(test->y[i] - f, NOISE) - root);
            below += weight * 0.5 * erfc((f - test->y[i]) / (NOISE * sqrt(2.0)));
        }
        above = below / weights;
        squares[0] += pow(mean / weights - test->y[i], 2) / TEST_ROWS;
        scores->nll[0] -= log(density / weights) / TEST_ROWS;
        scores->covered[0] += (above >= 0.05 && above <= 0.95) / (double)TEST_ROWS;
        double distance = test->y[i] - curve(which, test->true_x[i]);
        squares[1] += distance * distance / TEST_ROWS;
        scores->nll[1] -= (log_normal_of(distance, NOISE) - root) / TEST_ROWS;
        scores->covered[1] += (fabs(distance) <= 1.6448536 * NOISE) / (double)TEST_ROWS;
    }
    scores->rmse[0] = sqrt(squares[0]);
    scores->rmse[1] = sqrt(squares[1]);
    scores->noise = NOISE;
}

struct plan {
    size_t first, seeds, rows;
    struct scores *scores; /* curves x methods x seeds */
};

static void perform(void *context, size_t index) {
    struct plan *plan = context;
    size_t seed = index % plan->seeds, m = index / plan->seeds % METHODS;
    size_t which = index / plan->seeds / METHODS;
    uint64_t start = 1000003u * (plan->first + seed) + 17u * which;
    struct rows train = draw_rows(which, plan->rows, 2 * start);
    struct rows test = draw_rows(which, TEST_ROWS, 2 * start + 1);
    if (m == METHODS - 1)
        score_best(which, &test, &plan->scores[index]);
    else {
        char settings[96];
        snprintf(settings, sizeof settings, "likelihood=gaussian input=%s seed=%zu", method[m],
                 plan->first + seed);
        nim_data data = table(&train, 0);
        nim_model *model = fitted(&data, settings);
        score_model(model, &test, &plan->scores[index]);
        nim_model_free(model);
    }
    free(train.true_x);
    free(test.true_x);
}

static void print_table(const struct plan *plan) {
    printf("| curve | input | RMSE | NLL | within 90 %% | RMSE, exact x | NLL, exact x | within "
           "90 %%, exact x | noise of y |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t line = 0; line < CURVES * METHODS; line++) {
        struct scores mean = {0};
        for (size_t s = 0; s < plan->seeds; s++) {
            const struct scores *one = &plan->scores[line * plan->seeds + s];
            double share = 1.0 / (double)plan->seeds;
            for (int e = 0; e < 2; e++) {
                mean.rmse[e] += share * one->rmse[e];
                mean.nll[e] += share * one->nll[e];
                mean.covered[e] += share * one->covered[e];
            }
            mean.noise += share * one->noise;
        }
        printf("| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
               curve_name[line / METHODS], method[line % METHODS], mean.rmse[0], mean.nll[0],
               mean.covered[0], mean.rmse[1], mean.nll[1], mean.covered[1], mean.noise);
    }
}

int main(int count, char **argument) {
    static const char usage[] = "regression [FIRST [SEEDS [ROWS]]]";
    struct plan plan = {.first = number_argument(count, argument, 1, 1, usage),
                        .seeds = number_argument(count, argument, 2, 10, usage),
                        .rows = number_argument(count, argument, 3, 250, usage)};
    plan.scores = calloc(CURVES * METHODS * plan.seeds, sizeof *plan.scores);
    if (!plan.scores)
        return 1;
    run_all(CURVES * METHODS * plan.seeds, perform, &plan);
    printf(
        "# Regression with noisy inputs\n\n"
        "    build/release/experiments/regression %zu\n\n"
        "Written by this command (part of `make check-slow`): %zu data sets (seeds %zu to %zu) of "
        "%zu training and %d test rows for each curve, x uniform in [-10, 10]. Each x has its own "
        "known error between 0.05 and 0.5, y has noise of 0.1 that is learned. All options except "
        "likelihood and input have their defaults. Means over the data sets: first for test "
        "inputs measured as in training, then for test inputs known exactly. `best` is the "
        "prediction with the true curve and noise.\n\n",
        plan.first, plan.seeds, plan.first, plan.first + plan.seeds - 1, plan.rows, TEST_ROWS);
    print_table(&plan);
    free(plan.scores);
    return 0;
}
