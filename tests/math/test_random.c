/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "math/special.h"

/* All samples are deterministic: a bound of five standard errors either holds for good or not. */
enum { N = 200000 };

static const struct random_key key = {.seed = 20240229, .stream = 3};
static double sample[N], other[N];

/* The vectors published with Random123 for Philox4x32-10: zeros, ones, digits of pi. */
static void test_known_answers(void **state) {
    (void)state;
    const uint32_t vectors[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4];
        random_philox(vectors[i], vectors[i] + 4, out);
        assert_memory_equal(out, vectors[i] + 6, sizeof out);
    }
}

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* The documented layout of counter and key; also ties the vector generator to the scalar one. */
static void test_layout(void **state) {
    (void)state;
    const uint64_t step = 77, row = 0x123456789abcdef0, k = mix(mix(key.seed) + step);
    const uint32_t words[2] = {(uint32_t)k, (uint32_t)(k >> 32)};
    random_uniform(key, step, row, 1000, sample);
    for (uint32_t block = 0; block < 500; block++) {
        uint32_t counter[4] = {block, key.stream, (uint32_t)row, (uint32_t)(row >> 32)}, out[4];
        random_philox(counter, words, out);
        for (size_t half = 0; half < 2; half++) {
            uint64_t bits = (uint64_t)out[2 * half + 1] << 32 | out[2 * half];
            double expected = ((double)(bits >> 12) + 0.5) * 0x1p-52;
            assert_true(sample[2 * block + half] == expected);
        }
    }
}

static void check_prefix(void (*draw)(struct random_key, uint64_t, uint64_t, size_t, double *)) {
    const size_t lengths[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 127, 128, 129, 255, 256, 257, 1000};
    draw(key, 5, 9, 1024, sample);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i];
        other[n] = 42.0;
        draw(key, 5, 9, n, other);
        assert_memory_equal(other, sample, n * sizeof *other);
        assert_true(other[n] == 42.0);
    }
}

static void test_prefix(void **state) {
    (void)state;
    check_prefix(random_uniform);
    check_prefix(random_normal);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov statistic sqrt(N) sup |F_N - uniform|; above 1.95 with probability 1e-3. */
static double kolmogorov_smirnov(double *x) {
    double largest = 0.0;
    qsort(x, N, sizeof *x, ascending);
    for (size_t i = 0; i < N; i++) {
        largest = fmax(largest, fabs(x[i] - (double)i / N));
        largest = fmax(largest, fabs(x[i] - (double)(i + 1) / N));
    }
    return sqrt((double)N) * largest;
}

/* Chi-square of 256 equal cells, as a standard normal deviate. */
static double chi_square(const double *x) {
    double count[256] = {0}, sum = 0.0, expected = N / 256.0;
    for (size_t i = 0; i < N; i++)
        count[(size_t)(x[i] * 256.0)] += 1.0;
    for (size_t cell = 0; cell < 256; cell++)
        sum += (count[cell] - expected) * (count[cell] - expected) / expected;
    return (sum - 255.0) / sqrt(2.0 * 255.0);
}

static void test_uniform_distribution(void **state) {
    (void)state;
    random_uniform(key, 1, 2, N, sample);
    for (size_t i = 0; i < N; i++)
        assert_true(sample[i] > 0.0 && sample[i] < 1.0);
    assert_true(fabs(chi_square(sample)) < 4.0);
    assert_true(kolmogorov_smirnov(sample) < 1.95);
}

/* The first numbers of many rows must be as good as the numbers of one row. */
static void test_uniform_across_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < N; i++)
        random_uniform(key, 1, i, 1, &sample[i]);
    assert_true(fabs(chi_square(sample)) < 4.0);
    for (size_t i = 0; i < N; i++)
        random_uniform(key, i, 1, 1, &sample[i]);
    assert_true(fabs(chi_square(sample)) < 4.0);
}

static void test_normal_distribution(void **state) {
    (void)state;
    static double unused[N];
    double moment[5] = {0};
    random_normal(key, 1, 2, N, sample);
    for (size_t i = 0; i < N; i++)
        for (int k = 1; k <= 4; k++)
            moment[k] += pow(sample[i], k) / N;
    /* Standard errors: sqrt of 1, 2, 15 and 96 over N. */
    assert_true(fabs(moment[1]) < 5.0 * sqrt(1.0 / N));
    assert_true(fabs(moment[2] - 1.0) < 5.0 * sqrt(2.0 / N));
    assert_true(fabs(moment[3]) < 5.0 * sqrt(15.0 / N));
    assert_true(fabs(moment[4] - 3.0) < 5.0 * sqrt(96.0 / N));
    normal_cdf_array(N, sample, other, unused);
    assert_true(fabs(chi_square(other)) < 4.0);
    assert_true(kolmogorov_smirnov(other) < 1.95);
}

/* The tails: counts beyond 3 and 4 against their expectations 540 and 12.7. */
static void test_normal_tails(void **state) {
    (void)state;
    size_t beyond3 = 0, beyond4 = 0;
    random_normal(key, 8, 1, N, sample);
    for (size_t i = 0; i < N; i++) {
        beyond3 += fabs(sample[i]) > 3.0;
        beyond4 += fabs(sample[i]) > 4.0;
    }
    assert_in_range(beyond3, 540 - 116, 540 + 116);
    assert_in_range(beyond4, 2, 31);
}

/* Is the correlation of f(x[i]) and f(y[i]) within five standard errors of zero? */
static void check_uncorrelated(const double *x, const double *y, size_t n) {
    double linear = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) {
        linear += x[i] * y[i];
        square += (x[i] * x[i] - 1.0) * (y[i] * y[i] - 1.0);
    }
    assert_true(fabs(linear) < 5.0 * sqrt((double)n));
    assert_true(fabs(square) < 10.0 * sqrt((double)n));
}

static void test_independence(void **state) {
    (void)state;
    const struct random_key stream = {key.seed, key.stream + 1}, seed = {key.seed + 1, key.stream};
    random_normal(key, 10, 20, N, sample);
    for (size_t lag = 1; lag <= 5; lag++)
        check_uncorrelated(sample, sample + lag, N - lag);
    random_normal(key, 10, 21, N, other);
    check_uncorrelated(sample, other, N);
    random_normal(key, 11, 20, N, other);
    check_uncorrelated(sample, other, N);
    random_normal(key, 20, 10, N, other);
    check_uncorrelated(sample, other, N);
    random_normal(stream, 10, 20, N, other);
    check_uncorrelated(sample, other, N);
    random_normal(seed, 10, 20, N, other);
    check_uncorrelated(sample, other, N);
    random_normal(key, 10, 20 + (UINT64_C(1) << 32), N, other);
    check_uncorrelated(sample, other, N);
}

static void test_below(void **state) {
    (void)state;
    double count[10] = {0}, sum = 0.0;
    for (uint64_t row = 0; row < 50000; row++) {
        uint64_t draw = random_below(key, 0, row, 10);
        assert_true(draw < 10);
        count[draw] += 1.0;
    }
    for (size_t i = 0; i < 10; i++)
        sum += (count[i] - 5000.0) * (count[i] - 5000.0) / 5000.0;
    assert_true(sum < 27.9); /* chi-square with 9 degrees of freedom, probability 1e-3 */
    assert_int_equal(random_below(key, 0, 0, 0), 0);
    assert_int_equal(random_below(key, 0, 0, 1), 0);
}

/* For the full range 2^64 - 1 the multiply-shift returns the random bits, less one at most. */
static void test_below_large_bound(void **state) {
    (void)state;
    for (uint64_t row = 0; row < 100; row++) {
        uint64_t draw = random_below(key, 0, row, UINT64_MAX);
        double u;
        random_uniform(key, 0, row, 1, &u);
        assert_true(fabs((double)draw * 0x1p-64 - u) < 0x1p-51);
    }
}

static void test_permutation(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, 2, 3, 127, 128, 129, 1000};
    static size_t out[1001];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned char seen[1000] = {0};
        out[sizes[s]] = 12345;
        random_permutation(key, s, sizes[s], out);
        for (size_t i = 0; i < sizes[s]; i++) {
            assert_true(out[i] < sizes[s] && !seen[out[i]]);
            seen[out[i]] = 1;
        }
        assert_int_equal(out[sizes[s]], 12345);
    }
}

/* All 24 permutations of four elements are equally frequent. */
static void test_permutation_is_uniform(void **state) {
    (void)state;
    double count[256] = {0}, sum = 0.0, expected = 1000.0;
    size_t kinds = 0, out[4];
    for (uint64_t step = 0; step < 24000; step++) {
        random_permutation(key, step, 4, out);
        count[out[0] + 4 * out[1] + 16 * out[2] + 64 * out[3]] += 1.0;
    }
    for (size_t i = 0; i < 256; i++)
        if (count[i] > 0.0) {
            kinds++;
            sum += (count[i] - expected) * (count[i] - expected) / expected;
        }
    assert_int_equal(kinds, 24);
    assert_true(sum < 49.7); /* chi-square with 23 degrees of freedom, probability 1e-3 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_uniform_distribution),
        cmocka_unit_test(test_uniform_across_rows),
        cmocka_unit_test(test_normal_distribution),
        cmocka_unit_test(test_normal_tails),
        cmocka_unit_test(test_independence),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_below_large_bound),
        cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_permutation_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
