/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products, Cholesky factor and triangular inverse against plain loops in long double. A sum of k
 * products in whatever order is off by at most (k + 4) epsilon times the sum of their sizes. Like
 * the products themselves this is compiled once more for single precision (test_linalg_single.c).
 *
 * The bits of an element are those of one chain of multiply-adds (`chain`). Both tests also run
 * with SIMD_NARROW, that is with the vectors of a processor without AVX-512. So vectors of either
 * size give the same bits.
 *
 * Every matrix lies in a larger area: GUARD numbers before and after it and what lies between the
 * end of a row and the start of the next must be untouched afterwards.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "math/linalg.h"
#include "math/real.h"
#include "math/simd.h"

#ifdef SINGLE
#define EPSILON FLT_EPSILON
#define FUSED fmaf
#else
#define EPSILON DBL_EPSILON
#define FUSED fma
#endif

enum { GUARD = 16 };

#define GUARD_VALUE ((real)12345.678)

struct matrix {
    size_t rows, columns, ld;
    real *area, *data;
};

static real *scratch;
static uint64_t random_state = 1;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static real random_number(void) {
    return (real)((double)(random_bits() >> 11) * 0x1p-52 - 1);
}

static size_t area_size(const struct matrix *x) {
    return x->rows * x->ld + 2 * GUARD;
}

static bool is_inside(const struct matrix *x, size_t place) {
    return place >= GUARD && place < GUARD + x->rows * x->ld &&
           (place - GUARD) % x->ld < x->columns;
}

/* Filled with `value`, its surroundings with GUARD_VALUE. */
static struct matrix matrix_of(size_t rows, size_t columns, size_t gap, real value) {
    struct matrix x = {rows, columns, columns + gap, NULL, NULL};
    x.area = malloc(area_size(&x) * sizeof *x.area);
    assert_non_null(x.area);
    x.data = x.area + GUARD;
    for (size_t i = 0; i < area_size(&x); i++)
        x.area[i] = is_inside(&x, i) ? value : GUARD_VALUE;
    return x;
}

static struct matrix random_matrix(size_t rows, size_t columns, size_t gap) {
    struct matrix x = matrix_of(rows, columns, gap, 0);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            x.data[i * x.ld + j] = random_number();
    return x;
}

static struct matrix copy_of(const struct matrix *x) {
    struct matrix copy = matrix_of(x->rows, x->columns, x->ld - x->columns, 0);
    memcpy(copy.area, x->area, area_size(x) * sizeof *x->area);
    return copy;
}

static real *at(const struct matrix *x, size_t i, size_t j) {
    return &x->data[i * x->ld + j];
}

static void set_upper(const struct matrix *x, real value) {
    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = i + 1; j < x->columns; j++)
            *at(x, i, j) = value;
}

/* Frees a matrix after checking its surroundings. */
static void done(struct matrix *x) {
    for (size_t place = 0; place < area_size(x); place++) {
        if (!is_inside(x, place) && x->area[place] != GUARD_VALUE)
            fail_msg("%zu x %zu: wrote outside, at %zu", x->rows, x->columns, place);
    }
    free(x->area);
}

static bool same_bits(real x, real y) {
    return memcmp(&x, &y, sizeof x) == 0;
}

/* ---- products ---- */

enum kind { FULL_PRODUCT, LOWER_PRODUCT, TRIANGULAR_PRODUCT };

struct shape {
    enum kind kind;
    enum form ta, tb;
    size_t m, n, k;
    real alpha, beta;
};

static struct matrix random_operand(enum form t, size_t rows, size_t columns) {
    const size_t gap = random_bits() % 6;
    return t == PLAIN ? random_matrix(rows, columns, gap) : random_matrix(columns, rows, gap);
}

static real element(enum form t, const struct matrix *x, size_t i, size_t j) {
    return t == PLAIN ? *at(x, i, j) : *at(x, j, i);
}

static void multiply(const struct shape *s, const struct matrix *a, const struct matrix *b,
                     const struct matrix *c) {
    switch (s->kind) {
    case FULL_PRODUCT:
        REAL(gemm)
        (s->ta, s->tb, s->m, s->n, s->k, s->alpha, a->data, a->ld, b->data, b->ld, s->beta, c->data,
         c->ld, scratch);
        break;
    case LOWER_PRODUCT:
        REAL(gemm_lower)
        (s->ta, s->tb, s->m, s->k, s->alpha, a->data, a->ld, b->data, b->ld, s->beta, c->data,
         c->ld, scratch);
        break;
    case TRIANGULAR_PRODUCT:
        REAL(trmm_lower)
        (s->ta, s->m, s->n, s->alpha, a->data, a->ld, b->data, b->ld, s->beta, c->data, c->ld,
         scratch);
        break;
    }
}

/* Is element (i, p) of op(A) part of the product? */
static bool takes_part(const struct shape *s, size_t i, size_t p) {
    return s->kind != TRIANGULAR_PRODUCT || (s->ta == PLAIN ? p <= i : p >= i);
}

/* Do products round a multiply-add once? (1 + e) (1 - e) - 1 is -e^2 then, otherwise 0. */
static bool products_fuse(void) {
    const real a[] = {-1, 1 + EPSILON}, b[] = {1, 1 - EPSILON};
    real c;
    REAL(gemm)(PLAIN, PLAIN, 1, 1, 2, 1, a, 2, b, 1, 0, &c, 1, scratch);
    return c != 0;
}

static bool fused; /* products_fuse() */

/* Blocks of k have this depth, the last one perhaps less. */
static size_t block_depth(size_t k) {
    enum { DEEPEST = 264, STEP = 4 };
    const size_t blocks = k ? (k + DEEPEST - 1) / DEEPEST : 1;
    return ((k + blocks - 1) / blocks + STEP - 1) / STEP * STEP;
}

/*
 * Element (i, j): in each block of k one chain of multiply-adds in ascending k, then the sum of the
 * blocks. What must not become part of a multiply-add is volatile.
 */
static real chain(const struct shape *s, const struct matrix *a, const struct matrix *b,
                  real before, size_t i, size_t j) {
    volatile real value = s->beta == 0 ? 0 : s->beta * before;
    const size_t depth = block_depth(s->k);
    for (size_t start = 0; start < s->k; start += depth) {
        real sum = 0;
        for (size_t p = start; p < s->k && p < start + depth; p++) {
            if (!takes_part(s, i, p))
                continue;
            const real x = s->alpha * element(s->ta, a, i, p), y = element(s->tb, b, p, j);
            volatile real product = x * y;
            sum = fused ? FUSED(x, y, sum) : sum + product;
        }
        value = value + sum;
    }
    return value;
}

static void check_element(const struct shape *s, const struct matrix *a, const struct matrix *b,
                          real before, real after, size_t i, size_t j) {
    long double sum = s->beta == 0 ? 0 : (long double)s->beta * before;
    long double size = fabsl(sum);
    for (size_t p = 0; p < s->k; p++) {
        if (!takes_part(s, i, p))
            continue;
        const long double term =
            (long double)s->alpha * element(s->ta, a, i, p) * element(s->tb, b, p, j);
        sum += term;
        size += fabsl(term);
    }
    const long double tolerance = ((long double)s->k + 4) * EPSILON * size;
    if (!(fabsl(after - sum) <= tolerance))
        fail_msg(
            "kind %d, %d %d, %zu x %zu x %zu, alpha %g, beta %g: (%zu, %zu) is %.17g, not %.17Lg",
            (int)s->kind, (int)s->ta, (int)s->tb, s->m, s->n, s->k, s->alpha, s->beta, i, j, after,
            sum);
    const real expected = chain(s, a, b, before, i, j);
    if (!same_bits(after, expected))
        fail_msg(
            "kind %d, %d %d, %zu x %zu x %zu, alpha %g, beta %g: (%zu, %zu) is %a, the chain %a",
            (int)s->kind, (int)s->ta, (int)s->tb, s->m, s->n, s->k, s->alpha, s->beta, i, j, after,
            expected);
}

static void check_product(const struct shape *s) {
    struct matrix a = random_operand(s->ta, s->m, s->k), b = random_operand(s->tb, s->k, s->n);
    struct matrix c = random_matrix(s->m, s->n, random_bits() % 6);
    if (s->beta == 0)
        for (size_t i = 0; i < s->m; i++)
            for (size_t j = 0; j < s->n; j++)
                *at(&c, i, j) = NAN;
    if (s->kind == TRIANGULAR_PRODUCT)
        set_upper(&a, NAN);
    if (s->kind == LOWER_PRODUCT)
        set_upper(&c, NAN);
    struct matrix before = copy_of(&c);
    multiply(s, &a, &b, &c);
    for (size_t i = 0; i < s->m; i++) {
        for (size_t j = 0; j < s->n; j++) {
            if (s->kind == LOWER_PRODUCT && j > i)
                assert_true(same_bits(*at(&c, i, j), *at(&before, i, j)));
            else
                check_element(s, &a, &b, *at(&before, i, j), *at(&c, i, j), i, j);
        }
    }
    done(&a), done(&b), done(&c), done(&before);
}

static const real factors[][2] = {{1, 0}, {1, 1}, {-1, 1}, {(real)0.3, -2.5}, {-2, 0}, {0, 0.5}};

/* The shape with each of the transpositions and factors. */
static void check_variants(enum kind kind, size_t m, size_t n, size_t k) {
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        for (int variant = 0; variant < (kind == TRIANGULAR_PRODUCT ? 2 : 4); variant++) {
            const struct shape shape = {kind,
                                        variant & 1 ? TRANSPOSED : PLAIN,
                                        variant & 2 ? TRANSPOSED : PLAIN,
                                        m,
                                        n,
                                        k,
                                        factors[f][0],
                                        factors[f][1]};
            check_product(&shape);
        }
    }
}

/* From zero and single numbers to parts of tiles and several tiles. */
static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 23, 29, 41};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_gemm(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < SIZES; j++)
            for (size_t p = 0; p < SIZES; p += 1 + (i + j) % 5)
                check_variants(FULL_PRODUCT, sizes[i], sizes[j], sizes[p]);
}

static void test_gemm_lower(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t p = 0; p < SIZES; p++)
            check_variants(LOWER_PRODUCT, sizes[i], sizes[i], sizes[p]);
}

static void test_trmm_lower(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < SIZES; j++)
            check_variants(TRIANGULAR_PRODUCT, sizes[i], sizes[j], sizes[i]);
}

/* Several blocks of rows and of k. */
static void test_large_products(void **state) {
    (void)state;
    check_variants(FULL_PRODUCT, 37, 53, 997);
    check_variants(FULL_PRODUCT, 557, 19, 31);
    check_variants(FULL_PRODUCT, 6, 211, 271);
    for (size_t n = 43; n < 100; n += 7)
        check_variants(FULL_PRODUCT, 5, n, 9);
    check_variants(LOWER_PRODUCT, 277, 277, 61);
    check_variants(LOWER_PRODUCT, 61, 61, 641);
    check_variants(TRIANGULAR_PRODUCT, 307, 13, 307);
    check_variants(TRIANGULAR_PRODUCT, 547, 5, 547);
}

/* ---- independence of the position ---- */

/*
 * Element (0, 0) of a product, and the same row and column at other places of larger products that
 * otherwise hold other numbers: all bits must agree.
 */
static void place_row(enum form t, const struct matrix *target, size_t i,
                      const struct matrix *row) {
    for (size_t p = 0; p < row->columns; p++)
        *(t == PLAIN ? at(target, i, p) : at(target, p, i)) = *at(row, 0, p);
}

static real placed_product(const struct shape *s, const struct matrix *row,
                           const struct matrix *column, real before, size_t i, size_t j) {
    struct matrix a = random_operand(s->ta, s->m, s->k), b = random_operand(s->tb, s->k, s->n);
    struct matrix c = random_matrix(s->m, s->n, random_bits() % 6);
    place_row(s->ta, &a, i, row);
    place_row(s->tb == PLAIN ? TRANSPOSED : PLAIN, &b, j, column);
    *at(&c, i, j) = before;
    multiply(s, &a, &b, &c);
    const real result = *at(&c, i, j);
    done(&a), done(&b), done(&c);
    return result;
}

static void check_positions(size_t k, real alpha, real beta) {
    struct matrix row = random_matrix(1, k, 0), column = random_matrix(1, k, 0);
    const real before = random_number();
    const struct shape single = {FULL_PRODUCT, PLAIN, PLAIN, 1, 1, k, alpha, beta};
    const real expected = placed_product(&single, &row, &column, before, 0, 0);
    for (int trial = 0; trial < 100; trial++) {
        struct shape s = {trial % 5 ? FULL_PRODUCT : LOWER_PRODUCT,
                          random_bits() & 1 ? TRANSPOSED : PLAIN,
                          random_bits() & 1 ? TRANSPOSED : PLAIN,
                          1 + random_bits() % (trial % 10 == 3 ? 300 : 40),
                          1 + random_bits() % 120,
                          k,
                          alpha,
                          beta};
        if (s.kind == LOWER_PRODUCT)
            s.n = s.m;
        const size_t i = random_bits() % s.m;
        const size_t j = random_bits() % (s.kind == LOWER_PRODUCT ? i + 1 : s.n);
        assert_true(same_bits(expected, placed_product(&s, &row, &column, before, i, j)));
    }
    done(&row), done(&column);
}

static void test_positions(void **state) {
    (void)state;
    static const size_t depths[] = {0, 1, 2, 3, 8, 17, 100, 264, 265, 784};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
            check_positions(depths[d], factors[f][0], factors[f][1]);
}

/* A column of B gives the same column of op(L) B at any place among any number of columns. */
static void check_triangular_positions(enum form tl, size_t m, real alpha, real beta) {
    struct matrix l = random_matrix(m, m, 1), column = random_matrix(m, 1, 0);
    struct matrix before = random_matrix(m, 1, 0), expected = copy_of(&before);
    set_upper(&l, NAN);
    const struct shape single = {TRIANGULAR_PRODUCT, tl, PLAIN, m, 1, m, alpha, beta};
    multiply(&single, &l, &column, &expected);
    for (size_t n = 1; n < 40; n += 1 + n / 7) {
        for (size_t j = 0; j < n; j++) {
            struct matrix b = random_matrix(m, n, 2), c = random_matrix(m, n, 3);
            for (size_t i = 0; i < m; i++) {
                *at(&b, i, j) = *at(&column, i, 0);
                *at(&c, i, j) = *at(&before, i, 0);
            }
            const struct shape shape = {TRIANGULAR_PRODUCT, tl, PLAIN, m, n, m, alpha, beta};
            multiply(&shape, &l, &b, &c);
            for (size_t i = 0; i < m; i++)
                assert_true(same_bits(*at(&c, i, j), *at(&expected, i, 0)));
            done(&b), done(&c);
        }
    }
    done(&l), done(&column), done(&before), done(&expected);
}

static void test_triangular_positions(void **state) {
    (void)state;
    static const size_t orders[] = {1, 6, 50, 283};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        check_triangular_positions(PLAIN, orders[o], 1, 0);
        check_triangular_positions(TRANSPOSED, orders[o], (real)-0.7, (real)1.3);
    }
}

#ifndef SINGLE
/* ---- factors ---- */

static const size_t orders[] = {0, 1, 2, 3, 5, 10, 16, 23, 24, 25, 31, 48, 49, 57, 100, 211, 400};

enum { ORDERS = sizeof orders / sizeof *orders };

/* Positive definite, its strict upper triangle NaN. */
static struct matrix random_covariance(size_t n, size_t gap) {
    struct matrix g = random_matrix(n, n, 0), a = matrix_of(n, n, gap, NAN);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            real sum = i == j ? 0.1 : 0;
            for (size_t p = 0; p < n; p++)
                sum += *at(&g, i, p) * *at(&g, j, p);
            *at(&a, i, j) = sum;
        }
    }
    done(&g);
    return a;
}

static void test_cholesky(void **state) {
    (void)state;
    for (size_t o = 0; o < ORDERS; o++) {
        const size_t n = orders[o];
        struct matrix a = random_covariance(n, o % 4), l = copy_of(&a);
        assert_int_equal(cholesky(n, l.data, l.ld, scratch), 0);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                long double sum = 0, size = 0;
                for (size_t p = 0; p <= j; p++) {
                    sum += (long double)*at(&l, i, p) * *at(&l, j, p);
                    size += fabsl((long double)*at(&l, i, p) * *at(&l, j, p));
                }
                assert_true(fabsl(sum - *at(&a, i, j)) <= ((long double)n + 8) * EPSILON * size);
            }
            for (size_t j = i + 1; j < n; j++)
                assert_true(same_bits(*at(&l, i, j), 0));
        }
        done(&a), done(&l);
    }
}

/* A pivot made zero, negative, infinite or NaN, in the first, an inner and the last block. */
static void test_cholesky_failure(void **state) {
    (void)state;
    static const size_t places[] = {0, 1, 15, 23, 24, 30, 47, 48, 71, 82};
    static const real bad[] = {0, -1, INFINITY, -INFINITY, NAN};
    const size_t n = 83;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            struct matrix a = random_covariance(n, 3);
            *at(&a, places[p], places[p]) = bad[b];
            assert_int_equal(cholesky(n, a.data, a.ld, scratch), places[p] + 1);
            done(&a);
        }
    }
}

/* L times the inverse is the identity within the error bound of substitution. */
static void test_triangular_inverse(void **state) {
    (void)state;
    for (size_t o = 0; o < ORDERS; o++) {
        const size_t n = orders[o];
        struct matrix l = random_matrix(n, n, o % 3), x = matrix_of(n, n, o % 5, NAN);
        for (size_t i = 0; i < n; i++)
            *at(&l, i, i) = (2 + random_number()) * sqrt((real)n);
        set_upper(&l, NAN);
        triangular_inverse(n, l.data, l.ld, x.data, x.ld, scratch);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                long double sum = i == j ? -1 : 0, size = 1;
                for (size_t p = j; p <= i; p++) {
                    sum += (long double)*at(&l, i, p) * *at(&x, p, j);
                    size += fabsl((long double)*at(&l, i, p) * *at(&x, p, j));
                }
                assert_true(fabsl(sum) <= ((long double)n + 8) * EPSILON * size);
            }
            for (size_t j = i + 1; j < n; j++)
                assert_true(same_bits(*at(&x, i, j), 0));
        }
        done(&l), done(&x);
    }
}
#endif

#if SIMD_HAS_CLONES
/* Does this build fuse where it may? Without optimisation GCC does not. */
__attribute__((target("fma"))) static bool build_fuses(void) {
    const volatile real x = 1 + EPSILON, y = 1 - EPSILON, z = -1;
    return x * y + z != 0;
}

/* Chains are the same for vectors of either size only if both fuse or neither does. */
static void test_fused(void **state) {
    (void)state;
    if (!__builtin_cpu_supports("fma"))
        skip();
    assert_int_equal(fused, build_fuses());
}
#endif

/* Not a law: says which vectors the other tests use, and is skipped if wide ones are missing. */
static void test_wide(void **state) {
    (void)state;
    print_message("products have %s vectors\n", simd_is_wide_and_fuses() ? "wide" : "narrow");
    if (!SIMD_NARROW && !simd_is_wide_and_fuses()) {
        print_message(
            "NO AVX-512 HERE OR NOT IN THIS BUILD: products with wide vectors are not tested\n");
        skip();
    }
}

static int allocate_scratch(void **state) {
    (void)state;
    scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof(double));
    if (!scratch)
        return -1;
    /* Its content must not matter. */
    for (size_t i = 0; i < GEMM_SCRATCH * sizeof(double) / sizeof *scratch; i++)
        scratch[i] = NAN;
    fused = products_fuse();
    return 0;
}

static int free_scratch(void **state) {
    (void)state;
    free(scratch);
    return 0;
}

/* Factors packed in advance give the same bits as those packed during the product. */
static void check_packed(enum form tb, size_t m, size_t n, size_t k) {
    size_t ldb = tb == TRANSPOSED ? k : n;
    real *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
    real *weight = malloc(k * sizeof *weight), *weighted = malloc(m * k * sizeof *weighted);
    real *one = malloc(m * n * sizeof *one), *two = malloc(m * n * sizeof *two);
    real *left = aligned_alloc(64, (REAL(gemm_packed_size)(m, k) * sizeof(real) + 63) / 64 * 64);
    real *right = aligned_alloc(64, (REAL(gemm_packed_size)(n, k) * sizeof(real) + 63) / 64 * 64);
    for (size_t i = 0; i < k * n; i++)
        b[i] = random_number();
    for (size_t i = 0; i < k; i++)
        weight[i] = random_number();
    for (size_t i = 0; i < m * k; i++) {
        a[i] = random_number();
        weighted[i] = a[i] * weight[i % k];
    }
    REAL(gemm)(PLAIN, tb, m, n, k, -2.0, weighted, k, b, ldb, 0.0, one, n, scratch);
    REAL(gemm_pack)(tb, n, k, b, ldb, right);
    REAL(gemm_pack_left)(m, k, -2.0, a, k, weight, left);
    REAL(gemm)(PLAIN, PACKED, m, n, k, -2.0, weighted, k, right, 0, 0.0, two, n, scratch);
    assert_memory_equal(one, two, m * n * sizeof *one);
    REAL(gemm)(PACKED, tb, m, n, k, 1.0, left, 0, b, ldb, 0.0, two, n, scratch);
    assert_memory_equal(one, two, m * n * sizeof *one);
    REAL(gemm)(PACKED, PACKED, m, n, k, 1.0, left, 0, right, 0, 0.0, two, n, scratch);
    assert_memory_equal(one, two, m * n * sizeof *one);
    REAL(gemm_pack_left)(m, k, -2.0, weighted, k, NULL, left);
    REAL(gemm)(PACKED, PACKED, m, n, k, 1.0, left, 0, right, 0, 0.0, two, n, scratch);
    assert_memory_equal(one, two, m * n * sizeof *one);
    free(right);
    free(left);
    free(two);
    free(one);
    free(weighted);
    free(weight);
    free(b);
    free(a);
}

static void test_packed_factors(void **state) {
    (void)state;
    static const size_t size[][3] = {{1, 1, 1},       {4, 12, 3}, {7, 13, 600},
                                     {100, 200, 784}, {9, 4, 2},  {523, 30, 290}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        check_packed(PLAIN, size[i][0], size[i][1], size[i][2]);
        check_packed(TRANSPOSED, size[i][0], size[i][1], size[i][2]);
    }
}

#ifndef SINGLE
static void test_mirror_images(void **state) {
    (void)state;
    enum { MOST = 41 };
    real before[MOST * MOST], mirrored[MOST * MOST], added[MOST * MOST];
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n * n; i++)
            before[i] = mirrored[i] = added[i] = random_number();
        mirror_lower(n, mirrored);
        add_transpose(n, added);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                size_t below = i > j ? i * n + j : j * n + i;
                assert_true(mirrored[i * n + j] == before[below]);
                assert_true(added[i * n + j] == before[i * n + j] + before[j * n + i]);
            }
    }
}
#else
/* One block of k of a widening product has the bits of the product of floats; several are added up
 * as doubles. */
static void check_widening(enum form ta, enum form tb, size_t m, size_t n, size_t k) {
    enum { MOST = 500 };
    struct matrix a = random_operand(ta, m, k), b = random_operand(tb, k, n);
    struct matrix part = matrix_of(m, n, 0, 0);
    double sum[MOST], found[MOST];
    assert_true(m * n <= MOST);
    for (size_t i = 0; i < m * n; i++)
        sum[i] = found[i] = (double)random_number();
    const size_t depth = block_depth(k);
    for (size_t start = 0; start < k; start += depth) {
        const size_t end = start + depth < k ? start + depth : k;
        const float *from_a = a.data + (ta == PLAIN ? start : start * a.ld);
        const float *from_b = b.data + (tb == PLAIN ? start * b.ld : start);
        gemm_single(ta, tb, m, n, end - start, -1.5f, from_a, a.ld, from_b, b.ld, 0.0f, part.data,
                    part.ld, scratch);
        for (size_t i = 0; i < m * n; i++)
            sum[i] += (double)part.data[i];
    }
    gemm_widening(ta, tb, m, n, k, -1.5f, a.data, a.ld, b.data, b.ld, 1.0f, found, n, scratch);
    assert_memory_equal(sum, found, m * n * sizeof *sum);
    done(&a), done(&b), done(&part);
}

static void test_widening(void **state) {
    (void)state;
    static const size_t size[][3] = {{1, 1, 1},    {4, 24, 3},   {7, 29, 264},
                                     {9, 47, 265}, {13, 8, 997}, {5, 99, 270}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int form = 0; form < 4; form++)
            check_widening(form & 1 ? TRANSPOSED : PLAIN, form & 2 ? TRANSPOSED : PLAIN, size[i][0],
                           size[i][1], size[i][2]);
}

/* The lower triangle is that of the full product, and the upper one is unchanged. */
static void test_lower_widening(void **state) {
    (void)state;
    for (size_t n = 1; n <= 61; n += 4) {
        struct matrix a = random_matrix(n, 300, 0), b = random_matrix(n, 300, 1);
        double *whole = calloc(n * n, sizeof *whole), *lower = calloc(n * n, sizeof *lower);
        gemm_widening(PLAIN, TRANSPOSED, n, n, 300, 1.0f, a.data, a.ld, b.data, b.ld, 0.0f, whole,
                      n, scratch);
        gemm_lower_widening(PLAIN, TRANSPOSED, n, 300, 1.0f, a.data, a.ld, b.data, b.ld, 0.0f,
                            lower, n, scratch);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                assert_true(lower[i * n + j] == (j <= i ? whole[i * n + j] : 0.0));
        done(&a), done(&b);
        free(lower);
        free(whole);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
#if SIMD_HAS_CLONES
        cmocka_unit_test(test_fused),
#endif
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_gemm_lower),
        cmocka_unit_test(test_trmm_lower),
        cmocka_unit_test(test_large_products),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_triangular_positions),
        cmocka_unit_test(test_packed_factors),
#ifndef SINGLE
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_cholesky_failure),
        cmocka_unit_test(test_triangular_inverse),
        cmocka_unit_test(test_mirror_images),
#else
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_lower_widening),
#endif
    };
    return cmocka_run_group_tests(tests, allocate_scratch, free_scratch);
}
