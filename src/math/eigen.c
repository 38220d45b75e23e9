/* SPDX-License-Identifier: Apache-2.0 */
#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 60 };

#define SMALL 1e-15 /* an element, relative to the roots of its two diagonal ones */

/* (x, y) <- (c x - s y, s x + c y), elements `stride` apart. */
static void rotate(size_t n, double c, double s, double *x, double *y, size_t stride) {
    for (size_t i = 0; i < n; i++) {
        double first = x[i * stride], second = y[i * stride];
        x[i * stride] = c * first - s * second;
        y[i * stride] = s * first + c * second;
    }
}

/* Makes a_pq zero; whether it was not already. */
static int turn(size_t n, size_t p, size_t q, double *a, double *vector) {
    double off = a[p * n + q], first = a[p * n + p], second = a[q * n + q];
    if (!(fabs(off) > SMALL * sqrt(fabs(first * second))) || off == 0.0)
        return 0;
    double theta = 0.5 * (second - first) / off;
    double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    double c = 1.0 / hypot(1.0, t), s = t * c;
    rotate(n, c, s, a + p, a + q, n);
    rotate(n, c, s, a + p * n, a + q * n, 1);
    rotate(n, c, s, vector + p * n, vector + q * n, 1);
    return 1;
}

void symmetric_eigen(size_t n, double *a, double *value, double *vector) {
    int moved = 1;
    memset(vector, 0, n * n * sizeof *vector);
    for (size_t i = 0; i < n; i++)
        vector[i * n + i] = 1.0;
    for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
        moved = 0;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++)
                moved |= turn(n, p, q, a, vector);
    }
    for (size_t i = 0; i < n; i++)
        value[i] = a[i * n + i];
}
