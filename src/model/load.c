/* SPDX-License-Identifier: Apache-2.0 */
/* Loads models (docs/model-file.md). */
#include "model/arrays.h"
#include "model/model_file.h"
#include "model/targets.h"
#include "text/json_reader.h"

#include <stdlib.h>
#include <string.h>

static const struct tensor *find_array(const struct model_reader *reader, const char *name) {
    return safetensors_tensor(&reader->file, reader->prefix, name);
}

const char *model_reader_text(const struct model_reader *reader, const char *key) {
    return safetensors_text(&reader->file, reader->prefix, key);
}

nim_status model_reader_refuse(const struct model_reader *reader, const char *what,
                               const char *name) {
    return failure(reader->error, NIM_BAD_FILE, "%s: %s '%s%s'", reader->name, what, reader->prefix,
                   name);
}

nim_status model_reader_no_memory(const struct model_reader *reader, const char *what) {
    return failure(reader->error, NIM_OUT_OF_MEMORY, "%s: no memory for %s", reader->name, what);
}

static nim_status check_format(const struct model_reader *reader) {
    const char *format = model_reader_text(reader, "format"),
               *version = model_reader_text(reader, "format_version");
    if (!format || strcmp(format, FILE_FORMAT) != 0 || !version)
        return failure(reader->error, NIM_BAD_FILE, "%s: is not a nimgp model file", reader->name);
    if (strcmp(version, FILE_FORMAT_VERSION) != 0)
        return failure(reader->error, NIM_BAD_FILE,
                       "%s: is a model file of version %s; this is nimgp %s, which reads version "
                       "%s",
                       reader->name, version, NIM_VERSION, FILE_FORMAT_VERSION);
    return NIM_OK;
}

/* The part of text number i's key after the model's prefix and `group`; NULL if it has others. */
static const char *key_in(const struct model_reader *reader, size_t i, const char *group) {
    const char *key = after_prefix(reader->file.text[i].key, reader->prefix);
    return key ? after_prefix(key, group) : NULL;
}

/* The values of options that older files do not have. */
static void set_former(nim_options *options) {
    static const char *const former[][2] = {
        {"alpha", "0"},        {"population", "flat"},  {"missing", "ignore"},
        {"calibrate", "none"}, {"caution", "1"},        {"lengthscale_prior", "0"},
        {"views", "one"},      {"precision", "double"},
    };
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        nim_options_set(options, former[i][0], former[i][1], NULL);
}

/* Sets the options whose texts are in this group. */
static nim_status load_options(const struct model_reader *reader, const char *group,
                               nim_options *options) {
    for (size_t i = 0; i < reader->file.texts; i++) {
        const char *name = key_in(reader, i, group);
        nim_error reason;
        if (name && nim_options_set(options, name, reader->file.text[i].text, &reason) != NIM_OK)
            return model_reader_refuse(
                reader, "has content that this version does not know:", reason.message);
    }
    return NIM_OK;
}

/* Files of older versions have no request; theirs is taken to be what was decided. */
static nim_status load_plan(const struct model_reader *reader, struct plan *plan) {
    set_former(&plan->options);
    nim_status status = load_options(reader, FILE_OPTION_PREFIX, &plan->options);
    plan->request = plan->options;
    if (status == NIM_OK)
        status = load_options(reader, FILE_REQUEST_PREFIX, &plan->request);
    for (size_t i = 0; status == NIM_OK && i < reader->file.texts; i++) {
        const char *name = key_in(reader, i, FILE_REASON_PREFIX);
        if (name)
            plan_recall(plan, name, reader->file.text[i].text);
    }
    return status;
}

/* Decides what older files leave open, from what they hold. */
static void complete_plan(const struct model_reader *reader, const struct model_sizes *sizes,
                          struct plan *plan) {
    bool learned =
        find_array(reader, "population.share") || find_array(reader, "population.variance");
    plan->options.inducing = sizes->inducing;
    if (plan->options.population == POPULATION_AUTO)
        plan->options.population = learned ? POPULATION_MIXTURE : POPULATION_FLAT;
    plan_decide_rest(plan, sizes->columns + sizes->flags);
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

static nim_status load_list(const struct model_reader *reader, const char *key, const char ***names,
                            size_t *count) {
    const char *text = model_reader_text(reader, key);
    if (!text)
        return model_reader_refuse(reader, "lacks", key);
    *names = calloc(strlen(text) + 1, sizeof **names); /* more than the list can have */
    if (!*names)
        return model_reader_no_memory(reader, "names");
    return read_list(text, *names, count) ? NIM_OK
                                          : model_reader_refuse(reader, "has a damaged list", key);
}

static nim_status load_number(const struct model_reader *reader, const char *key, size_t *number) {
    const char *text = model_reader_text(reader, key);
    char *copy = (char *)(uintptr_t)text;
    if (!text)
        return model_reader_refuse(reader, "lacks", key);
    struct json_reader json = {copy, copy + strlen(copy)};
    return json_take_whole(&json, number) && json_at_end(&json)
               ? NIM_OK
               : model_reader_refuse(reader, "has a damaged", key);
}

/* Checks that an array is in the file and has the right shape and possible numbers. */
nim_status model_reader_array(const struct model_reader *reader, const struct array *wanted,
                              const double **values) {
    const struct tensor *found = find_array(reader, wanted->name);
    if (!found)
        return model_reader_refuse(reader, "lacks the array", wanted->name);
    bool fits = found->dimensions == wanted->dimensions;
    for (size_t k = 0; fits && k < wanted->dimensions; k++)
        fits = found->shape[k] == wanted->shape[k];
    const char *fault = fits ? array_fault(wanted, found->values) : "has the wrong shape of array";
    *values = found->values;
    return fault ? model_reader_refuse(reader, fault, wanted->name) : NIM_OK;
}

static nim_status check_arrays(const struct model_reader *reader, const struct array_list *list) {
    const double *values;
    nim_status status = NIM_OK;
    for (size_t i = 0; status == NIM_OK && i < list->count; i++)
        if (!list->array[i].absent)
            status = model_reader_array(reader, &list->array[i], &values);
    return status;
}

static bool says_yes(const struct model_reader *reader, const char *key) {
    const char *text = model_reader_text(reader, key);
    return text && strcmp(text, "yes") == 0;
}

/* Counts are stored as doubles. A number out of range can only be in a forged file and becomes
 * zero. */
static uint64_t as_count(double number) {
    return number >= 0.0 && number < 9007199254740992.0 ? (uint64_t)number : 0;
}

/* Which arrays there are, and the sizes that only they tell. */
static nim_status find_arrays(const struct model_reader *reader, const struct array_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->array[i];
        const struct tensor *found = find_array(reader, array->name);
        if (found && array->known)
            *array->known = true;
        if (!found || !array->open)
            continue;
        size_t size = found->shape[array->open_at];
        if (found->dimensions != array->dimensions || size < 1 || size > array->most_open)
            return model_reader_refuse(reader, "has the wrong shape of array", array->name);
        *array->open = size;
    }
    return NIM_OK;
}

/* Checks everything needed to list the arrays of a planned model before memory is allocated, and
 * notes which there are. So no file can cause an allocation of more than a few times its own size.
 */
static nim_status check_contents(const struct model_reader *reader, struct nim_model *model) {
    struct array_list found = {0}, list = {0};
    struct model_counts counts;
    model->under_way = says_yes(reader, "under_way");
    model->visits = says_yes(reader, "optimiser");
    model_arrays(model, &counts, &found);
    nim_status status = find_arrays(reader, &found);
    if (status != NIM_OK)
        return status;
    model->population.learned |= model->population.components > 0;
    model->novelty.own.learned |= model->novelty.own.components > 0;
    if (model->novelty.kept && !novelty_population(model))
        return model_reader_refuse(reader, "lacks the array", "novelty.population.mean");
    model_arrays(model, &counts, &list);
    return check_arrays(reader, &list);
}

/* The memory of a population whose components are counted. */
static bool allocate_population(const struct nim_model *model, struct population *population) {
    size_t components = population->components;
    bool learned = population->learned;
    bool good = components
                    ? population_allocate(population, model->attributes, components)
                    : population_flat(population, model->attributes, model->options.prior_variance);
    population->learned = learned;
    return good;
}

/* Allocates what model_make_room does not: populations, plausibility and rows. */
static bool make_more_room(struct nim_model *model) {
    size_t kept = model->conformal.kept, rows = model->table.rows;
    model->table.rows = 0; /* there are none yet */
    return allocate_population(model, &model->population) &&
           (!model->novelty.own.learned || allocate_population(model, &model->novelty.own)) &&
           (!kept || conformal_allocate(&model->conformal, conformal_groups(model), kept)) &&
           row_table_grow(&model->table, rows);
}

/* Fills in everything except names and notes; the model has the right sizes. */
static nim_status fill(const struct model_reader *reader, struct nim_model *model) {
    struct array_list list = {0};
    struct model_counts counts;
    nim_status status = model_make_room(model, reader->error);
    if (status != NIM_OK)
        return status;
    model->scaling.errors_follow = says_yes(reader, "errors_follow");
    if (!make_more_room(model))
        return model_reader_no_memory(reader, "its population or rows");
    model_arrays(model, &counts, &list);
    for (size_t i = 0; i < list.count; i++)
        if (!list.array[i].absent)
            array_write(&list.array[i], find_array(reader, list.array[i].name)->values);
    model->trace.stride = bound_trace_stride(&model->trace);
    model->step = as_count(counts.step);
    model->epoch = as_count(counts.epoch);
    model->visits = as_count(counts.visits);
    model->bound = counts.bound;
    const char *impossible = model_impossible_array(model);
    return impossible ? model_reader_refuse(reader, "has an invalid number in array", impossible)
                      : NIM_OK;
}

/* Numbers that are possible one by one, but not together. */
const char *model_impossible_array(const struct nim_model *model) {
    return !class_shares_can_be(model)                         ? "class_shares"
           : !bound_trace_reaches(&model->trace, model->epoch) ? "training.trace"
                                                               : NULL;
}

static nim_status load_notes(const struct model_reader *reader, struct nim_model *model) {
    for (size_t i = 0; i < reader->file.texts; i++) {
        const char *key = key_in(reader, i, FILE_NOTE_PREFIX);
        if (key && !note_list_add(&model->notes, key, reader->file.text[i].text))
            return model_reader_no_memory(reader, "notes");
    }
    return NIM_OK;
}

/* Whether a model can have these sizes and the file has inducing inputs of these sizes. If so, no
 * product of the sizes overflows. */
static bool sizes_fit(const struct model_reader *reader, const nim_options *options,
                      const struct model_sizes *sizes) {
    const struct tensor *z = find_array(reader, "inducing.inputs");
    /* The options of a model have no automatic values left. */
    return options->kernel && options->input && options->samples && options->batch &&
           options->alpha != OPTION_AUTO && options->caution != OPTION_AUTO &&
           options->lengthscale_prior != OPTION_AUTO && options->rate != OPTION_AUTO &&
           options->precision != PRECISION_AUTO && options->lowest < options->highest &&
           targets_can_be(options->likelihood, sizes->classes) && sizes->columns >= 1 &&
           sizes->flags <= sizes->columns && sizes->inducing >= 1 && z && z->dimensions == 3 &&
           z->shape[0] ==
               likelihood_functions(options->likelihood, sizes->classes, options->functions) &&
           z->shape[1] == sizes->inducing && z->shape[2] == sizes->columns + sizes->flags;
}

static nim_status build(const struct model_reader *reader, struct plan *decided,
                        struct nim_model *model) {
    const char **classes = NULL, **attributes = NULL;
    struct model_sizes sizes = {0};
    nim_status status = load_list(reader, "classes", &classes, &sizes.classes);
    if (status == NIM_OK)
        status = load_list(reader, "attributes", &attributes, &sizes.columns);
    if (status == NIM_OK)
        status = load_number(reader, "inducing", &sizes.inducing);
    if (status == NIM_OK && model_reader_text(reader, "flags"))
        status = load_number(reader, "flags", &sizes.flags);
    if (status == NIM_OK)
        status = load_number(reader, "rows", &decided->rows);
    if (status == NIM_OK && !sizes_fit(reader, &decided->options, &sizes))
        status = model_reader_refuse(reader, "has the wrong shape of array", "inducing.inputs");
    if (status == NIM_OK) {
        complete_plan(reader, &sizes, decided);
        model_plan(model, decided, &sizes);
        model->table.rows = decided->rows;
        status = check_contents(reader, model);
    }
    if (status == NIM_OK)
        status = fill(reader, model);
    if (status == NIM_OK)
        status = nim_model_name_classes(model, classes, reader->error);
    if (status == NIM_OK)
        status = nim_model_name_attributes(model, attributes, reader->error);
    if (status == NIM_OK)
        status = load_notes(reader, model);
    if (status == NIM_OK)
        status = panel_load(reader, model);
    free(classes);
    free(attributes);
    return status;
}

nim_status model_load_from(const struct model_reader *reader, nim_model **result) {
    nim_options *options = nim_options_create();
    struct nim_model *model = calloc(1, sizeof *model);
    nim_status status = options && model ? NIM_OK : model_reader_no_memory(reader, "a model");
    struct plan plan = {0};
    if (status == NIM_OK) {
        plan.options = *options;
        status = load_plan(reader, &plan);
    }
    if (status == NIM_OK)
        status = build(reader, &plan, model);
    nim_options_free(options);
    if (status != NIM_OK) {
        nim_model_free(model);
        return status;
    }
    *result = model;
    return succeed(reader->error);
}

nim_status model_reader_open(struct model_reader *reader, const char *name, char *bytes,
                             size_t size, nim_error *error) {
    *reader = (struct model_reader){.name = name, .prefix = "", .error = error};
    nim_status status = safetensors_parse(name, bytes, size, &reader->file, error);
    return status == NIM_OK ? check_format(reader) : status;
}

void model_reader_free(struct model_reader *reader) {
    safetensors_free(&reader->file);
}

/* Loads a model; frees the bytes. */
static nim_status load(const char *name, char *bytes, size_t size, nim_model **result,
                       nim_error *error) {
    struct model_reader reader;
    nim_status status = model_reader_open(&reader, name, bytes, size, error);
    if (status == NIM_OK)
        status = model_load_from(&reader, result);
    model_reader_free(&reader);
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
    nim_status status = whole_memory_read(MODEL_IN_MEMORY, bytes, size, &content, error);
    return status == NIM_OK ? load(MODEL_IN_MEMORY, content, size, result, error) : status;
}
