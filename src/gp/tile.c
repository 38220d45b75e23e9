/* SPDX-License-Identifier: Apache-2.0 */
/* One function at a tile of points: memory, and sums over tiles. */
#include "gp/tile.h"

#include "math/vector.h"

#include <string.h>

union gp_matrix gp_matrix_layout(bool single, size_t count, struct arena *arena) {
    void *memory = arena_bytes(arena, count, single ? sizeof(float) : sizeof(double));
    return single ? (union gp_matrix){.narrow = memory} : (union gp_matrix){.wide = memory};
}

union gp_matrix gp_matrix_from(bool single, union gp_matrix matrix, size_t i) {
    return single ? (union gp_matrix){.narrow = matrix.narrow + i}
                  : (union gp_matrix){.wide = matrix.wide + i};
}

void gp_tile_layout(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                    struct gp_tile_use use, struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes, area = m * rows;
    bool slopes = use.backward || use.first_order, several = shape->kernel->terms > 1;
    bool single = use.single;
    *tile = (struct gp_tile){.single = single};
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        term->k = gp_matrix_layout(single, area, arena);
        term->k_xx = arena_doubles(arena, rows);
        if (slopes)
            term->k_slope = gp_matrix_layout(single, area, arena);
        term->k_xx_slope = use.backward ? arena_doubles(arena, rows) : NULL;
        if (!use.first_order)
            continue;
        if (use.backward)
            term->k_curvature = gp_matrix_layout(single, area, arena);
        term->e = gp_matrix_layout(single, area, arena);
        if (use.backward)
            term->d_e = gp_matrix_layout(single, area, arena);
        term->slope = gp_matrix_layout(single, rows * d, arena);
        term->rho = arena_doubles(arena, rows);
    }
    tile->k = several ? gp_matrix_layout(single, area, arena) : tile->term[0].k;
    tile->k_xx = several ? arena_doubles(arena, rows) : tile->term[0].k_xx;
    tile->a = gp_matrix_layout(single, area, arena);
    tile->h = gp_matrix_layout(single, area, arena);
    tile->t = single && gp_has_few_attributes(shape) ? arena_doubles(arena, area) : NULL;
    tile->slope_row = use.first_order ? arena_doubles(arena, d) : NULL;
}

void gp_tile_place(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                   union gp_matrix gamma, double *d_norm, size_t stride) {
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        tile->term[t].gamma = gp_matrix_from(tile->single, gamma, t * shape->inducing * rows);
        tile->term[t].d_norm = d_norm + t * stride;
    }
}

void gp_totals_layout(struct gp_totals *totals, const struct gp_shape *shape,
                      struct gp_tile_use use, bool completes, struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes;
    *totals = (struct gp_totals){
        .a_a = arena_doubles(arena, m * m),
        .b = arena_doubles(arena, m),
        .gamma_z = completes ? arena_doubles(arena, m * d) : NULL,
        .white = arena_doubles(arena, 1),
    };
    /* The product of one tile is a matrix of floats; doubles would not be more precise. */
    bool narrow = use.single && use.whole && !use.first_order && !gp_has_few_attributes(shape);
    for (size_t t = 0; t < shape->kernel->terms; t++)
        totals->term[t] = (struct gp_totals_term){
            .gamma_x = narrow ? NULL : arena_doubles(arena, m * d),
            .narrow_gamma_x = narrow ? gp_matrix_layout(true, m * d, arena).narrow : NULL,
            .row_sum = arena_doubles(arena, m),
            .inverse_square = arena_doubles(arena, d),
            .variance = arena_doubles(arena, 1),
        };
    if (use.first_order)
        totals->d_alpha = arena_doubles(arena, m);
}

/* Clears only the arrays that are added to; the others are overwritten. */
void gp_totals_clear(struct gp_totals *totals, const struct gp_shape *shape) {
    for (size_t t = 0; t < shape->kernel->terms; t++)
        memset(totals->term[t].inverse_square, 0, shape->attributes * sizeof(double));
    if (totals->noise)
        memset(totals->noise, 0, shape->attributes * sizeof(double));
}

void gp_totals_add(struct gp_totals *into, const struct gp_totals *from,
                   const struct gp_shape *shape) {
    size_t m = shape->inducing, d = shape->attributes;
    add(m * m, from->a_a, into->a_a);
    add(m, from->b, into->b);
    add(1, from->white, into->white);
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        add(m * d, from->term[t].gamma_x, into->term[t].gamma_x);
        add(m, from->term[t].row_sum, into->term[t].row_sum);
        add(d, from->term[t].inverse_square, into->term[t].inverse_square);
        add(1, from->term[t].variance, into->term[t].variance);
    }
    if (into->d_alpha)
        add(m, from->d_alpha, into->d_alpha);
    if (into->noise)
        add(d, from->noise, into->noise);
}
