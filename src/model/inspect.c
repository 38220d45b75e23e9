/* SPDX-License-Identifier: Apache-2.0 */
/* Inspection of a model: its sizes, its learned quantities, and the estimated true inputs of rows.
 */
#include "math/linalg.h"
#include "base/pool.h"
#include "base/sized.h"
#include "model/bound.h"
#include "model/shapes.h"
#include "model/targets.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

nim_target nim_model_target(const nim_model *model) {
    return (nim_target)model->options.likelihood->target;
}
size_t nim_model_classes(const nim_model *model) {
    return model->classes;
}
size_t nim_model_functions(const nim_model *model) {
    return model->functions;
}
size_t nim_model_attributes(const nim_model *model) {
    return model->columns;
}
size_t nim_model_inducing(const nim_model *model) {
    return model->inducing;
}
size_t nim_model_epochs(const nim_model *model) {
    return (size_t)model->epoch;
}
size_t nim_model_rows(const nim_model *model) {
    return model->table.rows;
}
int nim_model_under_way(const nim_model *model) {
    return model->under_way;
}
double nim_model_bound(const nim_model *model) {
    return model->bound;
}

/* Each function writes one array; the table below has the counts. */
typedef void read_function(const nim_model *model, double *values);

static void read_lengthscales(const nim_model *model, double *values) {
    size_t terms = model->gp.kernel->terms, d = model->attributes;
    for (size_t row = 0; row < model->functions * terms; row++) {
        struct gp_parameters theta = model_gp(model, model->theta, row / terms);
        for (size_t j = 0; j < model->columns; j++)
            *values++ = exp(theta.log_lengthscale[row % terms * d + j]) *
                        scaling_usual_unit(&model->scaling, j);
    }
}

static void read_variances(const nim_model *model, double *values) {
    size_t terms = model->gp.kernel->terms;
    for (size_t c = 0; c < model->functions; c++)
        for (size_t t = 0; t < terms; t++)
            values[c * terms + t] = exp(model_gp(model, model->theta, c).log_variance[t]);
}

static void read_white_noise(const nim_model *model, double *values) {
    for (size_t c = 0; c < model->functions; c++)
        values[c] = exp(*model_gp(model, model->theta, c).log_white);
}

static void read_inducing_inputs(const nim_model *model, double *values) {
    size_t d = model->attributes;
    for (size_t c = 0; c < model->functions; c++)
        for (size_t i = 0; i < model->inducing; i++)
            for (size_t j = 0; j < model->columns; j++)
                *values++ = scaling_invert(&model->scaling, j,
                                           model_gp(model, model->theta, c).z[i * d + j]);
}

static void read_noise_variance(const nim_model *model, double *values) {
    for (size_t j = 0; j < model->columns; j++) {
        double unit = scaling_usual_unit(&model->scaling, j);
        values[j] =
            model_learns_noise(model) ? exp(model->theta[model->noise_at + j]) * unit * unit : 0.0;
    }
}

/* 1/lambda^2 of attribute j in function c. For a sum of terms, the average weighted by their s2. */
static double steepness(const nim_model *model, size_t c, size_t j) {
    struct gp_parameters theta = model_gp(model, model->theta, c);
    double total = 0.0, all = 0.0;
    for (size_t t = 0; t < model->gp.kernel->terms; t++)
        all += exp(theta.log_variance[t]);
    for (size_t t = 0; t < model->gp.kernel->terms; t++)
        total += exp(theta.log_variance[t]) / all *
                 exp(-2.0 * theta.log_lengthscale[t * model->attributes + j]);
    return total;
}

/* The sum over functions of 1/lambda^2 of attribute j, which may be a flag of missing cells. */
static double relevance_at(const nim_model *model, size_t j) {
    double total = 0.0;
    for (size_t c = 0; model->scaling.spread[j] > 0.0 && c < model->functions; c++)
        total += steepness(model, c, j);
    return total;
}

static void read_relevances(const nim_model *model, size_t first, size_t count, double *values) {
    double largest = 0.0;
    for (size_t j = 0; j < model->attributes; j++)
        largest = fmax(largest, relevance_at(model, j));
    for (size_t j = 0; j < count; j++)
        values[j] = relevance_at(model, first + j) / (largest > 0.0 ? largest : 1.0);
}

static void read_relevance(const nim_model *model, double *values) {
    read_relevances(model, 0, model->columns, values);
}

/* The relevance in each function, divided by the largest sum over functions. */
static void read_function_relevance(const nim_model *model, double *values) {
    double largest = 0.0;
    for (size_t j = 0; j < model->attributes; j++)
        largest = fmax(largest, relevance_at(model, j));
    for (size_t c = 0; c < model->functions; c++)
        for (size_t j = 0; j < model->columns; j++) {
            double share = steepness(model, c, j);
            *values++ = model->scaling.spread[j] > 0.0 && largest > 0.0 ? share / largest : 0.0;
        }
}

static void read_missing_relevance(const nim_model *model, double *values) {
    read_relevances(model, model->columns, model->scaling.flags, values);
}

static void read_panel_weights(const nim_model *model, double *values) {
    size_t fits = panel_fits(model->panel);
    for (size_t r = 0; r < PANEL_WEIGHED; r++)
        memcpy(values + r * fits, model->panel->weight[r], fits * sizeof *values);
}

/* Gaussians of the population: one if its attributes are independent. */
static size_t known_gaussians(const nim_model *model) {
    const struct population *population = &model->population;
    return population->components ? population->components : population->learned;
}

static void read_population_shares(const nim_model *model, double *values) {
    const struct population *population = &model->population;
    for (size_t k = 0; k < known_gaussians(model); k++)
        values[k] = population->components ? population->share[k] : 1.0;
}

static void read_population_means(const nim_model *model, double *values) {
    for (size_t k = 0; k < known_gaussians(model); k++)
        for (size_t j = 0; j < model->columns; j++)
            *values++ = scaling_invert(&model->scaling, j,
                                       model->population.mean[k * model->attributes + j]);
}

static double population_covariance(const struct population *population, size_t k, size_t i,
                                    size_t j) {
    size_t d = population->attributes;
    const double *root = population->root + k * d * d;
    if (population->components == 0)
        return i == j ? population->variance[i] : 0.0;
    return dot(d, root + i * d, root + j * d);
}

static void read_population_covariances(const nim_model *model, double *values) {
    for (size_t k = 0; k < known_gaussians(model); k++)
        for (size_t i = 0; i < model->columns; i++)
            for (size_t j = 0; j < model->columns; j++)
                *values++ = population_covariance(&model->population, k, i, j) *
                            scaling_usual_unit(&model->scaling, i) *
                            scaling_usual_unit(&model->scaling, j);
}

/* The quantity learned by the likelihood with this name, or NULL. */
static const struct likelihood_quantity *find_quantity(const nim_model *model, const char *name) {
    const struct likelihood_quantity *quantity = model->options.likelihood->quantities;
    while (quantity && quantity->name && strcmp(quantity->name, name) != 0)
        quantity++;
    return quantity && quantity->name ? quantity : NULL;
}

/* Stores the number of values in count, and fails if they do not fit. */
static nim_status fit_values(const char *name, size_t size, const double *values, size_t capacity,
                             size_t *count, nim_error *error) {
    if (count)
        *count = size;
    return !values || size <= capacity
               ? succeed(error)
               : failure(error, NIM_INVALID_ARGUMENT,
                         "array '%s' has %zu values, but the capacity is %zu", name, size,
                         capacity);
}

static size_t quantity_size(const nim_model *model, const struct likelihood_quantity *quantity) {
    return quantity->count ? quantity->count(&model->likelihood) : 1;
}

static void read_quantity(const nim_model *model, const struct likelihood_quantity *quantity,
                          double *values) {
    size_t size = quantity_size(model, quantity);
    quantity->read(&model->likelihood, model->theta + model->likelihood_at, values);
    for (size_t i = 0; quantity->scales && i < size; i++)
        values[i] *= model->scaling.target_deviation;
}

nim_status nim_model_get(const nim_model *model, const char *name, double *values, size_t capacity,
                         size_t *count, nim_error *error) {
    if (!model || !name)
        return failure(error, NIM_INVALID_ARGUMENT, "model or name is NULL");
    size_t c = model->functions, m = model->inducing, d = model->columns;
    size_t terms = model->gp.kernel->terms, k = known_gaussians(model);
    size_t flags = model->scaling.flags, kept = model->conformal.kept;
    const struct panel *panel = model->panel;
    const struct {
        const char *name;
        size_t count;
        read_function *read;
        const double *values; /* or where they are */
    } arrays[] = {
        {"lengthscales", c * terms * d, read_lengthscales, NULL},
        {"variances", c * terms, read_variances, NULL},
        {"white_noise", c, read_white_noise, NULL},
        {"inducing_inputs", c * m * d, read_inducing_inputs, NULL},
        {"noise_variance", d, read_noise_variance, NULL},
        {"relevance", d, read_relevance, NULL},
        {"function_relevance", c * d, read_function_relevance, NULL},
        {"missing_columns", flags, NULL, model->scaling.flagged},
        {"missing_relevance", flags, read_missing_relevance, NULL},
        {"population_shares", k, read_population_shares, NULL},
        {"population_means", k * d, read_population_means, NULL},
        {"population_covariances", k * d * d, read_population_covariances, NULL},
        {"temperature", 1, NULL, &model->temperature},
        {"calibration_offsets", model->shifted ? model->classes : 0, NULL, model->offset},
        {"class_shares", model->shares_known ? model->classes : 0, NULL, model->class_share},
        {"novelty_quantiles", model->novelty.kept, NULL, model->novelty.quantile},
        {"plausibility_rows", kept ? conformal_groups(model) : 0, NULL, model->conformal.rows},
        {"panel_weights", panel ? PANEL_WEIGHED * panel_fits(panel) : 0, read_panel_weights, NULL},
        {"panel_gain", panel ? 2 : 0, NULL, panel ? panel->gain : NULL},
        {"trace", 2 * model->trace.count, NULL, model->trace.point[0]},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        size_t size = arrays[i].count;
        if (strcmp(arrays[i].name, name) != 0)
            continue;
        nim_status status = fit_values(name, size, values, capacity, count, error);
        if (status == NIM_OK && values && arrays[i].read && size)
            arrays[i].read(model, values);
        else if (status == NIM_OK && values && size)
            memcpy(values, arrays[i].values, size * sizeof *values);
        return status;
    }
    const struct likelihood_quantity *quantity = find_quantity(model, name);
    if (!quantity)
        return failure(error, NIM_INVALID_ARGUMENT, "a %s model has no array '%s'",
                       model->options.likelihood->name, name);
    nim_status status =
        fit_values(name, quantity_size(model, quantity), values, capacity, count, error);
    if (status == NIM_OK && values)
        read_quantity(model, quantity, values);
    return status;
}

/* ---------------------------------------------------------------- denoising ------------------- */

enum { CHUNK = 256 }; /* rows at a time, so that memory does not grow with the data */

struct denoiser {
    struct input_setting setting; /* the model's, for CHUNK rows */
    struct bound_batch batch;
    struct input_work work;
    struct row_priors priors;
    double *feature, *mean, *variance, *scratch;
};

static void denoiser_layout(struct denoiser *denoiser, const nim_model *model, const nim_data *data,
                            struct arena *arena) {
    size_t area = CHUNK * model->attributes;
    bound_batch_layout(&denoiser->batch, model, shapes_taken(model, data), CHUNK, arena);
    denoiser->feature = arena_doubles(arena, CHUNK * denoiser->setting.features);
    denoiser->mean = arena_doubles(arena, area);
    denoiser->variance = arena_doubles(arena, area);
    denoiser->scratch = arena_doubles(arena, GEMM_SCRATCH);
    row_priors_layout(&denoiser->priors, model, shapes_correlate(model, data), true, CHUNK, 0, 1,
                      arena);
    if (model->options.input->layout)
        model->options.input->layout(&denoiser->work, &denoiser->setting, arena);
}

/* The mean and variance of the prior, for input models that learn nothing else about a row. */
static void read_prior(const nim_model *model, const struct input_prior *prior, size_t count,
                       double *mean, double *variance) {
    size_t d = model->attributes;
    memcpy(mean, prior->centre, count * d * sizeof(double));
    for (size_t i = 0; i < count * d; i++)
        variance[i] = dot(d, prior->root + i * d, prior->root + i * d);
}

/* q(x) of rows first .. first+count-1, in standard units. */
static void denoise_chunk(const nim_model *model, struct denoiser *denoiser, struct pool *pool,
                          const nim_data *data, size_t first, size_t count) {
    const struct input_model *input = model->options.input;
    struct bound_batch *batch = &denoiser->batch;
    size_t d = model->attributes, each = model->table.each;
    batch->rows = count;
    for (size_t k = 0; k < count; k++)
        batch->row[k] = first + k;
    model_take_rows(model, data, count, batch->row, batch->x, batch->noise, batch->shape,
                    batch->weight);
    model_add_learned_noise(model, count, batch->noise);
    for (size_t i = 0; denoiser->priors.components && i < count; i++)
        row_priors_take(&denoiser->priors, i, first + i,
                        measurement_at(d, batch->x, batch->noise, batch->shape, i), 0);
    struct input_batch rows = bound_batch_input(batch, model, &denoiser->priors, denoiser->feature);
    if (!input->posterior && rows.prior.components) {
        read_prior(model, &rows.prior, count, denoiser->mean, denoiser->variance);
        return;
    }
    if (!input->posterior) {
        memcpy(denoiser->mean, batch->x, count * d * sizeof(double));
        memcpy(denoiser->variance, batch->noise, count * d * sizeof(double));
        return;
    }
    targets_take(model, data, count, batch->row, batch->target);
    targets_describe(model, count, batch->target, denoiser->feature);
    if (each)
        memcpy(batch->own, model->table.theta + first * each, count * each * sizeof(double));
    rows.setting = &denoiser->setting;
    rows.work = &denoiser->work;
    rows.pool = pool;
    rows.scratch = &denoiser->scratch;
    rows.mean = denoiser->mean;
    rows.variance = denoiser->variance;
    input->posterior(&rows);
}

static nim_status check_denoise(const nim_model *model, const nim_data *data, const double *mean,
                                const double *deviation, nim_error *error) {
    nim_status status = model_check_data(model, data, true, error);
    if (status == NIM_OK)
        status = weights_check_total(data, error);
    if (status != NIM_OK)
        return status;
    if (!mean || !deviation)
        return failure(error, NIM_INVALID_ARGUMENT, "mean or deviation is NULL");
    if (model->table.each && data->rows > model->table.rows)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the table has %zu rows; the model was trained on %zu", data->rows,
                       model->table.rows);
    return model_check_complete(model, error);
}

static nim_status denoise(const nim_model *model, const nim_data *data, double *mean,
                          double *deviation, nim_error *error) {
    nim_status status = check_denoise(model, data, mean, deviation, error);
    if (status != NIM_OK)
        return status;
    size_t d = model->columns, width = model->attributes;
    struct arena arena = {0};
    struct denoiser denoiser = {.setting = model->input};
    denoiser.setting.most_rows = CHUNK;
    struct pool *pool = pool_create(1);
    denoiser_layout(&denoiser, model, data, &arena);
    if (!pool || !arena_allocate(&arena)) {
        pool_free(pool);
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to denoise");
    }
    denoiser_layout(&denoiser, model, data, &arena);
    for (size_t first = 0; first < data->rows; first += CHUNK) {
        size_t count = data->rows - first < CHUNK ? data->rows - first : CHUNK;
        denoise_chunk(model, &denoiser, pool, data, first, count);
        for (size_t i = 0; i < count * d; i++) {
            size_t j = i % d, at = i / d * width + j;
            mean[first * d + i] = scaling_invert(&model->scaling, j, denoiser.mean[at]);
            deviation[first * d + i] =
                sqrt(denoiser.variance[at]) * scaling_unit(&model->scaling, j, mean[first * d + i]);
        }
    }
    arena_free(&arena);
    pool_free(pool);
    for (size_t i = 0; i < data->rows * d; i++)
        if (isnan(mean[i]) || isnan(deviation[i]))
            return failure(error, NIM_NUMERICAL,
                           "a denoised value is not a number: the model's parameters are too "
                           "large");
    return succeed(error);
}

nim_status nim_model_denoise(const nim_model *model, const nim_data *data, double *mean,
                             double *deviation, nim_error *error) {
    nim_data ours;
    nim_status status = take_data(&ours, data, error);
    return status == NIM_OK ? denoise(model, &ours, mean, deviation, error) : status;
}
