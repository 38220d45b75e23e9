/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COSINES = 1000, GRID = 400 };

#define HALF_WIDTH 2.5
#define VARIANCE 0.5
#define LAMBDA_SQUARE 2.0
#define PI 3.14159265358979323846

/* splitmix64: a generator of its own, so that the problems do not change with the library. */
static uint64_t next_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state) {
    return ((double)(next_bits(state) >> 12) + 0.5) * 0x1p-52;
}

static double normal(uint64_t *state) {
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(2.0 * PI * uniform(state));
}

static void *get(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* f_c(x) = sqrt(2 s2 / K) sum_k cos(w_ck . x + b_ck), w ~ N(0, 1/lambda^2): C x K x 3 numbers. */
static double *draw_functions(uint64_t *state, size_t classes) {
    double *function = get(classes * COSINES * 3, sizeof *function);
    for (size_t i = 0; i < classes * COSINES; i++) {
        function[3 * i] = normal(state) / sqrt(LAMBDA_SQUARE);
        function[3 * i + 1] = normal(state) / sqrt(LAMBDA_SQUARE);
        function[3 * i + 2] = 2.0 * PI * uniform(state);
    }
    return function;
}

static int32_t label_at(const double *function, size_t classes, const double *x) {
    int32_t best = 0;
    double most = -INFINITY;
    for (size_t c = 0; c < classes; c++) {
        double value = 0.0;
        const double *term = function + c * COSINES * 3;
        for (size_t k = 0; k < COSINES; k++, term += 3)
            value += cos(term[0] * x[0] + term[1] * x[1] + term[2]);
        if (value > most) {
            most = value;
            best = (int32_t)c;
        }
    }
    return best;
}

static double grid_point(size_t i) {
    return HALF_WIDTH * (2.0 * ((double)i + 0.5) / GRID - 1.0);
}

/* Weighs the labels of a fine grid by the density of the noise. */
static void optimal_probabilities(struct synthetic *problem, const double *function) {
    int32_t *label = get(GRID * GRID, sizeof *label);
    for (size_t i = 0; i < GRID; i++)
        for (size_t j = 0; j < GRID; j++)
            label[i * GRID + j] =
                label_at(function, problem->classes, (double[]){grid_point(i), grid_point(j)});
    for (size_t t = 0; t < problem->test_rows; t++) {
        double weight[2][GRID], total = 0.0, *p = problem->bayes + t * problem->classes;
        for (size_t a = 0; a < 2; a++)
            for (size_t i = 0; i < GRID; i++) {
                double distance = grid_point(i) - problem->test_x[2 * t + a];
                weight[a][i] = exp(-0.5 * distance * distance / problem->noise);
            }
        for (size_t i = 0; i < GRID; i++)
            for (size_t j = 0; j < GRID; j++) {
                p[label[i * GRID + j]] += weight[0][i] * weight[1][j];
                total += weight[0][i] * weight[1][j];
            }
        for (size_t c = 0; c < problem->classes; c++)
            p[c] /= total;
    }
    free(label);
}

static void draw_rows(uint64_t *state, const double *function, size_t classes, double noise,
                      size_t rows, double *clean, double *x, int32_t *labels) {
    for (size_t i = 0; i < rows; i++) {
        double point[2];
        for (size_t j = 0; j < 2; j++) {
            point[j] = HALF_WIDTH * (2.0 * uniform(state) - 1.0);
            x[2 * i + j] = point[j] + sqrt(noise) * normal(state);
            if (clean)
                clean[2 * i + j] = point[j];
        }
        labels[i] = label_at(function, classes, point);
    }
}

struct synthetic synthetic_create(uint64_t seed, size_t classes, size_t rows, size_t test_rows,
                                  double noise) {
    uint64_t state = seed * 0x632be59bd9b4e019u + 1;
    struct synthetic problem = {.classes = classes, .rows = rows, .test_rows = test_rows};
    problem.noise = noise;
    problem.x = get(rows * 2, sizeof(double));
    problem.clean = get(rows * 2, sizeof(double));
    problem.test_x = get(test_rows * 2, sizeof(double));
    problem.labels = get(rows, sizeof(int32_t));
    problem.test_labels = get(test_rows, sizeof(int32_t));
    problem.bayes = get(test_rows * classes, sizeof(double));
    double *function = draw_functions(&state, classes);
    draw_rows(&state, function, classes, noise, rows, problem.clean, problem.x, problem.labels);
    draw_rows(&state, function, classes, noise, test_rows, NULL, problem.test_x,
              problem.test_labels);
    optimal_probabilities(&problem, function);
    free(function);
    return problem;
}

void synthetic_free(struct synthetic *problem) {
    free(problem->x);
    free(problem->clean);
    free(problem->test_x);
    free(problem->labels);
    free(problem->test_labels);
    free(problem->bayes);
}
