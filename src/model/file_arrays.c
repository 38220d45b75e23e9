/* SPDX-License-Identifier: Apache-2.0 */
#include "model/file_arrays.h"

#include "math/vector.h"
#include "model/class_shares.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_LOG 700.0 /* exp(LARGEST_LOG) and exp(-LARGEST_LOG) are finite and not zero */

const struct population_names file_population_names = {"population.share", "population.mean",
                                                       "population.factor", "population.variance"};
const struct population_names file_novelty_names = {
    "novelty.population.share", "novelty.population.mean", "novelty.population.factor",
    "novelty.population.variance"};

static void add_array(struct file_arrays *arrays, const char *name, double *values,
                      size_t dimensions, size_t first, size_t second, size_t third) {
    struct tensor *tensor = &arrays->list[arrays->count++];
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->dimensions = dimensions;
    tensor->shape[0] = first;
    tensor->shape[1] = second;
    tensor->shape[2] = third;
    tensor->values = values;
}

/* NULL for a model that is only planned and has no memory. */
static double *part_of(double *values, size_t offset) {
    return values ? values + offset : NULL;
}

static void add_classes(struct file_arrays *arrays, const struct nim_model *model) {
    static const char *const name[BLOCKS_PER_FUNCTION] = {
        "kernel.log_variance", "kernel.log_white_noise", "kernel.log_lengthscale",
        "inducing.inputs",     "posterior.mean",         "posterior.factor"};
    size_t c = model->functions, m = model->inducing, d = model->attributes;
    size_t terms = model->gp.kernel->terms;
    bool sum = terms > 1; /* sums have one dimension more */
    const size_t shape[BLOCKS_PER_FUNCTION][3] = {
        {sum ? 2 : 1, c, terms}, {1, c, 0}, {sum ? 3 : 2, c, sum ? terms : d}, {3, c, m}, {2, c, m},
        {2, c, m * (m + 1) / 2}};
    double *values = arrays->staged;
    for (size_t b = 0; b < BLOCKS_PER_FUNCTION; b++) {
        add_array(arrays, name[b], values, shape[b][0], shape[b][1], shape[b][2], d);
        values = part_of(values, c * model_block(model, b).count);
    }
}

static void stage_moments(size_t count, float *moments, double *values, bool out) {
    if (out)
        widen(count, moments, values);
    else
        narrow(count, values, moments);
}

void file_arrays_stage(const struct nim_model *model, struct file_arrays *arrays, bool out) {
    double *values = arrays->staged;
    for (size_t b = 0; b < BLOCKS_PER_FUNCTION; b++)
        for (size_t c = 0; c < model->functions; c++) {
            struct block block = model_block(model, c * BLOCKS_PER_FUNCTION + b);
            double *theta = model->theta + block.offset;
            memcpy(out ? values : theta, out ? theta : values, block.count * sizeof(double));
            values += block.count;
        }
    if (!arrays->moments)
        return;
    stage_moments(model->count, model->moment1.narrow, arrays->moments, out);
    stage_moments(model->count, model->moment2.narrow, arrays->moments + model->count, out);
}

/* The arrays of a learned population. A flat one is determined by the options. */
static void add_population(struct file_arrays *arrays, struct population *population,
                           const struct population_names *name) {
    size_t d = population->attributes, k = population->components;
    if (k) {
        add_array(arrays, name->share, population->share, 1, k, 0, 0);
        add_array(arrays, name->mean, population->mean, 2, k, d, 0);
        add_array(arrays, name->factor, population->root, 3, k, d, d);
    } else if (population->learned) {
        add_array(arrays, name->mean, population->mean, 1, d, 0, 0);
        add_array(arrays, name->variance, population->variance, 1, d, 0, 0);
    }
}

static void add_novelty(struct file_arrays *arrays, struct novelty *novelty) {
    if (!novelty->kept)
        return;
    add_array(arrays, "novelty.quantiles", novelty->quantile, 1, novelty->kept, 0, 0);
    if (novelty->own.learned)
        add_population(arrays, &novelty->own, &file_novelty_names);
}

void file_arrays_list(struct nim_model *model, bool moments, struct file_arrays *arrays) {
    size_t d = model->attributes, rows = model->table.rows, each = model->table.each;
    arrays->count = 0;
    add_array(arrays, "counts", arrays->counts, 1, 4, 0, 0);
    if (model->trace.count)
        add_array(arrays, "training.trace", model->trace.point[0], 2, model->trace.count, 2, 0);
    add_array(arrays, "scaling.mean", model->scaling.mean, 1, d, 0, 0);
    add_array(arrays, "scaling.deviation", model->scaling.deviation, 1, d, 0, 0);
    add_array(arrays, "scaling.median_error", model->scaling.median_error, 1, d, 0, 0);
    add_array(arrays, "scaling.typical", model->scaling.typical, 1, d, 0, 0);
    add_array(arrays, "scaling.spread", model->scaling.spread, 1, d, 0, 0);
    if (model->scaling.flags)
        add_array(arrays, "scaling.flagged", model->scaling.flagged, 1, model->scaling.flags, 0, 0);
    if (model->scaling.warps) {
        add_array(arrays, "scaling.warp_centre", model->scaling.warp_centre, 1, model->columns, 0,
                  0);
        add_array(arrays, "scaling.warp_width", model->scaling.warp_width, 1, model->columns, 0, 0);
    }
    add_population(arrays, &model->population, &file_population_names);
    if (model->classes == 0) {
        add_array(arrays, "scaling.target_mean", &model->scaling.target_mean, 1, 1, 0, 0);
        add_array(arrays, "scaling.target_deviation", &model->scaling.target_deviation, 1, 1, 0, 0);
    }
    if (model->temperature != 1.0)
        add_array(arrays, "calibration.temperature", &model->temperature, 1, 1, 0, 0);
    if (model->shares_known)
        add_array(arrays, "class_shares", model->class_share, 1, model->classes, 0, 0);
    if (model->conformal.kept) {
        size_t kept = model->conformal.kept;
        add_array(arrays, "conformal.rows", model->conformal.rows, 1, model->classes, 0, 0);
        add_array(arrays, "conformal.scores", model->conformal.score, 2, model->classes, kept, 0);
    }
    add_novelty(arrays, &model->novelty);
    add_array(arrays, "jitter", model->jitter, 1, model->functions, 0, 0);
    add_classes(arrays, model);
    add_array(arrays, "noise.log_variance", part_of(model->theta, model->noise_at), 1,
              model->noise_count, 0, 0);
    add_array(arrays, "likelihood.parameters", part_of(model->theta, model->likelihood_at), 1,
              model->likelihood_count, 0, 0);
    add_array(arrays, "input.parameters", part_of(model->theta, model->input_at), 1,
              model->input_count, 0, 0);
    if (each)
        add_array(arrays, "rows.parameters", model->table.theta, 2, rows, each, 0);
    if (!moments)
        return;
    bool single = model_is_single(model);
    add_array(arrays, "optimiser.moment1", single ? arrays->moments : model->moment1.wide, 1,
              model->count, 0, 0);
    add_array(arrays, "optimiser.moment2",
              single ? part_of(arrays->moments, model->count) : model->moment2.wide, 1,
              model->count, 0, 0);
    if (each) {
        add_array(arrays, "optimiser.row_moments", model->table.moments, 3, rows, 2, each);
        add_array(arrays, "optimiser.row_visits", model->table.visits, 1, rows, 0, 0);
    }
    if (model->under_way)
        add_array(arrays, "training.standing", &model->checkpoint.next_batch, 1, CHECKPOINT_NUMBERS,
                  0, 0);
}

bool file_arrays_allocate(struct file_arrays *arrays, const struct nim_model *model) {
    arrays->staged = calloc(model->noise_at, sizeof(double)); /* noise follows the classes */
    if (model_is_single(model))
        arrays->moments = calloc(2 * model->count, sizeof(double));
    return arrays->staged && (arrays->moments || !model_is_single(model));
}

void file_arrays_free(struct file_arrays *arrays) {
    free(arrays->staged);
    free(arrays->moments);
}

/* ---------------------------------------------------------------- checks ---------------------- */

static bool all_between(const double *values, size_t count, double least, double most) {
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= least && values[i] <= most))
            return false;
    return true;
}

static bool kernels_can_be(const struct nim_model *model) {
    const double most = LARGEST_LOG;
    size_t terms = model->gp.kernel->terms;
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        /* Kernels divide by the squares of lengthscales. */
        if (!all_between(theta.log_variance, terms, -most, most) ||
            !all_between(theta.log_white, 1, -HUGE_VAL, most) ||
            !all_between(theta.log_lengthscale, terms * model->attributes, -0.5 * most, 0.5 * most))
            return false;
    }
    return true;
}

static bool flags_can_be(const struct nim_model *model) {
    for (size_t k = 0; k < model->scaling.flags; k++) {
        double column = model->scaling.flagged[k];
        if (!(column >= 0.0 && column < (double)model->columns && column == floor(column)))
            return false;
    }
    return true;
}

const char *file_impossible_array(const struct nim_model *model) {
    const struct population *population = &model->population, *own = &model->novelty.own;
    const struct scaling *scaling = &model->scaling;
    const double least = DBL_TRUE_MIN, most = DBL_MAX;
    size_t d = model->attributes;
    const struct {
        const char *name;
        bool good;
    } arrays[] = {
        {"population.share", all_between(population->share, population->components, least, 1.0)},
        {"population.variance",
         population->components || all_between(population->variance, d, least, most)},
        {"novelty.population.share", all_between(own->share, own->components, least, 1.0)},
        {"novelty.population.variance",
         own->components || !own->learned || all_between(own->variance, d, least, most)},
        {"novelty.quantiles", novelty_can_be(&model->novelty)},
        {"conformal", conformal_can_be(&model->conformal, model->classes)},
        {"calibration.temperature", all_between(&model->temperature, 1, least, most)},
        {"class_shares", class_shares_can_be(model)},
        {"scaling.flagged", flags_can_be(model)},
        {"training.trace", bound_trace_reaches(&model->trace, model->epoch)},
        {"scaling.deviation", all_between(scaling->deviation, d, least, most)},
        {"scaling.median_error", all_between(scaling->median_error, d, 0.0, most)},
        {"scaling.spread", all_between(scaling->spread, d, 0.0, most)},
        {"scaling.warp_centre", all_between(scaling->warp_centre, model->columns, -most, most)},
        {"scaling.warp_width", all_between(scaling->warp_width, model->columns, 0.0, most)},
        {"scaling.target_deviation", all_between(&scaling->target_deviation, 1, least, most)},
        {"jitter", all_between(model->jitter, model->functions, least, 1.001 * GP_JITTER_LIMIT)},
        {"kernel", kernels_can_be(model)},
        {"noise.log_variance",
         all_between(model->theta + model->noise_at, model->noise_count, -HUGE_VAL, LARGEST_LOG)},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!arrays[i].good)
            return arrays[i].name;
    return NULL;
}
