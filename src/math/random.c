/* SPDX-License-Identifier: Apache-2.0 */
#include "math/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/simd.h"
#include "math/special.h"

#ifdef SIMD_AVX2
#include <immintrin.h>
#endif

/* Blocks are generated in batches, so that generation and transformation are separate loops. */
enum { NUMBERS_PER_BLOCK = 2, BATCH_BLOCKS = 64, BATCH = NUMBERS_PER_BLOCK * BATCH_BLOCKS };

/* Where a sequence begins: the Philox key and the counter words that do not number the blocks. */
struct sequence {
    uint32_t key[2], stream, row[2];
};

struct words {
    uint32_t w[4];
};

/* The constants of Philox4x32-10. */
#define ROUNDS 10
#define FACTOR0 UINT32_C(0xd2511f53)
#define FACTOR1 UINT32_C(0xcd9e8d57)
#define INCREMENT0 UINT32_C(0x9e3779b9)
#define INCREMENT1 UINT32_C(0xbb67ae85)

/* The finaliser of splitmix64: a bijection of 64-bit integers in which every bit affects all. */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static struct sequence sequence_of(struct random_key key, uint64_t step, uint64_t row) {
    uint64_t k = mix(mix(key.seed) + step);
    return (struct sequence){.key = {(uint32_t)k, (uint32_t)(k >> 32)},
                             .stream = key.stream,
                             .row = {(uint32_t)row, (uint32_t)(row >> 32)}};
}

/* Ten rounds of multiply, swap and xor; the key advances by fixed odd increments. */
SIMD_INLINE struct words philox(struct words c, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p = (uint64_t)c.w[0] * FACTOR0, q = (uint64_t)c.w[2] * FACTOR1;
        c = (struct words){{(uint32_t)(q >> 32) ^ c.w[1] ^ key0, (uint32_t)q,
                            (uint32_t)(p >> 32) ^ c.w[3] ^ key1, (uint32_t)p}};
        key0 += INCREMENT0;
        key1 += INCREMENT1;
    }
    return c;
}

/*
 * Four blocks at a time, each word in the low half of a 64-bit lane. The multiplication ignores the
 * high halves, so they may hold anything. Written with vector types because compilers do not
 * vectorise the scalar code in this way.
 */
#ifdef SIMD_AVX2
typedef uint64_t lanes __attribute__((vector_size(32)));

SIMD_AVX2_INLINE lanes multiply_low(lanes x, uint32_t factor) {
    return (lanes)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x((int64_t)factor));
}

SIMD_AVX2 static void generate_avx2(const struct sequence *s, uint32_t first, size_t blocks,
                                    uint64_t *a, uint64_t *b) {
    const lanes zero = {0}, low = zero + UINT32_MAX;
    for (size_t j = 0; j < blocks; j += 4) {
        lanes w0 = (lanes){0, 1, 2, 3} + (first + j), w1 = zero + s->stream;
        lanes w2 = zero + s->row[0], w3 = zero + s->row[1];
        uint32_t key0 = s->key[0], key1 = s->key[1];
        for (int round = 0; round < ROUNDS; round++) {
            lanes p = multiply_low(w0, FACTOR0), q = multiply_low(w2, FACTOR1);
            w0 = q >> 32 ^ w1 ^ (zero + key0), w1 = q;
            w2 = p >> 32 ^ w3 ^ (zero + key1), w3 = p;
            key0 += INCREMENT0;
            key1 += INCREMENT1;
        }
        w0 = w1 << 32 | (w0 & low), w2 = w3 << 32 | (w2 & low);
        memcpy(a + j, &w0, sizeof w0);
        memcpy(b + j, &w2, sizeof w2);
    }
}
#endif

/*
 * a[j], b[j] = the 64-bit halves of block first + j of the sequence. The buffers have room for
 * BATCH_BLOCKS, as up to three blocks more than asked for may be written.
 */
static void generate(const struct sequence *s, uint32_t first, size_t blocks,
                     uint64_t a[static BATCH_BLOCKS], uint64_t b[static BATCH_BLOCKS]) {
#ifdef SIMD_AVX2
    if (__builtin_cpu_supports("avx2")) {
        generate_avx2(s, first, blocks, a, b);
        return;
    }
#endif
    for (uint32_t j = 0; j < (uint32_t)blocks; j++) {
        struct words counter = {{first + j, s->stream, s->row[0], s->row[1]}};
        struct words out = philox(counter, s->key[0], s->key[1]);
        a[j] = (uint64_t)out.w[1] << 32 | out.w[0];
        b[j] = (uint64_t)out.w[3] << 32 | out.w[2];
    }
}

/* (k + 1/2) 2^-52 with k the top 52 bits, by way of the mantissa of a number in [1, 2). */
SIMD_INLINE double open_unit(uint64_t bits) {
    return double_of(bits >> 12 | 0x3ff0000000000000) - (1.0 - 0x1p-53);
}

SIMD_CLONES static void uniform_pairs(size_t blocks, const uint64_t *restrict a,
                                      const uint64_t *restrict b, double *restrict out) {
    for (size_t j = 0; j < blocks; j++) {
        out[2 * j] = open_unit(a[j]);
        out[2 * j + 1] = open_unit(b[j]);
    }
}

SIMD_CLONES static void radius_uniforms(size_t blocks, const uint64_t *restrict a,
                                        double *restrict u) {
    for (size_t j = 0; j < blocks; j++)
        u[j] = open_unit(a[j]);
}

/* sum_k c[k] x^k */
SIMD_INLINE double horner(const double *c, size_t count, double x) {
    double sum = c[count - 1];
    for (size_t k = count - 1; k > 0; k--)
        sum = sum * x + c[k - 1];
    return sum;
}

/* sin and cos of pi v / 2 for |v| <= 1/2; the tables are from tools/fit_mills.py. */
SIMD_INLINE void sincos_quarter(double v, double *sine, double *cosine) {
    static const double s[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be41p-1, 0x1.466bc677587f8p-4,
                               -0x1.32d2cce2e5b19p-8, 0x1.50782fda12d96p-13, -0x1.e30071afc3e59p-19,
                               0x1.e3f38399551bfp-25};
    static const double c[] = {-0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5ac0p-2,   -0x1.55d3c7e3cb241p-6,
                               0x1.e1f5068688d5bp-11, -0x1.a6d1eef479be1p-16, 0x1.f9ce245cada0bp-22,
                               -0x1.b2f3eb054afcdp-28};
    double v2 = v * v;
    *sine = v * horner(s, sizeof s / sizeof s[0], v2);
    *cosine = 1.0 + v2 * horner(c, sizeof c / sizeof c[0], v2);
}

/*
 * Box-Muller: radius sqrt(-2 log u) at a uniform angle. The top bits of b choose an angle within
 * 45 degrees of an axis, the two lowest bits, which the angle does not use, the axis and its sign.
 */
SIMD_CLONES static void normal_pairs(size_t blocks, const double *restrict log_u,
                                     const uint64_t *restrict b, double *restrict out) {
    for (size_t j = 0; j < blocks; j++) {
        double sine, cosine, radius = sqrt(-2.0 * log_u[j]);
        sincos_quarter(open_unit(b[j]) - 0.5, &sine, &cosine);
        uint64_t along = bits_of(radius * cosine) ^ (b[j] << 63), across = bits_of(radius * sine);
        uint64_t swap = (along ^ across) & (0 - (b[j] >> 1 & 1));
        out[2 * j] = double_of(along ^ swap);
        out[2 * j + 1] = double_of(across ^ swap);
    }
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* out: n numbers of the sequence, from its batches of bits. */
static void fill(struct random_key key, uint64_t step, uint64_t row, bool normal, size_t n,
                 double *out) {
    struct sequence s = sequence_of(key, step, row);
    uint64_t a[BATCH_BLOCKS], b[BATCH_BLOCKS];
    double u[BATCH_BLOCKS], x[BATCH];
    for (size_t i = 0; i < n; i += BATCH) {
        size_t count = smaller(n - i, BATCH), blocks = (count + 1) / NUMBERS_PER_BLOCK;
        generate(&s, (uint32_t)(i / NUMBERS_PER_BLOCK), blocks, a, b);
        if (normal) {
            radius_uniforms(blocks, a, u);
            log_array(blocks, u, u);
            normal_pairs(blocks, u, b, x);
        } else {
            uniform_pairs(blocks, a, b, x);
        }
        memcpy(out + i, x, count * sizeof *x);
    }
}

void random_uniform(struct random_key key, uint64_t step, uint64_t row, size_t n, double *out) {
    fill(key, step, row, false, n, out);
}

void random_normal(struct random_key key, uint64_t step, uint64_t row, size_t n, double *out) {
    fill(key, step, row, true, n, out);
}

/* floor(x y / 2^64), from the four products of 32-bit halves. */
static uint64_t high_product(uint64_t x, uint64_t y) {
    uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
    return x1 * y1 + (middle >> 32) + ((x0 * y1 + (uint32_t)middle) >> 32);
}

uint64_t random_below(struct random_key key, uint64_t step, uint64_t row, uint64_t bound) {
    struct sequence s = sequence_of(key, step, row);
    struct words w = philox((struct words){{0, s.stream, s.row[0], s.row[1]}}, s.key[0], s.key[1]);
    return high_product((uint64_t)w.w[1] << 32 | w.w[0], bound);
}

/* Fisher-Yates, "inside out": element i enters at a random place among the first i + 1. */
void random_permutation(struct random_key key, uint64_t step, size_t n, size_t *out) {
    struct sequence s = sequence_of(key, step, UINT64_MAX);
    uint64_t bits[2][BATCH_BLOCKS];
    for (size_t i = 0; i < n; i++) {
        size_t place = i % BATCH;
        if (place == 0) {
            size_t blocks = (smaller(n - i, BATCH) + 1) / NUMBERS_PER_BLOCK;
            generate(&s, (uint32_t)(i / NUMBERS_PER_BLOCK), blocks, bits[0], bits[1]);
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there is at least one block. */
        size_t j = (size_t)high_product(bits[place & 1][place / 2], i + 1);
        out[i] = i;
        out[i] = out[j];
        out[j] = i;
    }
}

void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    struct words c = {{counter[0], counter[1], counter[2], counter[3]}};
    c = philox(c, key[0], key[1]);
    memcpy(out, c.w, sizeof c.w);
}
