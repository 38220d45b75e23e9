/* SPDX-License-Identifier: Apache-2.0 */
#include "model/parallel_bound.h"

#include "base/collectives.h"
#include "math/exact_sum.h"
#include "math/vector.h"
#include "model/bound_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARD_POINTS = 64, /* least points of a shard, unless shards become fewer than LEAST_SHARDS */
    LEAST_SHARDS = 4,
    MOST_SHARDS = 64,
    BLOCKS_PER_UNIT = 64, /* blocks as in exact_sum.h */
};

/* Sums over rows, of one shard or of all shards. All arrays are in one contiguous block of memory.
 * The functions' totals are first, in equal numbers of whole blocks of exact_sum.h. What follows
 * (the common sums) is small and needed by all processes. */
struct row_sums {
    double *memory;
    struct gp_totals *totals; /* C; in `sum`, those of other processes' functions are undefined */
    struct gp_parameters *norms; /* C: only log_lengthscale, to which add_norms adds */
    double *rest;                /* gradient by noise, likelihood and input model */
    double *value;               /* 1 */
};

struct parallel_bound {
    const nim_collectives *all;
    size_t count;               /* numbers in row_sums.memory */
    size_t each, common;        /* of them one function's; where the common ones start */
    struct row_sums *shard;     /* end - first */
    const struct row_sums *now; /* those of the shard that is being evaluated */
    struct row_sums sum;
    int64_t *total, *exponent; /* count; one per block of exact_sum.h */
    double *factors; /* C x (1 + gp_factor_sent): whether factorisation succeeded, the factor */
    size_t *offset;  /* processes + 1 */
};

static size_t shard_count(size_t points) {
    size_t shards = LEAST_SHARDS;
    while (shards < MOST_SHARDS && points / shards >= 2 * SHARD_POINTS)
        shards *= 2;
    return shards;
}

struct parallel_bound *parallel_bound_create(struct bound *bound, size_t *most_rows) {
    const nim_collectives *all = &bound->model->collectives;
    struct parallel_bound *parallel = calloc(1, sizeof *parallel);
    if (!parallel)
        return NULL;
    parallel->all = all;
    size_t points = *most_rows * bound->model->input.samples;
    bound->shards = shards_of(shard_count(points), all->rank, all->processes);
    bound->first = part_start(bound->model->functions, all->rank, all->processes);
    bound->end = part_start(bound->model->functions, all->rank + 1, all->processes);
    *most_rows = (*most_rows + bound->shards.count - 1) / bound->shards.count;
    return parallel;
}

void parallel_bound_free(struct parallel_bound *parallel) {
    free(parallel);
}

/* Fills up the last block of exact_sum.h since `before`. Returns the number of doubles. */
static size_t end_block(size_t before, struct arena *arena) {
    size_t count = (arena->used - before) / sizeof(double);
    arena_doubles(arena, exact_blocks(count) * EXACT_BLOCK - count);
    return (arena->used - before) / sizeof(double);
}

static void layout_sums(struct row_sums *sums, const struct bound *bound, struct arena *arena) {
    struct parallel_bound *parallel = bound->parallel;
    const struct nim_model *model = bound->model;
    size_t functions = model->functions, scales = model->gp.kernel->terms * model->attributes;
    sums->totals = arena_bytes(arena, functions, sizeof *sums->totals);
    sums->norms = arena_bytes(arena, functions, sizeof *sums->norms);
    size_t before = arena->used;
    sums->memory = arena_doubles(arena, 0);
    for (size_t c = 0; c < functions; c++) {
        size_t start = arena->used;
        gp_totals_layout(ARENA_ELEMENT(sums->totals, c), &model->gp, bound->use, false, arena);
        parallel->each = end_block(start, arena);
    }
    parallel->common = functions * parallel->each;
    for (size_t c = 0; c < functions; c++) {
        double *norms = arena_doubles(arena, scales);
        if (sums->norms)
            sums->norms[c] = (struct gp_parameters){.log_lengthscale = norms};
    }
    sums->rest = arena_doubles(arena, model->count - model->noise_at);
    sums->value = arena_doubles(arena, 1);
    parallel->count = (arena->used - before) / sizeof(double);
}

void parallel_bound_layout(struct parallel_bound *parallel, const struct bound *bound,
                           struct arena *arena) {
    const struct nim_model *model = bound->model;
    size_t mine = bound->shards.end - bound->shards.first, functions = model->functions;
    parallel->shard = arena_bytes(arena, mine, sizeof *parallel->shard);
    for (size_t s = 0; s < mine; s++)
        layout_sums(ARENA_ELEMENT(parallel->shard, s), bound, arena);
    layout_sums(&parallel->sum, bound, arena);
    for (size_t c = bound->first; c < bound->end; c++) {
        double *gamma_z = arena_doubles(arena, model->inducing * model->attributes);
        if (parallel->sum.totals)
            parallel->sum.totals[c].gamma_z = gamma_z;
    }
    parallel->total = arena_bytes(arena, parallel->count, sizeof *parallel->total);
    parallel->exponent =
        arena_bytes(arena, exact_blocks(parallel->count), sizeof *parallel->exponent);
    parallel->factors = arena_doubles(arena, functions * (1 + gp_factor_sent(&model->gp)));
    parallel->offset = arena_sizes(arena, parallel->all->processes + 1);
}

/* ---------------------------------------------------------------- factors --------------------- */

/* Offsets of the processes' functions in an array with `each` numbers or bytes per function. */
static const size_t *function_offsets(const struct bound *bound, size_t each) {
    struct parallel_bound *parallel = bound->parallel;
    size_t processes = parallel->all->processes;
    for (size_t rank = 0; rank <= processes; rank++)
        parallel->offset[rank] = part_start(bound->model->functions, rank, processes) * each;
    return parallel->offset;
}

/* Unit u is one part of one of this process's functions; the priors are first, see factor_part. */
static void factor_own_part(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t mine = bound->end - bound->first;
    factor_part(bound, unit / mine * bound->model->functions + bound->first + unit % mine, worker);
}

static double *factor_numbers(const struct bound *bound, size_t c) {
    return bound->parallel->factors + c * (1 + gp_factor_sent(&bound->model->gp));
}

static void receive_factor(void *context, size_t c, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    const double *numbers = factor_numbers(bound, c);
    bound->factored[c] = numbers[0] != 0.0;
    if (c >= bound->first && c < bound->end)
        return;
    gp_factor_receive(&bound->factor[c], &bound->model->gp, &bound->theta[c], numbers + 1);
    bound->model->jitter[c] = bound->factor[c].jitter;
}

/* Each process factorises its functions. Then all processes receive the factors of all
 * functions. */
static nim_status share_factors(struct bound *bound, nim_error *error) {
    pool_run(bound->pool, bound->model->functions, find_scales, bound);
    pool_run(bound->pool, 2 * (bound->end - bound->first), factor_own_part, bound);
    for (size_t c = bound->first; c < bound->end; c++) {
        factor_numbers(bound, c)[0] = bound->factored[c];
        gp_factor_send(&bound->factor[c], &bound->model->gp, factor_numbers(bound, c) + 1);
    }
    nim_status status = collective_gather(
        bound->parallel->all, bound->parallel->factors,
        function_offsets(bound, (1 + gp_factor_sent(&bound->model->gp)) * sizeof(double)), error);
    if (status != NIM_OK)
        return status;
    pool_run(bound->pool, bound->model->functions, receive_factor, bound);
    return factor_failure(bound, error);
}

/* ---------------------------------------------------------------- shards ---------------------- */

/* The `rows` rows of the batch from `start` on. */
static struct bound_batch rows_of(const struct bound_batch *whole, const struct bound *bound,
                                  size_t start, size_t rows) {
    const struct nim_model *model = bound->model;
    size_t d = model->attributes;
    struct bound_batch part = *whole;
    part.rows = rows;
    part.total = whole->total * (double)rows / (double)whole->step_rows;
    part.row += start;
    part.copy += start;
    part.x += start * d;
    part.noise += start * d;
    part.shape = whole->shape ? whole->shape + start * shape_size(d) : NULL;
    part.target += start * bound->target_width;
    part.weight += start;
    part.own += start * model->table.each;
    return part;
}

/* The largest exponents, so far, of the numbers from `first` on: of the present shard too. */
static void follow_exponents(struct parallel_bound *parallel, size_t first, size_t count) {
    exact_exponents(count, parallel->now->memory + first, parallel->exponent + first / EXACT_BLOCK);
}

/* A function's sums over the rows of the present shard, and their exponents while in cache. */
static void total_of_shard(void *context, size_t c, size_t worker) {
    struct bound *bound = context;
    if (bound->tiles == 1)
        look_back(bound, c, worker);
    for (size_t t = 1; t < bound->tiles; t++)
        gp_totals_add(&bound->totals[c], &bound->totals[t * bound->model->functions + c],
                      &bound->model->gp);
    follow_exponents(bound->parallel, c * bound->parallel->each, bound->parallel->each);
}

/* The sums over the rows of one shard, which is the current batch. */
static void sum_shard(struct bound *bound, const struct row_sums *sums) {
    const struct nim_model *model = bound->model;
    struct parallel_bound *parallel = bound->parallel;
    size_t units = bound->tiles * model->functions, scales = term_count(model) * model->attributes;
    parallel->now = sums;
    memcpy(bound->totals, sums->totals, model->functions * sizeof *sums->totals);
    place_inputs(bound);
    pool_run(bound->pool, units, look_at_points, bound);
    *sums->value = sum_rows(bound);
    if (bound->tiles > 1)
        pool_run(bound->pool, units, look_back, bound);
    pool_run(bound->pool, model->functions, total_of_shard, bound);
    for (size_t c = 0; c < model->functions; c++)
        memset(sums->norms[c].log_lengthscale, 0, scales / model->functions * sizeof(double));
    add_norms(bound, sums->norms);
    add_likelihood(bound);
    move_inputs_back(bound);
    memcpy(sums->rest, bound->gradient + model->noise_at,
           (model->count - model->noise_at) * sizeof(double));
    follow_exponents(parallel, parallel->common, parallel->count - parallel->common);
}

static size_t shard_rows(const struct bound_batch *step, size_t shard, size_t shards) {
    return shard_positions(step->step_start + step->step_rows, shard, shards) -
           shard_positions(step->step_start, shard, shards);
}

static void sum_shards(struct bound *bound) {
    struct parallel_bound *parallel = bound->parallel;
    const struct bound_batch whole = bound->batch;
    double *own_gradient = bound->own_gradient;
    size_t start = 0;
    for (size_t s = bound->shards.first; s < bound->shards.end; s++) {
        const struct row_sums *sums = &parallel->shard[s - bound->shards.first];
        size_t rows = shard_rows(&whole, s, bound->shards.count);
        if (rows == 0) {
            memset(sums->memory, 0, parallel->count * sizeof(double));
            continue;
        }
        bound->batch = rows_of(&whole, bound, start, rows);
        bound->own_gradient = own_gradient + start * bound->model->table.each;
        sum_shard(bound, sums);
        start += rows;
    }
    bound->batch = whole;
    bound->own_gradient = own_gradient;
}

/* ---------------------------------------------------------------- exact sums ------------------ */

/* The numbers of a unit are the `count` numbers from the returned index on. */
static size_t unit_start(size_t unit, size_t all, size_t *count) {
    size_t start = unit * BLOCKS_PER_UNIT * EXACT_BLOCK, left = all - start;
    *count = left < BLOCKS_PER_UNIT * EXACT_BLOCK ? left : BLOCKS_PER_UNIT * EXACT_BLOCK;
    return start;
}

static void add_integers(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct bound *bound = context;
    struct parallel_bound *parallel = bound->parallel;
    size_t count, start = unit_start(unit, parallel->count, &count);
    memset(parallel->total + start, 0, count * sizeof *parallel->total);
    for (size_t s = 0; s < bound->shards.end - bound->shards.first; s++)
        exact_add(count, parallel->shard[s].memory + start,
                  parallel->exponent + start / EXACT_BLOCK, bound->shards.count,
                  parallel->total + start);
}

/* The sums from number `start` on, as doubles. */
static void read_sums(const struct bound *bound, size_t start, size_t count) {
    const struct parallel_bound *parallel = bound->parallel;
    exact_read(count, parallel->total + start, parallel->exponent + start / EXACT_BLOCK,
               bound->shards.count, parallel->sum.memory + start);
}

/* Adds the sums of all shards of all processes: as integers into `total`, those of a function in
 * the process that has the function only; the common ones also into `sum`. */
static nim_status add_up(struct bound *bound, nim_error *error) {
    struct parallel_bound *parallel = bound->parallel;
    size_t blocks = exact_blocks(parallel->count), common = parallel->common;
    size_t units = (blocks + BLOCKS_PER_UNIT - 1) / BLOCKS_PER_UNIT;
    nim_status status = collective_largest(parallel->all, parallel->exponent, blocks, error);
    for (size_t b = 0; status == NIM_OK && b < blocks; b++)
        if (parallel->exponent[b] == EXACT_BROKEN)
            return bound_not_finite(bound, error);
    if (status == NIM_OK) {
        pool_run(bound->pool, units, add_integers, bound);
        status = collective_sum_parts(parallel->all, parallel->total,
                                      function_offsets(bound, parallel->each), error);
    }
    if (status == NIM_OK)
        status = collective_sum(parallel->all, parallel->total + common, parallel->count - common,
                                error);
    if (status == NIM_OK)
        read_sums(bound, common, parallel->count - common);
    return status;
}

/* ---------------------------------------------------------------- the gradient ---------------- */

static void complete_own_function(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t c = bound->first + unit;
    read_sums(bound, c * bound->parallel->each, bound->parallel->each);
    gp_totals_complete(&bound->factor[c], &bound->model->gp, &bound->totals[c]);
    gradient_part(bound, c, worker);
    gradient_part(bound, bound->model->functions + c, worker);
}

/* The gradient by the parameters of this process's functions, and by the common ones. */
static void complete_gradient(struct bound *bound) {
    struct parallel_bound *parallel = bound->parallel;
    const struct nim_model *model = bound->model;
    size_t scales = model->gp.kernel->terms * model->attributes;
    memcpy(bound->totals, parallel->sum.totals, model->functions * sizeof *bound->totals);
    pool_run(bound->pool, bound->end - bound->first, complete_own_function, bound);
    for (size_t c = bound->first; c < bound->end; c++)
        add(scales, parallel->sum.norms[c].log_lengthscale, bound->gradient_of[c].log_lengthscale);
    memcpy(bound->gradient + model->noise_at, parallel->sum.rest,
           (model->count - model->noise_at) * sizeof(double));
}

nim_status parallel_bound_share_functions(struct bound *bound, nim_error *error) {
    size_t each = gp_parameter_count(&bound->model->gp) * sizeof(double);
    return collective_gather(bound->parallel->all, bound->model->theta,
                             function_offsets(bound, each), error);
}

nim_status parallel_bound_evaluate(struct bound *bound, double *value, nim_error *error) {
    nim_status status = share_factors(bound, error);
    if (status != NIM_OK)
        return status;
    for (size_t b = 0; b < exact_blocks(bound->parallel->count); b++)
        bound->parallel->exponent[b] = EXACT_LEAST;
    sum_shards(bound);
    status = add_up(bound, error);
    if (status != NIM_OK)
        return status;
    *value = *bound->parallel->sum.value;
    for (size_t c = 0; c < bound->model->functions; c++)
        *value -= bound->factor[c].kl;
    if (!isfinite(*value))
        return bound_not_finite(bound, error);
    complete_gradient(bound);
    return NIM_OK;
}
