/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/collectives.h"
#include "base/pool.h"
#include "base/sized.h"
#include "gp/posterior_form.h"
#include "model/arrays.h"
#include "model/shapes.h"
#include "model/start.h"
#include "model/targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks that every term of the kernel can be evaluated in the chosen precision. */
static nim_status check_precision(const nim_options *options, nim_error *error) {
    for (size_t t = 0; options->precision == PRECISION_SINGLE && t < options->kernel->terms; t++)
        if (!options->kernel->term[t]->evaluate_single)
            return option_failure(error, "precision", "kernel %s has no single precision",
                                  options->kernel->name);
    return NIM_OK;
}

/* The sizes of a model with these options and data. The columns that get a flag are stored in
 * flagged, which has room for all columns. */
static nim_status choose_sizes(const nim_options *options, const nim_data *data,
                               struct model_sizes *sizes, size_t *flagged, nim_error *error) {
    nim_status status = targets_classes(options, data, &sizes->classes, error);
    if (status != NIM_OK)
        return status;
    sizes->columns = data->attributes;
    if (options->missing != MISSING_IGNORE && !scaling_find_flags(data, flagged, &sizes->flags))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to count missing cells");
    sizes->inducing = options->inducing;
    if (sizes->inducing > data->rows)
        return option_failure(error, "inducing", "%zu inducing inputs are more than the %zu rows",
                              sizes->inducing, data->rows);
    return NIM_OK;
}

/* Passes options to the parts. */
static void pass_options(struct nim_model *model) {
    const struct nim_options *options = &model->options;
    model->gp = (struct gp_shape){.kernel = options->kernel,
                                  .degree = (unsigned)options->degree,
                                  .inducing = model->inducing,
                                  .attributes = model->attributes,
                                  .form = posterior_form_list[options->whiten]};
    model->likelihood = (struct likelihood_setting){.classes = model->classes,
                                                    .functions = model->functions,
                                                    .alpha = options->alpha,
                                                    .epsilon = options->epsilon,
                                                    .learn_epsilon = (int)options->learn_epsilon};
    model->input = (struct input_setting){.attributes = model->attributes,
                                          .features = targets_features(model->classes),
                                          .samples = options->input->samples ? options->samples : 1,
                                          .population = &model->population,
                                          .layers = options->layers,
                                          .units = options->units};
}

static void layout(struct nim_model *model, struct arena *arena) {
    const struct input_model *input = model->options.input;
    const struct likelihood *likelihood = model->options.likelihood;
    size_t at = model->functions * gp_parameter_count(&model->gp);
    model->noise_at = at;
    model->noise_count = model->options.noise == NOISE_GIVEN ? 0 : model->columns;
    model->likelihood_at = at += model->noise_count;
    model->likelihood_count = likelihood_parameters(likelihood, &model->likelihood);
    model->input_at = at += model->likelihood_count;
    model->input_count = input->shared_parameters ? input->shared_parameters(&model->input) : 0;
    model->count = at + model->input_count;
    model->theta = arena_doubles(arena, model->count);
    model->moment1.wide = arena_doubles(arena, model->count); /* the option may change later */
    model->moment2.wide = arena_doubles(arena, model->count);
    model->constants =
        likelihood->table ? arena_doubles(arena, likelihood->table(&model->likelihood)) : NULL;
    model->table.each = input->row_parameters * model->attributes;
    struct array_list list = {0};
    struct model_counts counts;
    model_arrays(model, &counts, &list);
    array_list_layout(&list, arena);
}

/* Names with numbers, from `first` on. */
static bool number_names(struct name_list *list, const char *word, size_t first, size_t count) {
    char name[32];
    struct complaint complaint;
    for (size_t i = first; i < first + count; i++) {
        int length = snprintf(name, sizeof name, "%s%zu", word, i);
        if (!name_list_add(list, name, (size_t)length, &complaint))
            return false;
    }
    return true;
}

void model_plan(struct nim_model *model, const struct plan *plan, const struct model_sizes *sizes) {
    const struct nim_options *options = &plan->options;
    *model = (struct nim_model){
        .plan = *plan,
        .classes = sizes->classes,
        .functions = likelihood_functions(options->likelihood, sizes->classes, options->functions),
        .columns = sizes->columns,
        .attributes = sizes->columns + sizes->flags,
        .inducing = sizes->inducing,
        .bound = (double)NAN,
        .temperature = 1.0};
    scaling_plan(&model->scaling, sizes->columns, sizes->flags, targets_bounds(options));
    pass_options(model);
    layout(model, &model->arena);
}

nim_status model_make_room(struct nim_model *model, nim_error *error) {
    const struct likelihood *likelihood = model->options.likelihood;
    if (!arena_allocate(&model->arena) ||
        !number_names(&model->attribute_names, "x", 1, model->columns) ||
        !number_names(&model->class_names, "", 0, model->classes))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a model of %zu parameters",
                       model->count);
    layout(model, &model->arena);
    model->likelihood.table = model->constants;
    if (model->constants && !likelihood->fill_table(&model->likelihood, model->constants))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to prepare likelihood %s",
                       likelihood->name);
    return NIM_OK;
}

nim_status model_allocate(const struct plan *plan, const struct model_sizes *sizes,
                          struct nim_model **result, nim_error *error) {
    struct nim_model *model = calloc(1, sizeof *model);
    if (!model)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a model");
    model_plan(model, plan, sizes);
    nim_status status = model_make_room(model, error);
    if (status == NIM_OK)
        *result = model;
    else
        nim_model_free(model);
    return status;
}

nim_status model_copy(const struct nim_model *model, struct nim_model **result, nim_error *error) {
    const struct model_sizes sizes = {model->classes, model->columns, model->scaling.flags,
                                      model->inducing};
    struct nim_model *copy = NULL;
    nim_status status = model_allocate(&model->plan, &sizes, &copy, error);
    if (status != NIM_OK)
        return status;
    copy->scaling = model->scaling;
    copy->arena.used = 0;
    layout(copy, &copy->arena); /* the arrays of the scaling are its own */
    memcpy(copy->arena.memory, model->arena.memory, copy->arena.size);
    model_forget_optimiser(copy);
    copy->collectives = model->collectives;
    copy->population = model->population;
    copy->population.arena = (struct arena){0}; /* owned and freed by the model */
    copy->step = model->step;
    *result = copy;
    return NIM_OK;
}

static nim_status create_model(const nim_options *options, const nim_data *data, nim_model **result,
                               nim_error *error) {
    struct model_sizes sizes = {0};
    struct nim_model *model = NULL;
    nim_status status = data_check(data, error);
    if (status == NIM_OK)
        status = weights_check_total(data, error);
    if (status != NIM_OK)
        return status;
    size_t *flagged = calloc(data->attributes, sizeof *flagged);
    if (!flagged)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a model");
    const struct facts facts = plan_facts(data);
    struct plan plan = plan_make(options, &facts);
    status = check_precision(&plan.options, error);
    if (status == NIM_OK)
        status = choose_sizes(&plan.options, data, &sizes, flagged, error);
    plan_decide_rest(&plan, sizes.columns + sizes.flags);
    if (status == NIM_OK)
        status = model_allocate(&plan, &sizes, &model, error);
    if (status == NIM_OK)
        status = shapes_check_use(model, data, error);
    for (size_t k = 0; status == NIM_OK && k < sizes.flags; k++)
        model->scaling.flagged[k] = (double)flagged[k];
    free(flagged);
    if (status == NIM_OK)
        status = scaling_compute(&model->scaling, data, plan.options.standardise,
                                 plan.options.warp != WARP_NONE, error);
    if (status == NIM_OK)
        status = model_learn_population(model, data, NULL, error);
    if (status == NIM_OK && !model_start(model, data))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to place the inducing inputs");
    if (status != NIM_OK) {
        nim_model_free(model);
        return status;
    }
    class_shares_count(model, data);
    *result = model;
    return succeed(error);
}

nim_status nim_model_create(const nim_options *options, const nim_data *data, nim_model **result,
                            nim_error *error) {
    nim_data ours;
    if (!options || !result)
        return failure(error, NIM_INVALID_ARGUMENT, "options or model is NULL");
    *result = NULL;
    nim_status status = take_data(&ours, data, error);
    return status == NIM_OK ? create_model(options, &ours, result, error) : status;
}

void model_take_rows(const struct nim_model *model, const nim_data *data, size_t count,
                     const size_t *row, double *x, double *noise, double *shape, double *weight) {
    measurements_take(model, data, model->population.components > 0, count, row, x, noise, shape,
                      weight);
    if (!model->population.components)
        scaling_fill_missing(&model->scaling, count, noise);
}

void nim_model_free(nim_model *model) {
    if (!model)
        return;
    row_table_free(&model->table);
    name_list_free(&model->attribute_names);
    name_list_free(&model->class_names);
    note_list_free(&model->notes);
    conformal_free(&model->conformal);
    novelty_free(&model->novelty);
    population_free(&model->population);
    panel_free(model->panel);
    arena_free(&model->arena);
    free(model);
}

const nim_options *nim_model_options(const nim_model *model) {
    return &model->options;
}

int nim_model_can(const nim_model *model, nim_ability what) {
    return nim_options_can(&model->options, what);
}

const nim_options *nim_model_request(const nim_model *model) {
    return &model->plan.request;
}

static const struct rule *rule_of(const nim_model *model, const char *option) {
    size_t index = option ? option_index(option) : OPTION_COUNT;
    return index < OPTION_COUNT ? model->plan.rule[index] : NULL;
}

size_t nim_model_reason(const nim_model *model, const char *option, char *text, size_t size) {
    const struct rule *rule = rule_of(model, option);
    if (size)
        text[0] = '\0';
    return rule ? rule_reason(rule, text, size) : 0;
}

size_t nim_model_choice(const nim_model *model, const char *option, char *text, size_t size) {
    const struct rule *rule = rule_of(model, option);
    char value[64] = "";
    bool words = rule && rule->text && option_is_default(&model->options, option);
    nim_options_get(&model->options, option, value, sizeof value, NULL);
    return (size_t)snprintf(text, size, "%s", words ? rule->text : value);
}

size_t nim_model_idle(const nim_model *model, const char *option, char *text, size_t size) {
    const char *why = option ? option_idle(option, &model->options) : NULL;
    return (size_t)snprintf(text, size, "%s", why ? why : "");
}

/* Replaces doubles by floats in the same memory, or floats by doubles, from the end on. */
static void convert_moments(size_t count, union gp_matrix moments, bool to_single) {
    char *bytes = (char *)moments.wide;
    for (size_t k = 0; k < count; k++) {
        size_t i = to_single ? k : count - 1 - k;
        float narrow;
        double wide;
        if (to_single) {
            memcpy(&wide, bytes + i * sizeof wide, sizeof wide);
            narrow = (float)wide;
            memcpy(bytes + i * sizeof narrow, &narrow, sizeof narrow);
        } else {
            memcpy(&narrow, bytes + i * sizeof narrow, sizeof narrow);
            wide = (double)narrow;
            memcpy(bytes + i * sizeof wide, &wide, sizeof wide);
        }
    }
}

nim_status nim_model_set_option(nim_model *model, const char *name, const char *value,
                                nim_error *error) {
    if (!model || !name)
        return failure(error, NIM_INVALID_ARGUMENT, "model or name is NULL");
    struct plan changed = model->plan;
    nim_status status = nim_options_set(&changed.request, name, value, error);
    if (status != NIM_OK)
        return status;
    nim_option_role role = nim_option_named(name)->role;
    if (role == NIM_OPTION_SHAPES)
        return option_failure(error, name, "it cannot change after the model was created");
    if (role == NIM_OPTION_TRAINS && model->under_way)
        return option_failure(error, name,
                              "it cannot change before the stopped training is complete");
    plan_decide_rest(&changed, model->attributes);
    bool single = changed.options.precision == PRECISION_SINGLE;
    if (single != model_is_single(model)) {
        convert_moments(model->count, model->moment1, single);
        convert_moments(model->count, model->moment2, single);
    }
    model->plan = changed;
    return succeed(error);
}

nim_status nim_model_set_collectives(nim_model *model, const nim_collectives *collectives,
                                     nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    nim_collectives ours = {0};
    nim_status status = collectives ? take_collectives(&ours, collectives, error) : NIM_OK;
    if (status != NIM_OK)
        return status;
    if (collectives && ours.rank >= ours.processes)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "collectives: rank %zu is not below processes %zu", ours.rank,
                       ours.processes);
    if (collectives && !(ours.sum && ours.largest && ours.gather))
        return failure(error, NIM_INVALID_ARGUMENT, "collectives: a function is NULL");
    if (collectives) /* others than those among which rows and functions are divided */
        status = model_check_complete(model, error);
    if (status != NIM_OK)
        return status;
    model->collectives = ours;
    return succeed(error);
}

/* offset: a scratch array of processes + 1. */
static nim_status gather_moments(struct nim_model *model, size_t *offset, nim_error *error) {
    const nim_collectives *all = &model->collectives;
    size_t width = model_is_single(model) ? sizeof(float) : sizeof(double);
    for (size_t rank = 0; rank <= all->processes; rank++)
        offset[rank] = part_start(model->functions, rank, all->processes) *
                       gp_parameter_count(&model->gp) * width;
    nim_status status = collective_gather(all, model->moment1.wide, offset, error);
    if (status == NIM_OK)
        status = collective_gather(all, model->moment2.wide, offset, error);
    model->moments_scattered = status != NIM_OK;
    return status;
}

nim_status model_complete(struct nim_model *model, nim_error *error) {
    const nim_collectives *all = &model->collectives;
    if (!model->moments_scattered && !model->table.scattered)
        return NIM_OK;
    if (all->processes == 0)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "parts of the model are in other processes, and can no longer be gathered");
    size_t *offset = calloc(all->processes + 1, sizeof *offset);
    nim_status status =
        offset ? NIM_OK
               : failure(error, NIM_OUT_OF_MEMORY, "no memory to gather the parts of a model");
    status = collective_agree(all, status, error);
    if (status == NIM_OK && model->moments_scattered)
        status = gather_moments(model, offset, error);
    if (status == NIM_OK && model->table.scattered)
        status = row_table_gather(&model->table, all, offset, error);
    free(offset);
    return status;
}

nim_status model_check_complete(const struct nim_model *model, nim_error *error) {
    return model->moments_scattered || model->table.scattered
               ? failure(error, NIM_INVALID_ARGUMENT,
                         "parts of the model are divided among the processes; all of them must "
                         "call nim_model_gather first")
               : NIM_OK;
}

nim_status nim_model_gather(nim_model *model, nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    nim_status status = model_complete(model, error);
    return status == NIM_OK ? succeed(error) : status;
}

nim_status nim_model_set_storage(nim_model *model, const nim_storage *storage, nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    nim_storage ours = {0};
    nim_status status = storage ? take_storage(&ours, storage, error) : NIM_OK;
    if (status != NIM_OK)
        return status;
    if (storage && !ours.resize)
        return failure(error, NIM_INVALID_ARGUMENT, "storage: resize is NULL");
    if (!row_table_move(&model->table, &ours))
        return failure(error, NIM_OUT_OF_MEMORY,
                       "the storage has no room for the parameters of %zu rows", model->table.rows);
    return succeed(error);
}

struct gp_parameters model_gp(const struct nim_model *model, double *theta, size_t c) {
    return gp_parameters_at(&model->gp, theta + c * gp_parameter_count(&model->gp));
}

struct block model_block(const struct nim_model *model, size_t index) {
    size_t m = model->inducing, d = model->attributes, c = index / BLOCKS_PER_FUNCTION;
    const struct block last[] = {
        {"noise", model->noise_at, model->noise_count},
        {"likelihood", model->likelihood_at, model->likelihood_count},
        {"input", model->input_at, model->input_count},
    };
    if (c == model->functions)
        return last[index % BLOCKS_PER_FUNCTION];
    static const char *const name[BLOCKS_PER_FUNCTION] = {
        "log_variance", "log_white", "log_lengthscale", "z", "m", "l"};
    size_t terms = model->gp.kernel->terms;
    const size_t count[BLOCKS_PER_FUNCTION] = {terms, 1, terms * d, m * d, m, m * (m + 1) / 2};
    size_t offset = c * gp_parameter_count(&model->gp);
    for (size_t b = 0; b < index % BLOCKS_PER_FUNCTION; b++)
        offset += count[b];
    return (struct block){name[index % BLOCKS_PER_FUNCTION], offset,
                          count[index % BLOCKS_PER_FUNCTION]};
}

void model_add_learned_noise(const struct nim_model *model, size_t count, double *noise) {
    for (size_t j = 0; j < model->noise_count; j++) {
        double learned = exp(model->theta[model->noise_at + j]);
        for (size_t i = 0; i < count; i++)
            noise[i * model->attributes + j] += learned;
    }
}

void model_forget_optimiser(struct nim_model *model) {
    memset(model->moment1.wide, 0, model->count * sizeof(double));
    memset(model->moment2.wide, 0, model->count * sizeof(double));
    model->moments_scattered = false;
    model->visits = 0;
    row_table_forget(&model->table);
}

nim_status model_check_data(const struct nim_model *model, const nim_data *data, bool labelled,
                            nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    if (data && data->attributes && data->attributes != model->columns)
        return failure(error, NIM_INVALID_ARGUMENT, "the table has %zu attributes, the model %zu",
                       data->attributes, model->columns);
    nim_status status = data_check(data, error);
    if (status == NIM_OK)
        status = shapes_check_use(model, data, error);
    return status == NIM_OK && labelled ? targets_check(model, data, error) : status;
}

size_t model_threads(const struct nim_model *model) {
    return model->options.threads ? model->options.threads : pool_processors();
}
