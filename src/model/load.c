/* SPDX-License-Identifier: Apache-2.0 */
/* Loads models (docs/model-file.md). */
#include "model/file_arrays.h"
#include "model/targets.h"
#include "text/json_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file being loaded. Error messages contain its path. */
struct loading {
    const char *path;
    struct safetensors file;
    nim_error *error;
};

static nim_status refuse(const struct loading *loading, const char *what, const char *name) {
    return failure(loading->error, NIM_BAD_FILE, "%s: %s '%s'", loading->path, what, name);
}

static nim_status check_format(const struct loading *loading) {
    const char *format = safetensors_text(&loading->file, "format");
    const char *version = safetensors_text(&loading->file, "format_version");
    if (!format || strcmp(format, FILE_FORMAT) != 0 || !version)
        return failure(loading->error, NIM_BAD_FILE, "%s: is not a nimgp model file",
                       loading->path);
    if (strcmp(version, FILE_FORMAT_VERSION) != 0)
        return failure(loading->error, NIM_BAD_FILE,
                       "%s: is a model file of version %s; this is nimgp %s, which reads version "
                       "%s",
                       loading->path, version, NIM_VERSION, FILE_FORMAT_VERSION);
    return NIM_OK;
}

/* The values of options that older files do not have. */
static void set_former(nim_options *options) {
    static const char *const former[][2] = {
        {"alpha", "0"},        {"population", "flat"}, {"missing", "ignore"},
        {"calibrate", "none"}, {"caution", "1"},       {"lengthscale_prior", "0"},
    };
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        nim_options_set(options, former[i][0], former[i][1], NULL);
}

static nim_status load_options(const struct loading *loading, nim_options *options) {
    set_former(options);
    for (size_t i = 0; i < loading->file.texts; i++) {
        const struct metadata *text = &loading->file.text[i];
        if (strncmp(text->key, FILE_OPTION_PREFIX, strlen(FILE_OPTION_PREFIX)) != 0)
            continue;
        nim_error reason;
        if (nim_options_set(options, text->key + strlen(FILE_OPTION_PREFIX), text->text, &reason) !=
            NIM_OK)
            return refuse(loading, "has content that this version does not know:", reason.message);
    }
    return NIM_OK;
}

/* A JSON list of strings. The strings stay in the memory of the file. Only counts them if names is
 * NULL. */
static bool read_list(const char *text, const char **names, size_t *count) {
    char *copy = (char *)(uintptr_t)text; /* decoded in place, in memory that we own */
    struct json_reader json = {copy, copy + strlen(copy)};
    *count = 0;
    if (!json_take(&json, '['))
        return false;
    if (json_take(&json, ']'))
        return json_at_end(&json);
    do {
        const char *name = json_take_string(&json);
        if (!name)
            return false;
        names[(*count)++] = name;
    } while (json_take(&json, ','));
    return json_take(&json, ']') && json_at_end(&json);
}

static nim_status load_list(const struct loading *loading, const char *key, const char ***names,
                            size_t *count) {
    const char *text = safetensors_text(&loading->file, key);
    if (!text)
        return refuse(loading, "lacks", key);
    *names = calloc(strlen(text) + 1, sizeof **names); /* more than the list can have */
    if (!*names)
        return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for names", loading->path);
    return read_list(text, *names, count) ? NIM_OK : refuse(loading, "has a damaged list", key);
}

static nim_status load_number(const struct loading *loading, const char *key, size_t *number) {
    const char *text = safetensors_text(&loading->file, key);
    char *copy = (char *)(uintptr_t)text;
    if (!text)
        return refuse(loading, "lacks", key);
    struct json_reader json = {copy, copy + strlen(copy)};
    return json_take_whole(&json, number) && json_at_end(&json)
               ? NIM_OK
               : refuse(loading, "has a damaged", key);
}

/* Checks that every array of the list is in the file, has the right shape and finite numbers. */
static nim_status check_arrays(const struct loading *loading, const struct file_arrays *arrays) {
    for (size_t i = 0; i < arrays->count; i++) {
        const struct tensor *wanted = &arrays->list[i];
        const struct tensor *found = safetensors_tensor(&loading->file, wanted->name);
        if (!found)
            return refuse(loading, "lacks the array", wanted->name);
        bool fits = found->dimensions == wanted->dimensions;
        for (size_t k = 0; fits && k < wanted->dimensions; k++)
            fits = found->shape[k] == wanted->shape[k];
        if (!fits)
            return refuse(loading, "has the wrong shape of array", wanted->name);
        size_t count = tensor_count(wanted);
        for (size_t k = 0; k < count; k++)
            if (!isfinite(found->values[k]) && wanted->values != arrays->counts)
                return refuse(loading, "has a number that is not finite in array", wanted->name);
    }
    return NIM_OK;
}

/* Copies every array of the list, after check_arrays. */
static void copy_arrays(const struct loading *loading, const struct file_arrays *arrays) {
    for (size_t i = 0; i < arrays->count; i++) {
        const struct tensor *wanted = &arrays->list[i];
        size_t count = tensor_count(wanted);
        if (count)
            memcpy(wanted->values, safetensors_tensor(&loading->file, wanted->name)->values,
                   count * sizeof(double));
    }
}

static bool says_yes(const struct loading *loading, const char *key) {
    const char *text = safetensors_text(&loading->file, key);
    return text && strcmp(text, "yes") == 0;
}

/* Counts are stored as doubles. A number out of range can only be in a forged file and becomes
 * zero. */
static uint64_t as_count(double number) {
    return number >= 0.0 && number < 9007199254740992.0 ? (uint64_t)number : 0;
}

/* Sets the size of a population from the file, or that it is flat. Allocates no memory. */
static nim_status plan_population(const struct loading *loading,
                                  const struct population_names *name, size_t d,
                                  struct population *population) {
    const struct tensor *share = safetensors_tensor(&loading->file, name->share);
    if (share && (share->dimensions != 1 || share->shape[0] < 1 ||
                  share->shape[0] > POPULATION_MOST_COMPONENTS || d > POPULATION_MOST_WIDTH))
        return refuse(loading, "has the wrong shape of array", name->share);
    *population =
        (struct population){.attributes = d,
                            .components = share ? share->shape[0] : 0,
                            .learned = share || safetensors_tensor(&loading->file, name->variance)};
    return NIM_OK;
}

/* Parts that older files do not have: class shares, plausibility, novelty. */
static nim_status plan_kept(const struct loading *loading, struct nim_model *plan) {
    const struct tensor *score = safetensors_tensor(&loading->file, "conformal.scores");
    const struct tensor *quantile = safetensors_tensor(&loading->file, "novelty.quantiles");
    plan->shares_known = safetensors_tensor(&loading->file, "class_shares");
    if (score && (score->dimensions != 2 || score->shape[1] < 1 ||
                  score->shape[1] > CONFORMAL_KEPT || !targets_are_classes(plan)))
        return refuse(loading, "has the wrong shape of array", "conformal.scores");
    plan->conformal.kept = score ? score->shape[1] : 0;
    if (!quantile)
        return NIM_OK;
    if (quantile->dimensions != 1 || quantile->shape[0] < 1 || quantile->shape[0] > NOVELTY_KEPT)
        return refuse(loading, "has the wrong shape of array", "novelty.quantiles");
    plan->novelty.kept = quantile->shape[0];
    nim_status status =
        plan_population(loading, &file_novelty_names, plan->attributes, &plan->novelty.own);
    if (status == NIM_OK && !novelty_population(plan))
        return refuse(loading, "lacks the array", file_novelty_names.mean);
    return status;
}

/* The number of points of the trace; older files have none. */
static nim_status expect_trace(const struct loading *loading, struct nim_model *plan) {
    const struct tensor *trace = safetensors_tensor(&loading->file, "training.trace");
    if (trace && (trace->dimensions != 2 || trace->shape[0] < 1 || trace->shape[0] > TRACE_POINTS))
        return refuse(loading, "has the wrong shape of array", "training.trace");
    plan->trace.count = trace ? trace->shape[0] : 0;
    return NIM_OK;
}

/* Checks everything needed to list the arrays of the model before memory is allocated. So no file
 * can cause an allocation of more than a few times its own size. */
static nim_status check_contents(const struct loading *loading, const nim_options *options,
                                 const struct model_sizes *sizes, size_t rows,
                                 struct nim_model *plan) {
    struct file_arrays arrays = {0};
    model_plan(plan, options, sizes);
    plan->under_way = says_yes(loading, "under_way");
    plan->table.rows = rows;
    plan->scaling.warps = safetensors_tensor(&loading->file, "scaling.warp_width") != NULL;
    if (safetensors_tensor(&loading->file, "calibration.temperature"))
        plan->temperature = 0.0; /* to be read from the file */
    nim_status status =
        plan_population(loading, &file_population_names, plan->attributes, &plan->population);
    if (status == NIM_OK)
        status = plan_kept(loading, plan);
    if (status == NIM_OK)
        status = expect_trace(loading, plan);
    if (status != NIM_OK)
        return status;
    file_arrays_list(plan, says_yes(loading, "optimiser"), &arrays);
    return check_arrays(loading, &arrays);
}

static bool allocate_population(const struct population *planned, double variance,
                                struct population *population) {
    bool good = planned->components
                    ? population_allocate(population, planned->attributes, planned->components)
                    : population_flat(population, planned->attributes, variance);
    population->learned = planned->learned;
    return good;
}

/* Allocates what model_allocate does not: populations, plausibility and rows. */
static nim_status make_room(const struct loading *loading, const struct nim_model *plan,
                            struct nim_model *model) {
    const struct population *own = &plan->novelty.own;
    double variance = plan->options.prior_variance;
    bool good = allocate_population(&plan->population, variance, &model->population);
    if (good && own->learned)
        good = allocate_population(own, variance, &model->novelty.own);
    if (good && plan->conformal.kept)
        good = conformal_allocate(&model->conformal, plan->classes, plan->conformal.kept);
    if (good && row_table_grow(&model->table, plan->table.rows))
        return NIM_OK;
    return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for its population or rows",
                   loading->path);
}

/* Fills in everything except names and notes; the model has the right sizes. */
static nim_status fill(const struct loading *loading, const struct nim_model *plan,
                       struct nim_model *model) {
    struct file_arrays arrays = {0};
    model->under_way = plan->under_way;
    model->temperature = plan->temperature;
    model->shares_known = plan->shares_known;
    model->novelty.kept = plan->novelty.kept;
    model->trace.count = plan->trace.count;
    model->scaling.warps = plan->scaling.warps;
    model->scaling.errors_follow = says_yes(loading, "errors_follow");
    nim_status status = make_room(loading, plan, model);
    if (status != NIM_OK)
        return status;
    if (!file_arrays_allocate(&arrays, model)) {
        file_arrays_free(&arrays);
        return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for its arrays",
                       loading->path);
    }
    file_arrays_list(model, says_yes(loading, "optimiser"), &arrays);
    copy_arrays(loading, &arrays);
    model->trace.stride = bound_trace_stride(&model->trace);
    file_arrays_stage(model, &arrays, false);
    model->step = as_count(arrays.counts[0]);
    model->epoch = as_count(arrays.counts[1]);
    model->visits = as_count(arrays.counts[2]);
    model->bound = arrays.counts[3];
    for (size_t i = 0; model->table.each && i < model->table.rows; i++)
        model->table.visits[i] = (double)as_count(model->table.visits[i]);
    file_arrays_free(&arrays);
    return NIM_OK;
}

static nim_status load_notes(const struct loading *loading, struct nim_model *model) {
    for (size_t i = 0; i < loading->file.texts; i++) {
        const struct metadata *text = &loading->file.text[i];
        if (strncmp(text->key, FILE_NOTE_PREFIX, strlen(FILE_NOTE_PREFIX)) == 0 &&
            !note_list_add(&model->notes, text->key + strlen(FILE_NOTE_PREFIX), text->text))
            return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for notes",
                           loading->path);
    }
    return NIM_OK;
}

/* Whether a model can have these sizes and the file has inducing inputs of these sizes. If so, no
 * product of the sizes overflows. */
static bool sizes_fit(const struct loading *loading, const nim_options *options,
                      const struct model_sizes *sizes) {
    const struct tensor *z = safetensors_tensor(&loading->file, "inducing.inputs");
    /* The options of a model have no automatic values left. */
    return options->kernel && options->input && options->samples && options->batch &&
           options->alpha != OPTION_AUTO && options->caution != OPTION_AUTO &&
           options->lengthscale_prior != OPTION_AUTO &&
           targets_can_be(options->likelihood, sizes->classes) && sizes->columns >= 1 &&
           sizes->flags <= sizes->columns && sizes->inducing >= 1 && z && z->dimensions == 3 &&
           z->shape[0] == model_functions(options, sizes->classes) &&
           z->shape[1] == sizes->inducing && z->shape[2] == sizes->columns + sizes->flags;
}

static nim_status build(const struct loading *loading, const nim_options *options,
                        nim_model **result) {
    const char **classes = NULL, **attributes = NULL;
    struct model_sizes sizes = {0};
    size_t rows = 0;
    nim_model plan, *model = NULL;
    nim_status status = load_list(loading, "classes", &classes, &sizes.classes);
    if (status == NIM_OK)
        status = load_list(loading, "attributes", &attributes, &sizes.columns);
    if (status == NIM_OK)
        status = load_number(loading, "inducing", &sizes.inducing);
    if (status == NIM_OK && safetensors_text(&loading->file, "flags"))
        status = load_number(loading, "flags", &sizes.flags);
    if (status == NIM_OK)
        status = load_number(loading, "rows", &rows);
    if (status == NIM_OK && !sizes_fit(loading, options, &sizes))
        status = refuse(loading, "has the wrong shape of array", "inducing.inputs");
    if (status == NIM_OK)
        status = check_contents(loading, options, &sizes, rows, &plan);
    if (status == NIM_OK)
        status = model_allocate(options, &sizes, &model, loading->error);
    if (status == NIM_OK)
        status = fill(loading, &plan, model);
    const char *impossible = status == NIM_OK ? file_impossible_array(model) : NULL;
    if (impossible)
        status = refuse(loading, "has an invalid number in array", impossible);
    if (status == NIM_OK)
        status = nim_model_name_classes(model, classes, loading->error);
    if (status == NIM_OK)
        status = nim_model_name_attributes(model, attributes, loading->error);
    if (status == NIM_OK)
        status = load_notes(loading, model);
    free(classes);
    free(attributes);
    if (status != NIM_OK) {
        nim_model_free(model);
        return status;
    }
    *result = model;
    return succeed(loading->error);
}

/* Loads a model; frees the bytes. */
static nim_status load(const char *name, char *bytes, size_t size, nim_model **result,
                       nim_error *error) {
    struct loading loading = {.path = name, .error = error};
    nim_status status = safetensors_parse(name, bytes, size, &loading.file, error);
    nim_options *options = nim_options_create();
    if (status == NIM_OK && !options)
        status = failure(error, NIM_OUT_OF_MEMORY, "%s: no memory for options", name);
    if (status == NIM_OK)
        status = check_format(&loading);
    if (status == NIM_OK)
        status = load_options(&loading, options);
    if (status == NIM_OK)
        status = build(&loading, options, result);
    nim_options_free(options);
    safetensors_free(&loading.file);
    return status;
}

nim_status nim_model_load(const char *path, nim_model **result, nim_error *error) {
    if (!path || !result)
        return failure(error, NIM_INVALID_ARGUMENT, "path or model is NULL");
    *result = NULL;
    char *content;
    size_t size;
    nim_status status = whole_file_read(path, &content, &size, error);
    return status == NIM_OK ? load(path, content, size, result, error) : status;
}

nim_status nim_model_load_memory(const void *bytes, size_t size, nim_model **result,
                                 nim_error *error) {
    if (!bytes || !result)
        return failure(error, NIM_INVALID_ARGUMENT, "bytes or model is NULL");
    *result = NULL;
    char *content;
    nim_status status = whole_memory_read(FILE_IN_MEMORY, bytes, size, &content, error);
    return status == NIM_OK ? load(FILE_IN_MEMORY, content, size, result, error) : status;
}
