/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's synthetic experiments compared with the Bayes optimum (generate/synthetic.h), with
 * the public API.
 *
 *     synthetic [--seeds 10] [--first 0] [--rows 1000] [--test 4000] [--inputs a,b] [--noises 0.25]
 *               [--modes given,learned] [--set option=value]... [--each] [--out FILE]
 *
 * Prints one line for each combination; --each also prints one for every problem; --out writes the
 * table to a file.
 */
#define _POSIX_C_SOURCE 200809L
#include "sample.h"
#include "nimgp.h"
#include "workers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 4096, MOST_SETTINGS = 32, CLASSES = 3 };

struct arguments {
    size_t seeds, first, rows, test_rows;
    const char *inputs, *noises, *modes, *out;
    const char *setting[MOST_SETTINGS];
    size_t settings;
    bool each;
};

/* One problem with one method, and what came of it. */
struct run {
    char input[24], mode[16];
    double noise;
    uint64_t seed;
    double nll, bayes, error, bayes_error, learned, bound, seconds;
    size_t epochs;
    nim_error failure;
};

struct plan {
    const struct arguments *arguments;
    struct run *run;
    size_t count;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Mean negative log probability of the labels, and the share of wrong first guesses. */
static void score(const double *p, const int32_t *labels, size_t rows, double *nll, double *error) {
    *nll = *error = 0.0;
    for (size_t i = 0; i < rows; i++) {
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            best = p[i * CLASSES + c] > p[i * CLASSES + best] ? c : best;
        *nll -= log(fmax(p[i * CLASSES + (size_t)labels[i]], 1e-300)) / (double)rows;
        *error += (best != (size_t)labels[i]) / (double)rows;
    }
}

static nim_options *options_for(const struct arguments *arguments, struct run *run) {
    nim_options *options = nim_options_create();
    char seed[32], name[64];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->seed);
    const char *fixed[][2] = {{"input", run->input},
                              {"noise", run->mode},
                              {"threads", "1"},
                              {"seed", seed},
                              {"classes", "3"}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (nim_options_set(options, fixed[i][0], fixed[i][1], &run->failure) != NIM_OK)
            return options;
    for (size_t i = 0; i < arguments->settings; i++) {
        const char *equals = strchr(arguments->setting[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - arguments->setting[i]),
                 arguments->setting[i]);
        if (nim_options_set(options, name, equals + 1, &run->failure) != NIM_OK)
            return options;
    }
    return options;
}

static nim_data table(const double *x, const int32_t *labels, size_t rows, const double *sigma) {
    return NIM_DATA(.rows = rows, .attributes = 2, .x = x, .sigma = sigma,
                    .sigma_rows = sigma ? 1 : 0, .labels = labels);
}

static void perform(const struct arguments *arguments, struct run *run) {
    struct synthetic_settings settings = synthetic_paper(run->seed);
    settings.noise = run->noise;
    struct sample problem = sample_create(&settings, arguments->rows, arguments->test_rows);
    double sigma[2] = {sqrt(run->noise), sqrt(run->noise)}, noise[2];
    const double *given = strcmp(run->mode, "given") == 0 ? sigma : NULL;
    nim_data train = table(problem.x, problem.labels, problem.rows, given);
    nim_data test = table(problem.test_x, NULL, problem.test_rows, given);
    double *p = malloc(problem.test_rows * CLASSES * sizeof *p);
    nim_options *options = options_for(arguments, run);
    nim_model *model = NULL;
    nim_predictor *predictor = NULL;
    double start = seconds();
    nim_status status = run->failure.status;
    if (status == NIM_OK)
        status = nim_model_create(options, &train, &model, &run->failure);
    if (status == NIM_OK)
        status = nim_model_train(model, &train, NULL, NULL, &run->failure);
    if (status == NIM_OK)
        status = nim_predictor_create(model, &predictor, &run->failure);
    run->seconds = seconds() - start;
    if (status == NIM_OK)
        status = nim_predict(predictor, &test, &NIM_PREDICTION(.probabilities = p), &run->failure);
    if (status == NIM_OK) {
        score(p, problem.test_labels, problem.test_rows, &run->nll, &run->error);
        score(problem.bayes, problem.test_labels, problem.test_rows, &run->bayes,
              &run->bayes_error);
        nim_model_get(model, "noise_variance", noise, 2, NULL, NULL);
        run->learned = 0.5 * (noise[0] + noise[1]);
        run->bound = nim_model_bound(model);
        run->epochs = nim_model_epochs(model);
    }
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
    free(p);
    sample_free(&problem);
}

static void perform_planned(void *context, size_t index) {
    const struct plan *plan = context;
    struct run *run = &plan->run[index];
    perform(plan->arguments, run);
    if (plan->arguments->each || run->failure.status != NIM_OK)
        fprintf(stderr,
                "%-12s %-8s V=%-5g seed %-3llu nll %.4f bayes %.4f excess %.4f learned %.3f "
                "bound %.1f epochs %zu %.1fs %s\n",
                run->input, run->mode, run->noise, (unsigned long long)run->seed, run->nll,
                run->bayes, run->nll - run->bayes, run->learned, run->bound, run->epochs,
                run->seconds, run->failure.message);
}

/* The next item of a comma-separated list. */
static bool next_item(const char **list, char *item, size_t size) {
    size_t length = strcspn(*list, ",");
    if (length == 0)
        return false;
    snprintf(item, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static size_t plan_runs(const struct arguments *arguments, struct run *run) {
    size_t count = 0;
    char mode[16], noise[16], input[24];
    for (const char *m = arguments->modes; next_item(&m, mode, sizeof mode);)
        for (const char *n = arguments->noises; next_item(&n, noise, sizeof noise);)
            for (const char *i = arguments->inputs; next_item(&i, input, sizeof input);)
                for (size_t s = 0; s < arguments->seeds && count < MOST_RUNS; s++) {
                    struct run *next = &run[count++];
                    *next = (struct run){.noise = atof(noise), .seed = arguments->first + s};
                    memcpy(next->input, input, sizeof input);
                    memcpy(next->mode, mode, sizeof mode);
                }
    return count;
}

static bool print_summary(FILE *file, const struct run *run, size_t seeds) {
    double nll = 0, bayes = 0, error = 0, learned = 0, worst = -INFINITY, epochs = 0;
    bool good = true;
    for (size_t s = 0; s < seeds; s++) {
        double share = 1.0 / (double)seeds;
        good = good && run[s].failure.status == NIM_OK;
        nll += run[s].nll * share;
        bayes += run[s].bayes * share;
        error += run[s].error * share;
        learned += run[s].learned * share;
        epochs += (double)run[s].epochs * share;
        worst = fmax(worst, run[s].nll - run[s].bayes);
    }
    fprintf(file, "| %-7s | %-4g | %-11s | %.4f | %.4f | %+.4f | %+.4f | %.4f | ", run->mode,
            run->noise, run->input, nll, bayes, nll - bayes, worst, error);
    if (strcmp(run->mode, "given") == 0)
        fprintf(file, "- | ");
    else
        fprintf(file, "%.3f | ", learned);
    fprintf(file, "%.0f |\n", epochs);
    return good;
}

static bool print_table(FILE *file, const struct plan *plan, size_t seeds) {
    bool good = true;
    fprintf(file, "| noise | V | input | NLL | Bayes NLL | excess | worst excess | error | "
                  "learned V | epochs |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < plan->count; i += seeds)
        good = print_summary(file, plan->run + i, seeds) && good;
    return good;
}

static bool write_results(const struct plan *plan) {
    const struct arguments *arguments = plan->arguments;
    FILE *file = fopen(arguments->out, "w");
    if (!file) {
        fprintf(stderr, "synthetic: cannot write %s\n", arguments->out);
        return false;
    }
    fprintf(
        file,
        "# Synthetic problems against the Bayes optimum\n\n"
        "Written by `make check-slow`: %zu problems (seeds %zu to %zu), 3 classes, 2 attributes, "
        "%zu training and %zu test rows, all options at their defaults. Excess is the mean test "
        "NLL minus that of the optimal classifier on the same rows; worst excess is the largest "
        "over the problems. No setting was chosen on these problems (docs/noise-learning.md lists "
        "those on which settings were chosen).\n\n",
        arguments->seeds, arguments->first, arguments->first + arguments->seeds - 1,
        arguments->rows, arguments->test_rows);
    print_table(file, plan, arguments->seeds);
    return fclose(file) == 0;
}

static struct arguments read_arguments(int count, char **argument) {
    struct arguments a = {.seeds = 10,
                          .rows = 1000,
                          .test_rows = 4000,
                          .inputs = "exact,latent,amortised,first_order",
                          .noises = "0.1,0.25,0.5",
                          .modes = "given,learned"};
    const struct {
        const char *name;
        const char **text;
        size_t *number;
    } known[] = {{"--seeds", NULL, &a.seeds},   {"--first", NULL, &a.first},
                 {"--rows", NULL, &a.rows},     {"--test", NULL, &a.test_rows},
                 {"--inputs", &a.inputs, NULL}, {"--noises", &a.noises, NULL},
                 {"--modes", &a.modes, NULL},   {"--out", &a.out, NULL}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (int i = 1; i < count; i++) {
        size_t k = 0;
        while (k < KNOWN && strcmp(argument[i], known[k].name) != 0)
            k++;
        if (strcmp(argument[i], "--each") == 0)
            a.each = true;
        else if (strcmp(argument[i], "--set") == 0 && i + 1 < count &&
                 strchr(argument[i + 1], '=') && a.settings < MOST_SETTINGS)
            a.setting[a.settings++] = argument[++i];
        else if (k < KNOWN && i + 1 < count && known[k].text)
            *known[k].text = argument[++i];
        else if (k < KNOWN && i + 1 < count)
            *known[k].number = (size_t)strtoull(argument[++i], NULL, 10);
        else {
            fprintf(stderr, "synthetic: unknown or incomplete argument %s\n", argument[i]);
            exit(1);
        }
    }
    return a;
}

int main(int count, char **argument) {
    struct arguments arguments = read_arguments(count, argument);
    struct plan plan = {.arguments = &arguments, .run = calloc(MOST_RUNS, sizeof(struct run))};
    if (!plan.run)
        return 1;
    plan.count = plan_runs(&arguments, plan.run);
    run_all(plan.count, perform_planned, &plan);
    bool good = print_table(stdout, &plan, arguments.seeds);
    if (arguments.out)
        good = write_results(&plan) && good;
    free(plan.run);
    return !good;
}
