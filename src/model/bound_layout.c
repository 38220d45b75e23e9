/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a bound: its arrays, allocated once for the largest batch. */
#include "math/linalg.h"
#include "model/bound_steps.h"
#include "model/parallel_bound.h"
#include "model/shapes.h"
#include "model/targets.h"

#include <assert.h>
#include <stdlib.h>

enum {
    UNITS_WANTED = 6, /* least number of functions x tiles, unless tiles get too small */
    LEAST_TILE_ROWS = 32,
    MOST_TILE_ROWS = 256,
};

static size_t tile_count(size_t points, size_t functions) {
    size_t tiles = (UNITS_WANTED + functions - 1) / functions;
    while (tiles > 1 && points / tiles < LEAST_TILE_ROWS)
        tiles--;
    size_t least = (points + MOST_TILE_ROWS - 1) / MOST_TILE_ROWS;
    return tiles > least ? tiles : least;
}

void bound_batch_layout(struct bound_batch *batch, const struct nim_model *model, bool shaped,
                        size_t most_rows, struct arena *arena) {
    size_t d = model->attributes;
    size_t width = likelihood_target_width(model->options.likelihood, model->classes);
    batch->row = arena_sizes(arena, most_rows);
    batch->copy = arena_sizes(arena, most_rows);
    batch->x = arena_doubles(arena, most_rows * d);
    batch->noise = arena_doubles(arena, most_rows * d);
    batch->shape = shaped ? arena_doubles(arena, most_rows * shape_size(d)) : NULL;
    batch->target = arena_doubles(arena, most_rows * width);
    batch->weight = arena_doubles(arena, most_rows);
    batch->own = arena_doubles(arena, most_rows * model->table.each);
}

static void layout_rows(struct bound *bound, struct arena *arena) {
    struct nim_model *model = bound->model;
    bound_batch_layout(&bound->batch, model, bound->shaped, bound->most_rows, arena);
    bound->own_gradient = arena_doubles(arena, bound->most_rows * model->table.each);
    bound->gradient = arena_doubles(arena, model->count);
    bound->noise_gradient = arena_doubles(arena, model->attributes);
    bound->feature = arena_doubles(arena, model->input.most_rows * model->input.features);
    bound->row_value = arena_doubles(arena, model->input.most_rows);
    if (model->options.input->layout)
        model->options.input->layout(&bound->input_work, &model->input, arena);
}

static void layout_points(struct bound *bound, struct arena *arena) {
    struct nim_model *model = bound->model;
    size_t functions = model->functions, d = model->attributes, points = bound->most_points;
    bound->x = arena_doubles(arena, points * d);
    bound->x_square = arena_doubles(arena, points * d);
    if (bound->use.single)
        bound->x_narrow = arena_bytes(arena, points * d, sizeof(float));
    bound->d_x = bound->needs_d_x ? arena_doubles(arena, points * d) : NULL;
    bound->point_target = arena_doubles(arena, points * bound->target_width);
    bound->point_weight = arena_doubles(arena, points);
    bound->point_value = arena_doubles(arena, points);
    if (averages_inside(model)) {
        bound->log_weight = arena_doubles(arena, points);
        bound->share = arena_doubles(arena, points);
    }
    bound->x_norm = arena_doubles(arena, term_count(model) * points);
    bound->d_norm = arena_doubles(arena, term_count(model) * points);
    bound->mean = arena_doubles(arena, functions * points);
    bound->variance = arena_doubles(arena, functions * points);
    bound->d_mean = arena_doubles(arena, functions * points);
    bound->d_variance = arena_doubles(arena, functions * points);
    if (bound->use.first_order && model->options.likelihood->blurs) {
        bound->blur = arena_doubles(arena, functions * points);
        bound->d_blur = arena_doubles(arena, functions * points);
    }
    bound->likelihood_gradient =
        arena_doubles(arena, likelihood_blocks(bound->most_points) * model->likelihood_count);
}

static void layout_functions(struct bound *bound, struct arena *arena) {
    struct nim_model *model = bound->model;
    size_t functions = model->functions, terms = model->gp.kernel->terms;
    size_t scales = terms * model->attributes, area = model->inducing * scales;
    bound->factor = arena_bytes(arena, functions, sizeof *bound->factor);
    bound->factored = arena_bytes(arena, functions, sizeof *bound->factored);
    bound->theta = arena_bytes(arena, functions, sizeof *bound->theta);
    bound->gradient_of = arena_bytes(arena, functions, sizeof *bound->gradient_of);
    bound->q = arena_doubles(arena, functions * scales);
    bound->d_q = arena_doubles(arena, functions * scales);
    bool counting = !bound->factor, single = bound->use.single;
    union gp_matrix zq = {0};
    if (bound->needs_d_x)
        zq = gp_matrix_layout(single, functions * area, arena);
    for (size_t c = 0; c < functions; c++) {
        union gp_matrix own = zq;
        if (!counting && bound->needs_d_x)
            own = gp_matrix_from(single, zq, c * area);
        gp_factor_layout(ARENA_ELEMENT(bound->factor, c), &model->gp, single, arena,
                         counting ? NULL : bound->q + c * scales, own);
        if (!counting) {
            bound->theta[c] = model_gp(model, model->theta, c);
            bound->gradient_of[c] = model_gp(model, bound->gradient, c);
        }
    }
}

static size_t totals_count(const struct bound *bound) {
    return is_one_tile(bound) ? pool_threads(bound->pool) : bound->tiles * bound->model->functions;
}

/* A packed right factor (k x n) of products. */
static union gp_matrix layout_packed(const struct bound *bound, size_t n, size_t k,
                                     struct arena *arena) {
    bool single = bound->use.single;
    return gp_matrix_layout(single, (single ? gemm_packed_size_single : gemm_packed_size)(n, k),
                            arena);
}

static void layout_tiles(struct bound *bound, struct arena *arena) {
    struct nim_model *model = bound->model;
    size_t functions = model->functions, d = model->attributes, tiles = bound->tiles;
    size_t rows = (bound->most_points + tiles - 1) / tiles;
    size_t units = totals_count(bound);
    bound->tile = arena_bytes(arena, tiles * functions, sizeof *bound->tile);
    bound->totals = arena_bytes(arena, units, sizeof *bound->totals);
    bound->gamma = arena_bytes(arena, tiles, sizeof *bound->gamma);
    bound->packed = arena_bytes(arena, 2 * tiles, sizeof *bound->packed);
    if (bound->use.first_order && model_learns_noise(model))
        bound->unit_noise = arena_doubles(arena, tiles * functions * d);
    for (size_t t = 0; t < tiles; t++) {
        union gp_matrix gamma =
            gp_matrix_layout(bound->use.single, term_count(model) * model->inducing * rows, arena);
        union gp_matrix transpose = layout_packed(bound, rows, d, arena);
        union gp_matrix plain = layout_packed(bound, d, rows, arena);
        if (bound->gamma) {
            bound->gamma[t] = gamma;
            bound->packed[2 * t] = transpose;
            bound->packed[2 * t + 1] = plain;
        }
        for (size_t u = t * functions; u < (t + 1) * functions; u++)
            gp_tile_layout(ARENA_ELEMENT(bound->tile, u), &model->gp, rows, bound->use, arena);
    }
    /* The sums of a shard's first tile are part of the shard. */
    for (size_t u = bound->parallel ? functions : 0; u < units; u++)
        gp_totals_layout(ARENA_ELEMENT(bound->totals, u), &model->gp, bound->use,
                         is_one_tile(bound) || u < functions, arena);
}

static void layout_workers(struct bound *bound, struct arena *arena) {
    struct nim_model *model = bound->model;
    size_t threads = pool_threads(bound->pool);
    size_t nodes = likelihood_scratch(model->options.likelihood, &model->likelihood);
    bound->scratch = arena_bytes(arena, threads, sizeof *bound->scratch);
    bound->likelihood_scratch = arena_bytes(arena, threads, sizeof *bound->likelihood_scratch);
    for (size_t w = 0; w < threads; w++) {
        double *products = arena_doubles(arena, GEMM_SCRATCH);
        double *quadrature = arena_doubles(arena, nodes);
        if (products) {
            bound->scratch[w] = products;
            bound->likelihood_scratch[w] = quadrature;
        }
    }
}

static void layout(struct bound *bound, struct arena *arena) {
    layout_rows(bound, arena);
    const struct input_model *input = bound->model->options.input;
    bool stays = !model_learns_noise(bound->model); /* and so do the measurements */
    row_priors_layout(&bound->priors, bound->model, bound->correlated, !input->mixes,
                      bound->model->input.most_rows, stays ? bound->table_rows : 0,
                      pool_threads(bound->pool), arena);
    layout_points(bound, arena);
    layout_functions(bound, arena);
    layout_tiles(bound, arena);
    layout_workers(bound, arena);
    if (bound->parallel)
        parallel_bound_layout(bound->parallel, bound, arena);
}

struct bound *bound_create(struct nim_model *model, const nim_data *data, size_t most_rows,
                           size_t threads) {
    struct bound *bound = calloc(1, sizeof *bound);
    if (!bound)
        return NULL;
    const struct input_model *input = model->options.input;
    assert(!(input->widens && (input->moves || input->samples))); /* see input.h */
    bound->model = model;
    bound->table_rows = data->rows;
    bound->correlated = shapes_correlate(model, data);
    bound->shaped = shapes_taken(model, data);
    bound->pool = pool_create(threads);
    bound->shards = shards_alone();
    bound->end = model->functions;
    bool parallel = model->collectives.processes > 0;
    if (parallel)
        bound->parallel = parallel_bound_create(bound, &most_rows);
    bound->most_rows = most_rows * (bound->shards.end - bound->shards.first);
    model->input.most_rows = most_rows;
    bound->most_points = most_rows * model->input.samples;
    bound->target_width = likelihood_target_width(model->options.likelihood, model->classes);
    bound->tiles = tile_count(bound->most_points, model->functions);
    bound->columns = (model->attributes + GRADIENT_COLUMNS - 1) / GRADIENT_COLUMNS;
    bound->use = (struct gp_tile_use){.backward = true,
                                      .first_order = input->widens,
                                      .single = model_is_single(model),
                                      .whole = is_one_tile(bound)};
    bound->needs_d_x = input->moves || (input->place_backward && model_learns_noise(model));
    if (bound->pool && (bound->parallel || !parallel)) {
        layout(bound, &bound->arena);
        if (arena_allocate(&bound->arena)) {
            layout(bound, &bound->arena);
            if (!input->prepare ||
                input->prepare(&bound->input_work, &model->input, model->options.seed))
                return bound;
        }
    }
    bound_free(bound);
    return NULL;
}

void bound_free(struct bound *bound) {
    if (!bound)
        return;
    pool_free(bound->pool);
    arena_free(&bound->arena);
    parallel_bound_free(bound->parallel);
    free(bound);
}
