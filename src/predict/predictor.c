/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a predictor, what is computed from the model once, and the latent functions and
 * probabilities at points. */
#include "predict/predictor.h"

#include "math/lattice.h"
#include "math/vector.h"
#include "rows/shape_checks.h"

#include <stdlib.h>

/* Whether a table may have rows whose prior has correlated attributes. */
static bool may_correlate(const struct nim_model *model) {
    return model->population.components || model->columns <= MOST_CORRELATED;
}

/* Memory for p(x | x~) of one row, and for the uncertainty of rows. */
static void layout_location(struct prediction_work *work, const struct nim_model *model,
                            struct arena *arena) {
    size_t d = model->attributes, each = population_gaussians(&model->population);
    bool correlates = may_correlate(model);
    if (correlates) {
        conditioner_layout(&work->conditioner, &model->population, arena);
        work->row_shape = arena_doubles(arena, COARSE * shape_size(d));
    }
    work->share = arena_doubles(arena, each);
    work->centre = arena_doubles(arena, each * d);
    work->width = arena_doubles(arena, d);
    work->slope = arena_doubles(arena, d);
    if (correlates) {
        work->merged = arena_doubles(arena, d);
        work->merged_root = arena_doubles(arena, d * d);
    }
    if (correlates && model->options.input->widens)
        work->root = arena_doubles(arena, COARSE * d * d);
}

/* The number of points if it is the same for all rows. */
static size_t fixed_points(const struct nim_model *model) {
    if (!model->options.input->averages || ladder_serves(model))
        return 0;
    return model->options.points;
}

static void work_layout(struct prediction_work *work, const struct nim_model *model,
                        struct arena *arena) {
    size_t functions = model->functions, classes = model->classes;
    size_t area = TILE * model->attributes;
    size_t points = fixed_points(model) ? fixed_points(model) : 1;
    const struct likelihood *likelihood = model->options.likelihood;
    struct gp_tile_use use = {.first_order = model->options.input->widens};
    work->row_x = arena_doubles(arena, COARSE * model->attributes);
    work->row_noise = arena_doubles(arena, COARSE * model->attributes);
    work->x = arena_doubles(arena, area);
    work->x_square = arena_doubles(arena, area);
    work->noise = arena_doubles(arena, area);
    layout_location(work, model, arena);
    if (model->novelty.kept)
        novelty_layout(&work->novelty, novelty_population(model), arena);
    if (model->panel && model->panel->joint.mixtures)
        joint_layout(&work->joint, model, &model->panel->joint, arena);
    work->x_norm = arena_doubles(arena, functions * model->gp.kernel->terms * TILE);
    work->mean = arena_doubles(arena, functions * TILE);
    work->variance = arena_doubles(arena, functions * TILE);
    work->probability = arena_doubles(arena, classes * TILE);
    work->sum = arena_doubles(arena, predictor_sums(model));
    work->node_sum = arena_doubles(arena, classes);
    work->total = arena_doubles(arena, classes);
    work->target = arena_doubles(arena, likelihood_target_width(likelihood, classes));
    if (classes == 0) {
        work->all_mean = arena_doubles(arena, points);
        work->all_variance = arena_doubles(arena, points);
        work->answer = arena_doubles(arena, points);
        work->second_answer = arena_doubles(arena, points);
    }
    if (ladder_serves(model)) {
        ladder_work_layout(&work->ladder, model, arena);
        work->single = arena_bytes(
            arena, 2 * model->attributes * GP_BLOCK + gp_quick_scratch(&model->gp), sizeof(float));
    }
    gp_tile_layout(&work->tile, &model->gp, TILE, use, arena);
    work->scratch = arena_doubles(arena, GEMM_SCRATCH);
    work->likelihood_scratch =
        arena_doubles(arena, likelihood_scratch(likelihood, &model->likelihood));
}

static void layout(struct nim_predictor *predictor, struct arena *arena) {
    const struct nim_model *model = predictor->model;
    size_t functions = model->functions, threads = pool_threads(predictor->pool);
    predictor->factor = arena_bytes(arena, functions, sizeof *predictor->factor);
    predictor->form = arena_bytes(arena, functions, sizeof *predictor->form);
    predictor->quick = arena_bytes(arena, functions, sizeof *predictor->quick);
    predictor->formed = arena_bytes(arena, functions, sizeof *predictor->formed);
    predictor->theta = arena_bytes(arena, functions, sizeof *predictor->theta);
    predictor->work = arena_bytes(arena, threads, sizeof *predictor->work);
    size_t points = predictor->points = fixed_points(model);
    predictor->coordinates = model->attributes + (model->population.components > 1);
    predictor->normal = points ? arena_doubles(arena, points * predictor->coordinates) : NULL;
    predictor->coarse = model->options.input->averages
                            ? arena_doubles(arena, COARSE * predictor->coordinates)
                            : NULL;
    if (ladder_serves(model))
        ladder_layout(&predictor->ladder, model, arena);
    predictor->ratio = arena_doubles(arena, model->classes);
    size_t scales = model->gp.kernel->terms * model->attributes;
    predictor->q = arena_doubles(arena, functions * scales);
    predictor->lookers = panel_lookers(model);
    for (size_t k = 0; k < predictor->lookers; k++)
        looker_layout(&predictor->looker[k], panel_part(model->panel, k), threads, arena);
    for (size_t c = 0; c < functions; c++) {
        gp_factor_layout(ARENA_ELEMENT(predictor->factor, c), &model->gp, false, arena,
                         predictor->q ? predictor->q + c * scales : NULL, (union gp_matrix){0});
        gp_form_layout(ARENA_ELEMENT(predictor->form, c), &model->gp, arena);
        if (ladder_serves(model))
            gp_quick_layout(ARENA_ELEMENT(predictor->quick, c), &model->gp, arena);
    }
    for (size_t w = 0; w < threads; w++)
        work_layout(ARENA_ELEMENT(predictor->work, w), model, arena);
}

static nim_status factor_functions(struct nim_predictor *predictor, nim_error *error) {
    const struct nim_model *model = predictor->model;
    predictor->quickly = ladder_serves(model) && gp_quick_serves(&model->gp) &&
                         model->options.tolerance >= QUICK_FROM;
    for (size_t c = 0; c < model->functions; c++) {
        predictor->theta[c] = model_gp(model, model->theta, c);
        predictor->factor[c].jitter = model->jitter[c];
        gp_scales(&model->gp, &predictor->theta[c],
                  predictor->q + c * model->gp.kernel->terms * model->attributes);
        if (!gp_factor_prior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                             predictor->work[0].scratch))
            return failure(
                error, NIM_NUMERICAL,
                "the covariance of function %zu's inducing inputs is not positive definite", c);
        gp_factor_posterior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                            predictor->work[0].scratch);
        predictor->formed[c] = gp_form_make(&predictor->form[c], &predictor->factor[c], &model->gp,
                                            predictor->work[0].scratch);
        predictor->quickly = predictor->quickly && predictor->formed[c] &&
                             gp_quick_make(&predictor->quick[c], &predictor->form[c],
                                           &predictor->factor[c], &model->gp, &predictor->theta[c]);
    }
    return NIM_OK;
}

/* Computes the quasi-random points. False if memory runs out. */
static bool lay_points(struct nim_predictor *predictor) {
    const struct nim_model *model = predictor->model;
    struct random_key key = {model->options.seed, STREAM_LATTICE};
    size_t coordinates = predictor->coordinates;
    return (!predictor->normal ||
            lattice_normal(key, predictor->points, coordinates, predictor->normal)) &&
           (!predictor->coarse || lattice_normal(key, COARSE, coordinates, predictor->coarse)) &&
           (!ladder_serves(model) || ladder_fill(predictor));
}

nim_status predictor_create(const struct nim_model *model, struct pool *pool,
                            struct nim_predictor **result, nim_error *error) {
    struct nim_predictor *predictor = calloc(1, sizeof *predictor);
    if (!predictor)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a predictor");
    predictor->model = model;
    predictor->own =
        model->panel && model->panel->joint.mixtures ? model->panel->weight[0][0] : 1.0;
    predictor->owns_pool = !pool;
    predictor->pool = pool ? pool : pool_create(model_threads(model));
    bool ready = predictor->pool != NULL;
    if (ready) {
        layout(predictor, &predictor->arena);
        ready = arena_allocate(&predictor->arena);
    }
    if (ready) {
        layout(predictor, &predictor->arena);
        ready = lay_points(predictor);
    }
    nim_status status = ready
                            ? factor_functions(predictor, error)
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory or threads to predict");
    if (status == NIM_OK && ladder_serves(model))
        ladder_weigh(predictor);
    if (status == NIM_OK)
        status = panel_predictors_create(predictor, error);
    if (status != NIM_OK) {
        nim_predictor_free(predictor);
        return status;
    }
    *result = predictor;
    return succeed(error);
}

nim_status nim_predictor_create(const nim_model *model, nim_predictor **result, nim_error *error) {
    if (!model || !result)
        return failure(error, NIM_INVALID_ARGUMENT, "model or predictor is NULL");
    *result = NULL;
    return predictor_create(model, NULL, result, error);
}

void nim_predictor_free(nim_predictor *predictor) {
    if (!predictor)
        return;
    for (size_t k = 0; k < predictor->lookers; k++)
        nim_predictor_free(predictor->looker[k].predictor);
    if (predictor->owns_pool)
        pool_free(predictor->pool);
    arena_free(&predictor->arena);
    free(predictor);
}

/* Evaluates the first `count` points in single precision, GP_BLOCK at a time. The last block is
 * filled up with the origin. */
static void look_quickly(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t count) {
    const struct nim_model *model = predictor->model;
    size_t d = model->attributes, area = d * GP_BLOCK;
    float *x = work->single, *x_square = x + area, *scratch = x_square + area;
    _Alignas(64) float mean[GP_BLOCK], variance[GP_BLOCK];
    for (size_t first = 0; first < count; first += GP_BLOCK) {
        size_t points = count - first < GP_BLOCK ? count - first : GP_BLOCK;
        for (size_t p = 0; p < GP_BLOCK; p++)
            for (size_t j = 0; j < d; j++)
                x[j * GP_BLOCK + p] = p < points ? (float)work->x[(first + p) * d + j] : 0.0f;
        for (size_t i = 0; i < area; i++)
            x_square[i] = x[i] * x[i];
        for (size_t c = 0; c < model->functions; c++) {
            gp_quick_conditional(&predictor->quick[c], &model->gp, x, x_square, mean, variance,
                                 scratch);
            for (size_t p = 0; p < points; p++) {
                work->mean[c * TILE + first + p] = (double)mean[p];
                work->variance[c * TILE + first + p] = (double)variance[p];
            }
        }
    }
}

/* As look_quickly in double precision, and with slopes if they are needed. */
static void look_exactly(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t count) {
    const struct nim_model *model = predictor->model;
    multiply(count * model->attributes, work->x, work->x, work->x_square);
    gp_norms(&model->gp, model->functions, predictor->q, count, work->x_square, work->x_norm, TILE,
             work->scratch);
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_points points = {.rows = count,
                                   .x = work->x,
                                   .x_norm = work->x_norm + c * model->gp.kernel->terms * TILE,
                                   .norm_stride = TILE};
        double *mean = work->mean + c * TILE, *variance = work->variance + c * TILE;
        if (predictor->formed[c])
            gp_form_conditional(&predictor->form[c], &predictor->factor[c], &model->gp, &points,
                                &work->tile, mean, variance, work->scratch);
        else
            gp_arithmetic.conditional(&predictor->factor[c], &model->gp, &predictor->theta[c],
                                      &points, &work->tile, mean, variance, work->scratch);
        if (model->options.input->widens)
            gp_slopes.slope(
                &predictor->factor[c], &model->gp, &points, &work->tile,
                (struct gp_blur){work->noise, predictor->correlated ? work->root : NULL}, variance,
                work->scratch);
    }
}

void predictor_look(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count) {
    const struct nim_model *model = predictor->model;
    if (work->coarse && predictor->quickly)
        look_quickly(predictor, work, count);
    else
        look_exactly(predictor, work, count);
    if (model->classes == 0)
        return;
    struct likelihood_setting setting = model->likelihood;
    setting.coarse = work->coarse;
    model->options.likelihood->predict(&setting, model->theta + model->likelihood_at, count,
                                       work->mean, work->variance, TILE, work->probability,
                                       work->likelihood_scratch);
}
