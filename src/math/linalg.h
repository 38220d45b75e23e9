/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Dense products and triangular factors of row-major double matrices.
 *
 * These functions do not allocate, have no state and start no threads. The caller passes
 * GEMM_SCRATCH doubles of 64-byte aligned scratch, one area per thread.
 *
 * An element of a product depends only on its row of op(A), its column of op(B), k, alpha and beta.
 * Its bits do not depend on its position in C or on m and n.
 */

#include <stddef.h>

/* The form of a factor: plain, transposed or, in gemm and gemm_lower only, packed beforehand
 * (gemm_pack, gemm_pack_left). */
enum form { PLAIN, TRANSPOSED, PACKED };

/* The largest block of op(A) that is packed at a time. Fuzz targets are compiled with smaller ones,
 * because clearing the scratch took a third of their time. */
#ifndef GEMM_HEIGHT
#define GEMM_HEIGHT 240
#define GEMM_DEPTH 264
#endif

/* Doubles of scratch for the packed panels of one product: a block of op(A) and 24 columns of
 * op(B), the most that a processor with AVX-512 takes at a time. */
#define GEMM_SCRATCH ((size_t)(GEMM_HEIGHT + 24) * GEMM_DEPTH)

/*
 * C (m x n) = alpha op(A) (m x k) op(B) (k x n) + beta C.
 * beta == 0 never reads C.  alpha == 0 still reads A and B, so their NaNs reach C.
 */
void gemm(enum form ta, enum form tb, size_t m, size_t n, size_t k, double alpha, const double *a,
          size_t lda, const double *b, size_t ldb, double beta, double *c, size_t ldc,
          double *scratch);

/*
 * A factor of several products can be packed once; the bits of the products are the same. The
 * stride of a packed factor is ignored. gemm_pack: op(B) (k x n). gemm_pack_left: A (m x k), times
 * alpha, which must then be 1 in the products, and with column p times weight[p] if there are
 * weights (k). packed: gemm_packed_size(n or m, k) doubles, 64-byte aligned. Size and content
 * depend on the processor.
 */
size_t gemm_packed_size(size_t n, size_t k);
void gemm_pack(enum form tb, size_t n, size_t k, const double *b, size_t ldb, double *packed);
void gemm_pack_left(size_t m, size_t k, double alpha, const double *a, size_t lda,
                    const double *weight, double *packed);

/*
 * The lower triangle of the n x n product above, diagonal included, with about half the work.
 * The strict upper triangle of C is neither read nor written.
 */
void gemm_lower(enum form ta, enum form tb, size_t n, size_t k, double alpha, const double *a,
                size_t lda, const double *b, size_t ldb, double beta, double *c, size_t ldc,
                double *scratch);

/*
 * C (m x n) = alpha op(L) (m x m) B (m x n) + beta C with L lower triangular and about half the
 * work of gemm.  The strict upper triangle of L is never read.  B and C must not overlap. A few
 * zeros next to the diagonal take part, so an infinity or NaN in a row of B may also reach up to
 * three rows of C that do not depend on it.
 */
void trmm_lower(enum form tl, size_t m, size_t n, double alpha, const double *l, size_t ldl,
                const double *b, size_t ldb, double beta, double *c, size_t ldc, double *scratch);

/*
 * The same in single precision, from the same source (real.h), with the same scratch. NAME_widening
 * adds up a block of k, at most 264 terms, in single precision, and the blocks in double precision.
 */
size_t gemm_packed_size_single(size_t n, size_t k);
void gemm_pack_single(enum form tb, size_t n, size_t k, const float *b, size_t ldb, float *packed);
void gemm_pack_left_single(size_t m, size_t k, float alpha, const float *a, size_t lda,
                           const float *weight, float *packed);
void gemm_single(enum form ta, enum form tb, size_t m, size_t n, size_t k, float alpha,
                 const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                 size_t ldc, float *scratch);
void gemm_lower_single(enum form ta, enum form tb, size_t n, size_t k, float alpha, const float *a,
                       size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc,
                       float *scratch);
void trmm_lower_single(enum form tl, size_t m, size_t n, float alpha, const float *l, size_t ldl,
                       const float *b, size_t ldb, float beta, float *c, size_t ldc,
                       float *scratch);
void gemm_widening(enum form ta, enum form tb, size_t m, size_t n, size_t k, float alpha,
                   const float *a, size_t lda, const float *b, size_t ldb, float beta, double *c,
                   size_t ldc, float *scratch);
void gemm_lower_widening(enum form ta, enum form tb, size_t n, size_t k, float alpha,
                         const float *a, size_t lda, const float *b, size_t ldb, float beta,
                         double *c, size_t ldc, float *scratch);

/* A (n x n): the upper triangle becomes the mirror image of the lower; A becomes A + A'. */
void mirror_lower(size_t n, double *a);
void add_transpose(size_t n, double *a);

/*
 * Replaces the symmetric A (n x n), of which only the lower triangle is read, by its lower Cholesky
 * factor with a strict upper triangle of zeros.  Returns 0, or the 1-based index of the first pivot
 * that is not positive or not finite; the content of A is then undefined.
 */
size_t cholesky(size_t n, double *a, size_t lda, double *scratch);

/*
 * out = inverse of the lower triangular L (n x n) with a strict upper triangle of zeros.  The
 * strict upper triangle of L is never read.  L and out must not overlap.
 */
void triangular_inverse(size_t n, const double *l, size_t ldl, double *out, size_t ldo,
                        double *scratch);
