/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the logarithm of a column is worth taking. */
#include "measure/judge.h"

#include "text/ascii.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A logarithm is worth it when it takes so much of the skewness away. Two values, such as flags,
 * are as skewed afterwards as before. */
#define MUCH_LESS 0.75

/* One value in a thousand that has no logarithm, and one in any case, is no obstacle where there
 * are more rows than these. More of them say something, and are kept as they are. */
enum { FEW_ROWS = 20 };

/* Third central moment over the deviation cubed; values in units of the largest, so that nothing
 * overflows. */
static double skewness(const double *value, size_t stride, size_t rows, bool logarithm,
                       double unit) {
    double count = 0.0, mean = 0.0, square = 0.0, cube = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < rows; i++) {
            double x = value[i * stride];
            if (isnan(x) || (logarithm && x <= 0.0))
                continue;
            x = logarithm ? log(x) : x / unit;
            double distance = x - mean;
            if (pass == 0) {
                count++;
                mean += (x - mean) / count;
            } else {
                square += distance * distance;
                cube += distance * distance * distance;
            }
        }
    }
    return square > 0.0 ? cube / count / pow(square / count, 1.5) : 0.0;
}

static bool is_skewed(const double *value, size_t stride, size_t count, size_t *nonpositive) {
    double largest = 0.0;
    *nonpositive = 0;
    for (size_t i = 0; i < count; i++) {
        double x = value[i * stride];
        *nonpositive += x <= 0.0;
        largest = x > largest ? x : largest;
    }
    if (!(largest > 0.0))
        return false; /* nothing there */
    double plain = skewness(value, stride, count, false, largest),
           log = skewness(value, stride, count, true, largest);
    return plain > 1.0 && fabs(log) < MUCH_LESS * plain;
}

static size_t spared(size_t count) {
    return count < FEW_ROWS ? 0 : 1 + count / 1000;
}

int nim_wants_log(const double *value, size_t stride, size_t count) {
    size_t nonpositive;
    return is_skewed(value, stride, count, &nonpositive) && nonpositive <= spared(count);
}

int nim_misses_log(const double *value, size_t stride, size_t count, size_t *nonpositive) {
    return is_skewed(value, stride, count, nonpositive) && *nonpositive > spared(count) &&
           *nonpositive < count / 2;
}

int nim_name_is_log(const char *name) {
    static const char *const words[] = {"log", "ln"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ascii_starts(name, words[i]) && !ascii_is_lower(name[strlen(words[i])]))
            return 1;
    return 0;
}
