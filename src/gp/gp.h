/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One sparse Gaussian process: kernel, inducing inputs Z (M x d) and a whitened posterior over the
 * values there, u = L_K w with K_zz = L_K L_K' and q(w) = N(m, L L').
 *
 *     A    = L_K^-1 K_zx                     M x R, for R points x
 *     mean = A' m
 *     var  = k_xx + colsum(A o W A),         W = L L' - I
 *     KL   = 1/2 (|m|^2 + |L|_F^2 - M - 2 sum_i log L_ii)
 *
 * What depends on Z only (gp_factor) is computed once per step; the points are divided into tiles.
 * Each forward function is followed by its adjoint. Derivations: docs/derivations/gp.md.
 *
 * Products with points may be in single precision: matrices with a column for each point, and their
 * factors, are then floats. Everything else is double, including sums over points.
 * docs/derivations/single.md lists these products and explains why the accuracy is sufficient.
 */

#include "base/arena.h"
#include "kernel/kernel.h"

#include <stdbool.h>
#include <stddef.h>

/* A matrix of doubles or, in single precision, of floats. */
union gp_matrix {
    double *wide;
    float *narrow;
};

/* Allocates `count` numbers in an arena; the matrix from number i on. */
union gp_matrix gp_matrix_layout(bool single, size_t count, struct arena *arena);
union gp_matrix gp_matrix_from(bool single, union gp_matrix matrix, size_t i);

struct posterior_form; /* posterior_form.h */

struct gp_shape {
    const struct kernel *kernel; /* of T terms */
    unsigned degree;
    size_t inducing;                   /* M */
    size_t attributes;                 /* d */
    const struct posterior_form *form; /* of the posterior's free parameters */
};

/*
 * Positions of one function's free parameters in the flat vector, in this order. L is stored as the
 * rows of its lower triangle, with the logarithm of the diagonal. Other forms of the posterior
 * store something else in m and l.
 */
struct gp_parameters {
    double *log_variance;    /* T: log s2 */
    double *log_white;       /* 1: log s0^2 */
    double *log_lengthscale; /* T x d: log lambda */
    double *z;               /* M x d */
    double *m;               /* M */
    double *l;               /* M (M+1) / 2 */
};

static inline bool gp_is_distance(const struct gp_shape *shape, size_t term) {
    return shape->kernel->term[term]->argument == SQUARED_DISTANCE;
}

/* The factor of z' x / lambda^2 in t: -2 in |z - x|^2, 1 in a dot product. */
static inline double gp_sign(const struct gp_shape *shape, size_t term) {
    return gp_is_distance(shape, term) ? -2.0 : 1.0;
}

size_t gp_parameter_count(const struct gp_shape *shape);
struct gp_parameters gp_parameters_at(const struct gp_shape *shape, double *theta);

/* The stored form of L as the lower triangle of a matrix (M x M). */
void gp_unpack_root(size_t m, const double *packed, double *root);

/* ---------------------------------------------------------------- what depends on Z alone ----- */

/* One term of the kernel. */
struct gp_factor_term {
    double variance;              /* s2 */
    const double *inverse_square; /* d: 1 / lambda^2, see gp_scales */
    double *packed_z;             /* M x d: gp_sign Z / lambda^2 as left factor of products */
    union gp_matrix points_z;     /* the same, for products with points */
    union gp_matrix zq;           /* M x d: the same, not packed; or NULL */
    float *narrow_square;         /* d: inverse_square in single precision */
    double *z_norm;               /* M: sum_j z_j^2 / lambda_j^2 */
    double *k, *k_slope;          /* M x M: s2 g(t), s2 g'(t) */
};

struct gp_factor {
    bool single; /* so are products with points */
    struct gp_factor_term term[KERNEL_MOST_TERMS];
    double variance, white,
        jitter;                    /* sum of s2; s0^2; added to the diagonal in units of variance */
    double *k;                     /* M x M: the terms' sum, without the diagonal's noise */
    double *root, *inverse;        /* M x M: L_K and its inverse */
    double *l;                     /* M x M: L */
    double *m, *d_m;               /* M: m, and the gradient by it, if they are not stored */
    double *packed_w;              /* M x M: W = L L' - I as left factor of products */
    double kl;                     /* KL(q(w) || N(0, I)) */
    double *alpha;                 /* M: L_K^-T m, so that mean = K_xz alpha */
    double *work, *posterior_work; /* 2 x M x M; M x M: W, until the gradient is made */
    /* For products with points: the same as above unless they are in single precision. */
    union gp_matrix z;              /* M x d */
    union gp_matrix points_inverse; /* M x M */
    union gp_matrix points_w;       /* M x M, packed */
    float *narrow_l;                /* M x M: L */
    float *narrow_w, *narrow_gamma; /* M x M: scratch of single precision */
    double *z_row, *cross_row;      /* d: scratch */
    bool z_is_rounded; /* z.narrow is already that of the present Z: the caller knows, see below */
};

/* Writes 1 / lambda^2 of a function's terms to its rows of Q (C T x d). Must be called first. */
void gp_scales(const struct gp_shape *shape, const struct gp_parameters *theta, double *q);

/*
 * Up to this number of attributes, the products that lead to t are never in single precision. They
 * are small compared with others, and squared distances between close points far from the origin
 * would lose most digits.
 */
enum { GP_FEW_ATTRIBUTES = 32 };

/*
 * Up to this number of attributes, nor are the products of size M x M x M. Inducing inputs may then
 * be so close together that K_zz is nearly singular, and derivatives by it have L_K^-1 on both
 * sides.
 */
enum { GP_CLOSE_ATTRIBUTES = 8 };

static inline bool gp_has_few_attributes(const struct gp_shape *shape) {
    return shape->attributes <= GP_FEW_ATTRIBUTES;
}

/*
 * The function's rows of Q, and zq (T M x d), are in arrays of the caller, so that those of all
 * functions form one matrix. Only gp_points_backward uses zq; without it zq may be NULL.
 */
void gp_factor_layout(struct gp_factor *factor, const struct gp_shape *shape, bool single,
                      struct arena *arena, const double *q, union gp_matrix zq);

/*
 * Computes the part of the prior: all of `factor` except l, packed_w and kl. If K_zz is not
 * positive definite, the jitter is multiplied by ten, up to GP_JITTER_LIMIT, and stays at the new
 * value. False if that is not enough, or if a parameter is not finite.
 */
#define GP_JITTER_LIMIT 1e-2
bool gp_factor_prior(struct gp_factor *factor, const struct gp_shape *shape,
                     const struct gp_parameters *theta, double *scratch);

/* Computes the part of the posterior: l, packed_w and kl. The two may run at the same time unless
 * the posterior's form says `after_prior`. */
void gp_factor_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                         const struct gp_parameters *theta, double *scratch);

/*
 * Copies a factor to another process. gp_factor_send writes the numbers that points need; it must
 * be called before any gradient. gp_factor_receive makes a factor from these numbers and the
 * parameters. That factor can be used in gp_conditional, gp_slope and their adjoints, but not in
 * gp_gradient_prior and gp_gradient_posterior.
 */
size_t gp_factor_sent(const struct gp_shape *shape); /* how many */
void gp_factor_send(const struct gp_factor *factor, const struct gp_shape *shape, double *numbers);
void gp_factor_receive(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, const double *numbers);

/* m of q(w). */
const double *gp_mean(const struct gp_factor *factor, const struct gp_shape *shape,
                      const struct gp_parameters *theta);

/* ---------------------------------------------------------------- what depends on points ------ */

/*
 * Points: R x d. All functions use the same points, so x' (d x R) and, for the adjoint, x are
 * packed once as right factors of products (linalg.h). packed_transpose is NULL if packing does not
 * pay and, in single precision, if attributes are few. x_norm belongs to the function and has a row
 * for each term: sum_j x_j^2 / lambda_j^2.
 */
struct gp_points {
    size_t rows;
    const double *x;
    union gp_matrix packed_transpose, packed;
    const double *x_norm; /* T x R, rows norm_stride apart */
    size_t norm_stride;
};

/* x_norm (C T x R, rows `stride` apart) of all functions, from Q and the squares of x (R x d). */
void gp_norms(const struct gp_shape *shape, size_t functions, const double *q, size_t rows,
              const double *x_square, double *x_norm, size_t stride, double *scratch);

/* Its adjoint, to be called after the functions' own gradients: adds the part of d_norm (C T x R)
 * to the gradients by log lambda, for attributes first .. first+width-1. d_q (C T x d) is scratch.
 */
void gp_norms_backward(const struct gp_shape *shape, size_t functions, const double *q, size_t rows,
                       const double *x_square, const double *d_norm, size_t stride, size_t first,
                       size_t width, double *d_q, const struct gp_parameters *gradient,
                       double *scratch);

/* One term of a function's kernel at one tile of points. */
struct gp_tile_term {
    union gp_matrix k, k_slope, k_curvature; /* M x R; curvature: the first-order model's only */
    union gp_matrix gamma;                   /* M x R: d bound / d t */
    double *k_xx, *k_xx_slope;               /* R: the first term's k_xx includes the white noise */
    double *d_norm;                          /* R: d bound / d x_norm */
    /* The first-order model's: see slope.c. */
    union gp_matrix e, d_e; /* M x R */
    union gp_matrix
        slope;   /* R x d: the product behind d mean / d x; the first becomes the adjoint */
    double *rho; /* R */
};

/* One function at one tile of points. */
struct gp_tile {
    bool single;
    struct gp_tile_term term[KERNEL_MOST_TERMS];
    union gp_matrix k;    /* M x R: the terms' sum */
    union gp_matrix a, h; /* M x R: A and W A; h becomes dA */
    double *k_xx;         /* R: the terms' sum */
    double *t;            /* M x R: t of few attributes, in single precision; or NULL */
    double *slope_row;    /* d: scratch of the first-order model */
};

struct gp_tile_use {
    bool backward;    /* adjoints will be asked for */
    bool first_order; /* slopes too */
    bool single;      /* precision */
    bool whole;       /* all points are in one tile */
};

void gp_tile_layout(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                    struct gp_tile_use use, struct arena *arena);

/* gamma and d_norm are arrays of the caller, so that those of all functions form one matrix
 * (C T M x R and C T x R). Those of this function's terms start here, M `rows` and `stride` apart.
 */
void gp_tile_place(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                   union gp_matrix gamma, double *d_norm, size_t stride);

/* The contribution of points to a function's gradient, one per tile, summed over tiles in order. */
struct gp_totals_term {
    double *gamma_x;        /* M x d: gamma X, plus e d_slope with slopes */
    float *narrow_gamma_x;  /* the same, instead, if the sum is one product of floats; or NULL */
    double *row_sum;        /* M: sum_r gamma */
    double *inverse_square; /* d: d bound / d (1/lambda^2), through slopes; then Z's share too */
    double *variance;       /* 1: d bound / d log s2 */
};

struct gp_totals {
    struct gp_totals_term term[KERNEL_MOST_TERMS];
    double *a_a;     /* M x M: A diag(d_var) A', lower triangle */
    double *b;       /* M: d bound / d m from the likelihood, also through alpha */
    double *d_alpha; /* M */
    double *gamma_z; /* M x d: gamma_zz Z of one term after the other, once complete; or NULL */
    double *noise;   /* d: d bound / d (noise variance), through the slopes; or NULL */
    double *white;   /* 1: d bound / d s0^2 */
};

/* completes: this is the totals of a function's first tile, which is passed to gp_totals_complete.
 */
void gp_totals_layout(struct gp_totals *totals, const struct gp_shape *shape,
                      struct gp_tile_use use, bool completes, struct arena *arena);
void gp_totals_clear(struct gp_totals *totals, const struct gp_shape *shape);
void gp_totals_add(struct gp_totals *into, const struct gp_totals *from,
                   const struct gp_shape *shape);

/* The uncertainty of the points: a variance V for each attribute (R x d) or, if roots are given
 * (R x d x d, d at most GP_MOST_ROOT), covariances root root'. */
enum { GP_MOST_ROOT = 128 };
struct gp_blur {
    const double *noise, *root;
};

/* What is computed at a tile of points, in either precision. */
struct gp_arithmetic {
    /* mean and variance (R each). */
    void (*conditional)(const struct gp_factor *factor, const struct gp_shape *shape,
                        const struct gp_parameters *theta, const struct gp_points *points,
                        struct gp_tile *tile, double *mean, double *variance, double *scratch);

    /* Its adjoint: from d_mean and d_variance to `totals`, gamma and d_norm. Call gp_totals_clear
     * before it and, if slopes were used, slope_backward, which computes d_e and the matrix to
     * which gamma X is added. */
    void (*conditional_backward)(const struct gp_factor *factor, const struct gp_shape *shape,
                                 const struct gp_parameters *theta, const struct gp_points *points,
                                 struct gp_tile *tile, const double *d_mean,
                                 const double *d_variance, struct gp_totals *totals,
                                 double *scratch);

    /* d_x (R x width) = d bound / d x for attributes first .. first+width-1, summed over functions
     * and terms. gamma (C T M x R), zq (C T M x d), Q (C T x d) and d_norm (C T x R, `stride`
     * apart) are the matrices of all functions. */
    void (*points_backward)(const struct gp_shape *shape, size_t functions,
                            const struct gp_factor *factors, const struct gp_tile *tiles,
                            const struct gp_points *points, size_t stride, size_t first,
                            size_t width, double *d_x, double *scratch);
};

struct gp_slopes {
    /* First order: variance += sum_j V_j (d mean / d x_j)^2, or |root' d mean / d x|^2. */
    void (*slope)(const struct gp_factor *factor, const struct gp_shape *shape,
                  const struct gp_points *points, struct gp_tile *tile, struct gp_blur blur,
                  double *variance, double *scratch);

    /* Its adjoint. */
    void (*slope_backward)(const struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_points *points, struct gp_tile *tile,
                           struct gp_blur blur, const double *d_variance, struct gp_totals *totals,
                           double *scratch);
};

/* In conditional.c and slope.c, which are compiled twice (math/real.h). */
extern const struct gp_arithmetic gp_arithmetic, gp_arithmetic_single;
extern const struct gp_slopes gp_slopes, gp_slopes_single;

static inline const struct gp_arithmetic *gp_arithmetic_in(bool single) {
    return single ? &gp_arithmetic_single : &gp_arithmetic;
}

static inline const struct gp_slopes *gp_slopes_in(bool single) {
    return single ? &gp_slopes_single : &gp_slopes;
}

/*
 * Mean and variance for prediction, where the factor is fixed and points are many:
 *
 *     mean = K_xz alpha,   var = k_xx + colsum(K_zx o P K_zx),   P = L_K^-T W L_K^-1,
 *
 * a third of the work, because one triangle of the symmetric P is sufficient. The rounding error of
 * the variance is about 1e-16 over the noise of the diagonal, relative to the variance. If that
 * noise is below GP_LEAST_FOR_FORM of the variance, gp_form_make returns false and the form must
 * not be used.
 */
#define GP_LEAST_FOR_FORM 1e-7
struct gp_form {
    double *p; /* M x M: the lower triangle of P + P', its diagonal halved */
};
void gp_form_layout(struct gp_form *form, const struct gp_shape *shape, struct arena *arena);
bool gp_form_make(struct gp_form *form, const struct gp_factor *factor,
                  const struct gp_shape *shape, double *scratch);
void gp_form_conditional(const struct gp_form *form, const struct gp_factor *factor,
                         const struct gp_shape *shape, const struct gp_points *points,
                         struct gp_tile *tile, double *mean, double *variance, double *scratch);

/*
 * After all tiles are added up: the gradient of the bound by the kernel's parameters and Z, and by
 * m and L, including the KL. Call gp_totals_complete first; the other two may run at the same time,
 * but if the posterior's form says `after_prior` gp_gradient_posterior must be first.
 *
 * A taker, unless NULL, is called for each row of Z as soon as the gradient by it is complete, and
 * gradient->z is then not written in full. The taker may change the row.
 * In single precision z.narrow follows, so that Z need not be rounded in the next step if nobody
 * else has changed it.
 */
struct gp_z_taker {
    void (*take)(void *context, size_t row, const double *gradient); /* d */
    void *context;
};
void gp_totals_complete(const struct gp_factor *factor, const struct gp_shape *shape,
                        struct gp_totals *totals);
void gp_gradient_prior(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, struct gp_totals *totals,
                       const struct gp_parameters *gradient, const struct gp_z_taker *taker,
                       double *scratch);
void gp_gradient_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_parameters *theta, const struct gp_totals *totals,
                           const struct gp_parameters *gradient, double *scratch);
