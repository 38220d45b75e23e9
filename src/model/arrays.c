/* SPDX-License-Identifier: Apache-2.0 */
#include "model/arrays.h"

#include "model/model.h"
#include "model/targets.h"

#include <float.h>
#include <math.h>

/* exp(LARGEST_LOG) and exp(-LARGEST_LOG) are finite and not zero. */
#define LARGEST_LOG 700.0

/* Largest offset of a class in calibration. */
#define MOST_OFFSET 100.0

/* Above these a training would not count right. */
#define MOST_VISITS 9007199254740991.0

#define ANY -DBL_MAX, DBL_MAX
#define POSITIVE DBL_TRUE_MIN, DBL_MAX

static void list_population(struct array_list *list, const char *group, size_t d,
                            struct population *population) {
    size_t k = population->components,
           most = d > POPULATION_MOST_WIDTH ? 0 : POPULATION_MOST_COMPONENTS;
    const struct array arrays[] = {
        ARRAY("share", SHAPE(1, k), DBL_TRUE_MIN, 1.0, population->share,
              .open = &population->components, .most_open = most),
        ARRAY("mean", SHAPE(k ? 2 : 1, k ? k : d, d), ANY, population->mean,
              .absent = !population->learned),
        ARRAY("factor", SHAPE(3, k, d, d), ANY, population->root, .absent = !k),
        ARRAY("variance", SHAPE(1, d), POSITIVE, population->variance, .absent = k > 0,
              .known = &population->learned),
    };
    array_list_add(list, group, sizeof arrays / sizeof *arrays, arrays);
}

/* What is known of the training rows, besides the population. */
static void list_known(struct nim_model *model, struct array_list *list) {
    size_t c = model->classes, kept = model->conformal.kept, groups = conformal_groups(model);
    const struct array arrays[] = {
        ARRAY("scaling.target_mean", SHAPE(1, 1), ANY, &model->scaling.target_mean,
              .absent = c > 0),
        ARRAY("scaling.target_deviation", SHAPE(1, 1), POSITIVE, &model->scaling.target_deviation,
              .absent = c > 0),
        ARRAY("calibration.temperature", SHAPE(1, 1), DBL_TRUE_MIN, (double)INFINITY,
              &model->temperature, .known = &model->calibrated),
        ARRAY("calibration.offsets", SHAPE(1, c), -MOST_OFFSET, MOST_OFFSET,
              .place = &model->offset, .known = &model->shifted),
        ARRAY("class_shares", SHAPE(1, c), 0.0, 1.0, .place = &model->class_share,
              .known = &model->shares_known),
        ARRAY("conformal.rows", SHAPE(1, groups), 0.0, 1e12, model->conformal.rows, .whole = true,
              .absent = !kept),
        ARRAY("conformal.scores", SHAPE(2, groups, kept), 0.0, 1.0, model->conformal.score,
              .ascends = true, .open = &model->conformal.kept, .open_at = 1,
              .most_open = groups ? CONFORMAL_KEPT : 0),
        ARRAY("novelty.quantiles", SHAPE(1, model->novelty.kept), ANY, model->novelty.quantile,
              .ascends = true, .open = &model->novelty.kept, .most_open = NOVELTY_KEPT),
    };
    array_list_add(list, NULL, sizeof arrays / sizeof *arrays, arrays);
}

/* Shared parameters. In theta the parameters of one function follow each other, in the file those
 * of one kind. A sum of kernels has one dimension more. */
static void list_parameters(struct nim_model *model, struct array_list *list) {
    size_t f = model->functions, m = model->inducing, d = model->attributes,
           t = model->gp.kernel->terms;
    const double big = LARGEST_LOG, half = 0.5 * LARGEST_LOG; /* kernels divide by lambda^2 */
    const size_t each = gp_parameter_count(&model->gp);
    bool sum = t > 1;
    struct array arrays[] = {
        ARRAY("kernel.log_variance", SHAPE(sum ? 2 : 1, f, t), -big, big, .stride = each),
        ARRAY("kernel.log_white_noise", SHAPE(1, f), -DBL_MAX, big, .stride = each),
        ARRAY("kernel.log_lengthscale", SHAPE(sum ? 3 : 2, f, sum ? t : d, d), -half, half,
              .stride = each),
        ARRAY("inducing.inputs", SHAPE(3, f, m, d), ANY, .stride = each),
        ARRAY("posterior.mean", SHAPE(2, f, m), ANY, .stride = each),
        ARRAY("posterior.factor", SHAPE(2, f, m * (m + 1) / 2), ANY, .stride = each),
        ARRAY("noise.log_variance", SHAPE(1, model->noise_count), -DBL_MAX, big, .stride = 0),
        ARRAY("likelihood.parameters", SHAPE(1, model->likelihood_count), ANY, .stride = 0),
        ARRAY("input.parameters", SHAPE(1, model->input_count), ANY, .stride = 0),
    };
    size_t count = sizeof arrays / sizeof *arrays;
    for (size_t b = 0; model->theta && b < count; b++) {
        size_t index = arrays[b].stride ? b : (f - 1) * BLOCKS_PER_FUNCTION + b;
        arrays[b].values = model->theta + model_block(model, index).offset;
    }
    array_list_add(list, NULL, count, arrays);
}

/* Parameters of single rows, and the state of a training that was stopped. */
static void list_training(struct nim_model *model, struct array_list *list) {
    struct row_table *table = &model->table;
    size_t each = table->each, rows = table->rows, count = model->count;
    bool single = model_is_single(model), done = model->visits == 0;
    double *wide[] = {model->moment1.wide, model->moment2.wide};
    float *narrow[] = {model->moment1.narrow, model->moment2.narrow};
    const struct array arrays[] = {
        ARRAY("rows.parameters", SHAPE(2, rows, each), ANY, table->theta, .absent = !each),
        ARRAY("optimiser.moment1", SHAPE(1, count), ANY, single ? NULL : wide[0],
              .single = single ? narrow[0] : NULL, .absent = done),
        ARRAY("optimiser.moment2", SHAPE(1, count), ANY, single ? NULL : wide[1],
              .single = single ? narrow[1] : NULL, .absent = done),
        ARRAY("optimiser.row_moments", SHAPE(3, rows, 2, each), ANY, table->moments,
              .absent = done || !each),
        ARRAY("optimiser.row_visits", SHAPE(1, rows), 0.0, MOST_VISITS, table->visits,
              .absent = done || !each),
        ARRAY("training.standing", SHAPE(1, CHECKPOINT_NUMBERS), ANY, &model->checkpoint.next_batch,
              .absent = done || !model->under_way),
    };
    array_list_add(list, NULL, sizeof arrays / sizeof *arrays, arrays);
}

void model_arrays(struct nim_model *model, struct model_counts *counts, struct array_list *list) {
    struct bound_trace *trace = &model->trace;
    size_t d = model->attributes;
    const struct array first[] = {
        ARRAY("counts", SHAPE(1, 4), .values = &counts->step, .unchecked = true),
        ARRAY("training.trace", SHAPE(2, trace->count, 2), ANY, trace->point[0],
              .open = &trace->count, .most_open = TRACE_POINTS),
    };
    const struct array jitter = ARRAY("jitter", SHAPE(1, model->functions), DBL_TRUE_MIN,
                                      1.001 * GP_JITTER_LIMIT, .place = &model->jitter);
    array_list_add(list, NULL, sizeof first / sizeof *first, first);
    scaling_arrays(&model->scaling, list);
    list_population(list, "population", d, &model->population);
    list_known(model, list);
    list_population(list, "novelty.population", d, &model->novelty.own);
    array_list_add(list, NULL, 1, &jitter);
    list_parameters(model, list);
    list_training(model, list);
}
