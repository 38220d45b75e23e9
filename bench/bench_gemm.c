/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our products compared with OpenBLAS on one thread, at the shapes of a training step, measured
 * alternately so that other work on the machine affects both. Median Gflop/s.
 */
#include "math/linalg.h"
#include "math/random.h"
#include "peak.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 101 };

struct product {
    const char *what;
    enum form ta, tb;
    size_t m, n, k;
};

static const struct product products[] = {
    {"Z X'", PLAIN, TRANSPOSED, 100, 200, 784},      {"gamma X", PLAIN, PLAIN, 100, 784, 200},
    {"gamma' Z", TRANSPOSED, PLAIN, 200, 784, 1000}, {"W A", PLAIN, PLAIN, 100, 100, 100},
    {"Z X', small", PLAIN, TRANSPOSED, 100, 100, 2}, {"W A, small", PLAIN, PLAIN, 10, 50, 10},
};

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void run_ours(const struct product *p, const double *a, const double *b, double *c,
                     double *scratch) {
    gemm(p->ta, p->tb, p->m, p->n, p->k, 1.0, a, p->ta == PLAIN ? p->k : p->m, b,
         p->tb == PLAIN ? p->n : p->k, 0.0, c, p->n, scratch);
}

static void run_theirs(const struct product *p, const double *a, const double *b, double *c) {
    cblas_dgemm(CblasRowMajor, p->ta == PLAIN ? CblasNoTrans : CblasTrans,
                p->tb == PLAIN ? CblasNoTrans : CblasTrans, (int)p->m, (int)p->n, (int)p->k, 1.0, a,
                (int)(p->ta == PLAIN ? p->k : p->m), b, (int)(p->tb == PLAIN ? p->n : p->k), 0.0, c,
                (int)p->n);
}

static void compare(const struct product *p, double *scratch) {
    double *a = malloc(p->m * p->k * sizeof *a), *b = malloc(p->k * p->n * sizeof *b);
    double *c = malloc(p->m * p->n * sizeof *c), rate[2][TURNS];
    double flops = 2.0 * (double)p->m * (double)p->n * (double)p->k;
    int repeats = 1 + (int)(2e6 / flops);
    random_normal((struct random_key){1, 0}, 0, 0, p->m * p->k, a);
    random_normal((struct random_key){1, 1}, 0, 0, p->k * p->n, b);
    for (int turn = 0; turn < TURNS; turn++)
        for (int who = 0; who < 2; who++) {
            double start = now();
            for (int r = 0; r < repeats; r++)
                who == 0 ? run_ours(p, a, b, c, scratch) : run_theirs(p, a, b, c);
            rate[who][turn] = 1e-9 * flops * repeats / (now() - start);
        }
    qsort(rate[0], TURNS, sizeof(double), by_size);
    qsort(rate[1], TURNS, sizeof(double), by_size);
    printf("| %-11s | %4zu x %4zu x %4zu | %5.1f | %5.1f |\n", p->what, p->m, p->n, p->k,
           rate[0][TURNS / 2], rate[1][TURNS / 2]);
    free(c);
    free(b);
    free(a);
}

int main(void) {
    openblas_set_num_threads(1);
    double *scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof *scratch);
    printf("| product | m x n x k | ours, Gflop/s | OpenBLAS, Gflop/s |\n|---|---|---|---|\n");
    for (size_t i = 0; scratch && i < sizeof products / sizeof *products; i++)
        compare(&products[i], scratch);
    free(scratch);
    return 0;
}
