/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares learned parameters with the true ones of simulated data: 2000 rows, x uniform in [-5,
 * 5], f(x) = 2 sin(1.2 x); learned are the size and tails of noise, thresholds, and the noise of
 * inputs.
 *
 *     recovery [FIRST [SEEDS [OPTIONS]]]     prints a page in Markdown
 *
 * With OPTIONS, such as "noise=learned input=marginal", only the rows with these options.
 */
#define _POSIX_C_SOURCE 200809L
#include "fitted.h"
#include "generate/random.h"
#include "workers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, LEVELS = 4, FREEDOM = 4, MOST_QUANTITIES = 3 };

#define SCALE 0.3
#define RATE 2.0
#define RATE_SHARE 0.5 /* of f in the log of the rate */
#define INPUT_VARIANCE 0.04

static const double threshold[LEVELS - 1] = {-1.5, 0.0, 2.0};

struct quantity {
    const char *name;
    double truth;
};

/* One kind of data with one method; what is to be found again. */
struct trial {
    const char *likelihood, *settings;
    double input_variance;
    struct quantity quantity[MOST_QUANTITIES];
};

#define LEARNED "noise=learned input="
static const struct trial trials[] = {
    {"gaussian", "input=exact", 0, {{"noise_deviation", SCALE}}},
    {"gaussian", "input=latent", INPUT_VARIANCE, {{"noise_deviation", SCALE}}},
    {"gaussian", "input=first_order", INPUT_VARIANCE, {{"noise_deviation", SCALE}}},
    {"student_t", "input=exact", 0, {{"scale", SCALE}, {"freedom", FREEDOM}}},
    {"student_t", "input=latent", INPUT_VARIANCE, {{"scale", SCALE}, {"freedom", FREEDOM}}},
    {"poisson", "input=exact", 0, {{"level", RATE}}},
    {"poisson", "input=latent", INPUT_VARIANCE, {{"level", RATE}}},
    {"ordinal", "input=exact", 0, {{"gap 1", 1.5}, {"gap 2", 2.0}, {"first", -1.5}}},
    {"ordinal", "input=latent", INPUT_VARIANCE, {{"gap 1", 1.5}, {"gap 2", 2.0}, {"first", -1.5}}},
    {"ordinal",
     "input=marginal",
     INPUT_VARIANCE,
     {{"gap 1", 1.5}, {"gap 2", 2.0}, {"first", -1.5}}},
    {"gaussian",
     LEARNED "first_order",
     INPUT_VARIANCE,
     {{"noise_variance", INPUT_VARIANCE}, {"noise_deviation", SCALE}}},
    {"gaussian",
     LEARNED "latent",
     INPUT_VARIANCE,
     {{"noise_variance", INPUT_VARIANCE}, {"noise_deviation", SCALE}}},
    {"ordinal", LEARNED "first_order", INPUT_VARIANCE, {{"noise_variance", INPUT_VARIANCE}}},
    {"ordinal", LEARNED "latent", INPUT_VARIANCE, {{"noise_variance", INPUT_VARIANCE}}},
    {"ordinal", LEARNED "marginal", INPUT_VARIANCE, {{"noise_variance", INPUT_VARIANCE}}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static double draw_t(uint64_t *state) {
    double squares = 0.0;
    for (int i = 0; i < FREEDOM; i++) {
        double z = next_normal(state);
        squares += z * z;
    }
    return next_normal(state) / sqrt(squares / FREEDOM);
}

static double draw_count(double rate, uint64_t *state) {
    double left = exp(-rate), product = next_uniform(state), count = 0.0;
    for (; product > left; count++)
        product *= next_uniform(state);
    return count;
}

struct rows {
    double x[ROWS], y[ROWS], f[ROWS];
    int32_t level[ROWS];
};

static void draw(const struct trial *trial, uint64_t seed, struct rows *rows) {
    uint64_t state = seed;
    for (size_t i = 0; i < ROWS; i++) {
        double x = 10.0 * next_uniform(&state) - 5.0, f = 2.0 * sin(1.2 * x);
        rows->f[i] = f;
        rows->x[i] = x + sqrt(trial->input_variance) * next_normal(&state);
        if (strcmp(trial->likelihood, "student_t") == 0)
            rows->y[i] = f + SCALE * draw_t(&state);
        else if (strcmp(trial->likelihood, "poisson") == 0)
            rows->y[i] = draw_count(RATE * exp(RATE_SHARE * f), &state);
        else
            rows->y[i] = f + SCALE * next_normal(&state);
        double shifted = f + next_normal(&state);
        rows->level[i] =
            (shifted > threshold[0]) + (shifted > threshold[1]) + (shifted > threshold[2]);
    }
}

static double mean_latent(const nim_model *model, const nim_data *data) {
    double *latent = malloc(ROWS * sizeof *latent), mean = 0.0;
    predicted(model, data, &NIM_PREDICTION(.latent_mean = latent));
    for (size_t i = 0; i < ROWS; i++)
        mean += latent[i] / ROWS;
    free(latent);
    return mean;
}

static double mean_true(const struct rows *rows) {
    double mean = 0.0;
    for (size_t i = 0; i < ROWS; i++)
        mean += rows->f[i] / ROWS;
    return mean;
}

/*
 * Thresholds and log rates are known up to a constant that f may take over, so they are told
 * relative to the mean of f: value - mean of the learned f + mean of the true f.
 */
static double found(const nim_model *model, const nim_data *data, const struct rows *rows,
                    const char *name) {
    double values[LEVELS];
    nim_error error;
    bool gap = strncmp(name, "gap", 3) == 0, first = strcmp(name, "first") == 0;
    bool level = strcmp(name, "level") == 0;
    const char *read = gap || first ? "thresholds" : level ? "base_rate" : name;
    must(nim_model_get(model, read, values, LEVELS, NULL, &error), &error);
    if (level)
        return values[0] * exp(mean_latent(model, data) - RATE_SHARE * mean_true(rows));
    if (first)
        return values[0] - mean_latent(model, data) + mean_true(rows);
    return gap ? values[name[4] - '0'] - values[name[4] - '1'] : values[0];
}

struct plan {
    size_t first, seeds;
    const char *only; /* options, or NULL for all trials */
    double *found;    /* trials x seeds x MOST_QUANTITIES */
};

static bool is_wanted(const struct plan *plan, const struct trial *trial) {
    return !plan->only || strcmp(trial->settings, plan->only) == 0;
}

static void perform(void *context, size_t index) {
    struct plan *plan = context;
    const struct trial *trial = &trials[index / plan->seeds];
    if (!is_wanted(plan, trial))
        return;
    size_t seed = plan->first + index % plan->seeds;
    struct rows *rows = malloc(sizeof *rows);
    double sigma = sqrt(trial->input_variance);
    bool given = trial->input_variance > 0.0 && !strstr(trial->settings, LEARNED);
    char settings[160];
    draw(trial, 7919u * seed + 13u, rows);
    snprintf(settings, sizeof settings, "likelihood=%s seed=%zu %s", trial->likelihood, seed,
             trial->settings);
    nim_data data =
        NIM_DATA(.rows = ROWS, .attributes = 1, .x = rows->x, .sigma = given ? &sigma : NULL,
                 .sigma_rows = given, .labels = rows->level, .targets = rows->y, .outputs = 1);
    nim_model *model = fitted(&data, settings);
    for (size_t q = 0; q < MOST_QUANTITIES && trial->quantity[q].name; q++)
        plan->found[index * MOST_QUANTITIES + q] =
            found(model, &data, rows, trial->quantity[q].name);
    nim_model_free(model);
    free(rows);
}

static void print_quantity(const struct plan *plan, size_t t, size_t q) {
    const struct quantity *quantity = &trials[t].quantity[q];
    double mean = 0.0, worst = 0.0;
    for (size_t s = 0; s < plan->seeds; s++) {
        double value = plan->found[(t * plan->seeds + s) * MOST_QUANTITIES + q];
        mean += value / (double)plan->seeds;
        worst = fmax(worst, fabs(value / quantity->truth - 1.0));
    }
    printf("| %s | %s | %s | %.3g | %.3g | %+.0f %% | %.0f %% |\n", trials[t].likelihood,
           trials[t].settings, quantity->name, quantity->truth, mean,
           100.0 * (mean / quantity->truth - 1.0), 100.0 * worst);
}

int main(int count, char **argument) {
    static const char usage[] = "recovery [FIRST [SEEDS [OPTIONS]]]";
    struct plan plan = {.first = number_argument(count, argument, 1, 1, usage),
                        .seeds = number_argument(count, argument, 2, 10, usage),
                        .only = count > 3 ? argument[3] : NULL};
    size_t wanted = 0;
    for (size_t t = 0; t < TRIALS; t++)
        wanted += is_wanted(&plan, &trials[t]);
    if (wanted == 0) {
        fprintf(stderr, "recovery: no row has the options '%s'\n", plan.only);
        return 2;
    }
    plan.found = calloc(TRIALS * plan.seeds * MOST_QUANTITIES, sizeof *plan.found);
    if (!plan.found)
        return 1;
    run_all(TRIALS * plan.seeds, perform, &plan);
    printf(
        "# Recovery of the true parameters\n\n"
        "    build/release/experiments/recovery %zu\n\n"
        "Written by this command (part of `make check-slow`): %zu data sets (seeds %zu to %zu) of "
        "%d rows, one attribute, f(x) = 2 sin(1.2 x). All options except those named have their "
        "defaults. If the input noise is not learned, it is given. Thresholds are given as the "
        "first threshold and the gaps between thresholds, rates as `level`. The first threshold "
        "and the level are relative to the mean of f, because f can absorb a constant.\n\n"
        "| likelihood | options | quantity | true | mean found | off by | worst data set |\n"
        "|---|---|---|---|---|---|---|\n",
        plan.first, plan.seeds, plan.first, plan.first + plan.seeds - 1, ROWS);
    for (size_t t = 0; t < TRIALS; t++)
        for (size_t q = 0; q < MOST_QUANTITIES && trials[t].quantity[q].name; q++)
            if (is_wanted(&plan, &trials[t]))
                print_quantity(&plan, t, q);
    free(plan.found);
    return 0;
}
