/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model files (docs/model-file.md): safetensors whose texts say what the model is and whose arrays
 * are what it learned. One list of arrays serves saving and loading.
 */
#define _POSIX_C_SOURCE 200809L
#include "text/json_reader.h"
#include "text/json_writer.h"
#include "text/memory_file.h"
#include "file/safetensors.h"
#include "model/class_shares.h"
#include "model/model.h"
#include "model/targets.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "nimgp"
#define FORMAT_VERSION "1"
#define IN_MEMORY "model in memory" /* in place of a path in messages */
#define OPTION_PREFIX "option."
#define NOTE_PREFIX "note."

enum { MOST_ARRAYS = 48 };

#define LARGEST_LOG 700.0 /* of a number that is a double, and its inverse too */

/* The arrays of a model. Those of the classes lie one class after the other in theta, but the file
 * keeps like with like, so they pass through `staged`. */
struct arrays {
    size_t count;
    struct tensor list[MOST_ARRAYS];
    double *staged;   /* classes x parameters of one */
    double counts[4]; /* steps, epochs, updates since the moments were zero, bound */
};

/* What the arrays of a population are called. */
struct population_names {
    const char *share, *mean, *factor, *variance;
};
static const struct population_names model_names = {"population.share", "population.mean",
                                                    "population.factor", "population.variance"};
static const struct population_names novelty_names = {
    "novelty.population.share", "novelty.population.mean", "novelty.population.factor",
    "novelty.population.variance"};

static void add_array(struct arrays *arrays, const char *name, double *values, size_t dimensions,
                      size_t first, size_t second, size_t third) {
    struct tensor *tensor = &arrays->list[arrays->count++];
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->dimensions = dimensions;
    tensor->shape[0] = first;
    tensor->shape[1] = second;
    tensor->shape[2] = third;
    tensor->values = values;
}

/* A planned model (model_plan) has shapes, but no memory to point into. */
static double *part_of(double *values, size_t offset) {
    return values ? values + offset : NULL;
}

static void add_classes(struct arrays *arrays, const struct nim_model *model) {
    static const char *const name[BLOCKS_PER_FUNCTION] = {
        "kernel.log_variance", "kernel.log_white_noise", "kernel.log_lengthscale",
        "inducing.inputs",     "posterior.mean",         "posterior.factor"};
    size_t c = model->functions, m = model->inducing, d = model->attributes;
    size_t terms = model->gp.kernel->terms;
    bool sum = terms > 1; /* one dimension more */
    const size_t shape[BLOCKS_PER_FUNCTION][3] = {
        {sum ? 2 : 1, c, terms}, {1, c, 0}, {sum ? 3 : 2, c, sum ? terms : d}, {3, c, m}, {2, c, m},
        {2, c, m * (m + 1) / 2}};
    double *values = arrays->staged;
    for (size_t b = 0; b < BLOCKS_PER_FUNCTION; b++) {
        add_array(arrays, name[b], values, shape[b][0], shape[b][1], shape[b][2], d);
        values = part_of(values, c * model_block(model, b).count);
    }
}

/* Between theta (class by class) and `staged` (block by block). */
static void stage(const struct nim_model *model, struct arrays *arrays, bool out) {
    double *values = arrays->staged;
    for (size_t b = 0; b < BLOCKS_PER_FUNCTION; b++)
        for (size_t c = 0; c < model->functions; c++) {
            struct block block = model_block(model, c * BLOCKS_PER_FUNCTION + b);
            double *theta = model->theta + block.offset;
            memcpy(out ? values : theta, out ? theta : values, block.count * sizeof(double));
            values += block.count;
        }
}

/* The arrays of a learned population; a flat one is what the options say it is. */
static void add_population(struct arrays *arrays, struct population *population,
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

static void add_novelty(struct arrays *arrays, struct novelty *novelty) {
    if (!novelty->kept)
        return;
    add_array(arrays, "novelty.quantiles", novelty->quantile, 1, novelty->kept, 0, 0);
    if (novelty->own.learned)
        add_population(arrays, &novelty->own, &novelty_names);
}

/* Everything that must be there, in the order it is written. `moments` says whether the optimiser's
 * state is part of it. */
static void list_arrays(struct nim_model *model, bool moments, struct arrays *arrays) {
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
    add_population(arrays, &model->population, &model_names);
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
    add_array(arrays, "optimiser.moment1", model->moment1, 1, model->count, 0, 0);
    add_array(arrays, "optimiser.moment2", model->moment2, 1, model->count, 0, 0);
    if (each) {
        add_array(arrays, "optimiser.row_moments", model->table.moments, 3, rows, 2, each);
        add_array(arrays, "optimiser.row_visits", model->table.visits, 1, rows, 0, 0);
    }
    if (model->under_way)
        add_array(arrays, "training.standing", &model->checkpoint.next_batch, 1, CHECKPOINT_NUMBERS,
                  0, 0);
}

static bool arrays_allocate(struct arrays *arrays, const struct nim_model *model) {
    arrays->staged = calloc(model->noise_at, sizeof(double)); /* noise follows the classes */
    return arrays->staged != NULL;
}

static void arrays_free(struct arrays *arrays) {
    free(arrays->staged);
}

/* ---------------------------------------------------------------- possible numbers -------------
 */

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
        /* The squares of lengthscales are divided by. */
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

/* Deviations and shares must be what they are called, flags look at columns, and logarithms have an
 * exponential. The array of which that is not so, or NULL. */
static const char *impossible_array(const struct nim_model *model) {
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

/* ---------------------------------------------------------------- saving ---------------------- */

/* The texts, growing; all strings are owned. */
struct text_map {
    struct note_list list;
    bool good;
};

static void add_text(struct text_map *texts, const char *prefix, const char *key,
                     const char *text) {
    size_t size = strlen(prefix) + strlen(key) + 1;
    char *whole = malloc(size);
    if (whole)
        snprintf(whole, size, "%s%s", prefix, key);
    /* Options and notes have names of their own: none comes twice. */
    texts->good = texts->good && whole && note_list_add(&texts->list, whole, text);
    free(whole);
}

static void add_number(struct text_map *texts, const char *key, size_t number) {
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    add_text(texts, "", key, text);
}

static void add_list(struct text_map *texts, const char *key, const struct text_list *list) {
    struct memory_file memory;
    size_t size;
    FILE *file = memory_file_open(&memory);
    struct json_writer json = json_start_compact(file);
    if (file) {
        json_array(&json, NULL);
        for (size_t i = 0; i < list->count; i++)
            json_text(&json, NULL, list->text[i]);
        json_close(&json);
    }
    char *text = memory_file_close(&memory, !json.failed, &size);
    texts->good = texts->good && text;
    if (texts->good)
        add_text(texts, "", key, text);
    free(text);
}

static void list_texts(const struct nim_model *model, struct text_map *texts) {
    char value[64];
    texts->good = true;
    add_text(texts, "", "format", FORMAT);
    add_text(texts, "", "format_version", FORMAT_VERSION);
    add_text(texts, "", "written_by", "nimgp " NIM_VERSION);
    add_list(texts, "classes", &model->class_names);
    add_list(texts, "attributes", &model->attribute_names);
    add_number(texts, "inducing", model->inducing);
    if (model->scaling.flags)
        add_number(texts, "flags", model->scaling.flags);
    add_text(texts, "", "errors_follow", model->scaling.errors_follow ? "yes" : "no");
    add_number(texts, "rows", model->table.rows);
    add_text(texts, "", "optimiser", model->visits ? "yes" : "no");
    add_text(texts, "", "under_way", model->under_way ? "yes" : "no");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        if (nim_option_describe(i)->role == NIM_OPTION_RUNS) /* the machine's, not the model's */
            continue;
        nim_options_get(&model->options, name, value, sizeof value, NULL);
        add_text(texts, OPTION_PREFIX, name, value);
    }
    for (size_t i = 0; i < model->notes.count; i++)
        add_text(texts, NOTE_PREFIX, model->notes.note[i].key, model->notes.note[i].text);
}

/* What could not be loaded again is not saved. The counts may hold a bound that is not known. */
static nim_status check_saved(const struct nim_model *model, const struct arrays *arrays,
                              const char *path, nim_error *error) {
    const char *wrong = impossible_array(model);
    for (size_t i = 0; !wrong && i < arrays->count; i++) {
        const struct tensor *tensor = &arrays->list[i];
        size_t count = tensor_count(tensor);
        for (size_t k = 0; !wrong && tensor->values != arrays->counts && k < count; k++)
            wrong = isfinite(tensor->values[k]) ? NULL : tensor->name;
    }
    return wrong
               ? failure(error, NIM_NUMERICAL,
                         "%s: not saved: the model's array '%s' has an invalid number", path, wrong)
               : NIM_OK;
}

static nim_status save(const nim_model *model, const struct whole_output *output,
                       nim_error *error) {
    struct arrays arrays = {
        .counts = {(double)model->step, (double)model->epoch, (double)model->visits, model->bound}};
    struct text_map texts = {0};
    struct metadata *metadata = NULL;
    nim_status status = NIM_OUT_OF_MEMORY;
    list_texts(model, &texts);
    metadata = calloc(texts.list.count + 1, sizeof *metadata);
    if (!texts.good || !metadata || !arrays_allocate(&arrays, model)) {
        failure(error, status, "%s: no memory to save a model", output->name);
        goto done;
    }
    for (size_t i = 0; i < texts.list.count; i++)
        metadata[i] = (struct metadata){texts.list.note[i].key, texts.list.note[i].text};
    /* The list serves loading too, hence without const; nothing is written through it here. */
    list_arrays((struct nim_model *)(uintptr_t)model, model->visits > 0, &arrays);
    stage(model, &arrays, true);
    struct safetensors file = {.tensors = arrays.count,
                               .tensor = arrays.list,
                               .texts = texts.list.count,
                               .text = metadata};
    status = check_saved(model, &arrays, output->name, error);
    if (status == NIM_OK)
        status = safetensors_write(output, &file, error);
done:
    arrays_free(&arrays);
    note_list_free(&texts.list);
    free(metadata);
    return status;
}

nim_status nim_model_save(const nim_model *model, const char *path, nim_error *error) {
    if (!model || !path)
        return failure(error, NIM_INVALID_ARGUMENT, "model or path is NULL");
    return save(model, &(struct whole_output){.name = path, .write = whole_file_write}, error);
}

nim_status nim_model_save_memory(const nim_model *model, void *bytes, size_t capacity, size_t *size,
                                 nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    const struct whole_output memory = {.name = IN_MEMORY,
                                        .write = whole_memory_write,
                                        .bytes = bytes,
                                        .capacity = capacity,
                                        .size = size};
    return save(model, &memory, error);
}

/* ---------------------------------------------------------------- loading --------------------- */

/* A file being loaded; failures name it. */
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
    if (!format || strcmp(format, FORMAT) != 0 || !version)
        return failure(loading->error, NIM_BAD_FILE, "%s: is not a nimgp model file",
                       loading->path);
    if (strcmp(version, FORMAT_VERSION) != 0)
        return failure(loading->error, NIM_BAD_FILE,
                       "%s: is a model file of version %s; this is nimgp %s, which reads version "
                       "%s",
                       loading->path, version, NIM_VERSION, FORMAT_VERSION);
    return NIM_OK;
}

/* What files mean that were written before there were these options. */
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
        if (strncmp(text->key, OPTION_PREFIX, strlen(OPTION_PREFIX)) != 0)
            continue;
        nim_error reason;
        if (nim_options_set(options, text->key + strlen(OPTION_PREFIX), text->text, &reason) !=
            NIM_OK)
            return refuse(loading, "has content that this version does not know:", reason.message);
    }
    return NIM_OK;
}

/* A JSON list of strings; the texts stay in the file's memory. Counts only when names is NULL. */
static bool read_list(const char *text, const char **names, size_t *count) {
    char *copy = (char *)(uintptr_t)text; /* decoded in place, in memory that is ours */
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
    *names = calloc(strlen(text) + 1, sizeof **names); /* more than there can be */
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

/* Whether every array of the list is in the file, with its shape and finite numbers. */
static nim_status check_arrays(const struct loading *loading, const struct arrays *arrays) {
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

/* Copies every array of the list, which was checked. */
static void copy_arrays(const struct loading *loading, const struct arrays *arrays) {
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

/* Counts are kept as doubles; one out of range, which only a forged file can hold, is zero. */
static uint64_t as_count(double number) {
    return number >= 0.0 && number < 9007199254740992.0 ? (uint64_t)number : 0;
}

/* What the file says of a population: its size, or that it is a flat one. No memory yet. */
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

/* What files of before do not have: shares of classes, rows kept aside, what is usual. */
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
        plan_population(loading, &novelty_names, plan->attributes, &plan->novelty.own);
    if (status == NIM_OK && !plan->population.learned && !plan->novelty.own.learned)
        return refuse(loading, "lacks the array", novelty_names.mean);
    return status;
}

/* Room for as many points as the file has; files of before have none. */
static nim_status expect_trace(const struct loading *loading, struct nim_model *plan) {
    const struct tensor *trace = safetensors_tensor(&loading->file, "training.trace");
    if (trace && (trace->dimensions != 2 || trace->shape[0] < 1 || trace->shape[0] > TRACE_POINTS))
        return refuse(loading, "has the wrong shape of array", "training.trace");
    plan->trace.count = trace ? trace->shape[0] : 0;
    return NIM_OK;
}

/* All that is needed to list the arrays of the model a file holds, before memory is asked for: so
 * no file makes us ask for more than a few times its own size. */
static nim_status check_contents(const struct loading *loading, const nim_options *options,
                                 const struct model_sizes *sizes, size_t rows,
                                 struct nim_model *plan) {
    struct arrays arrays = {0};
    model_plan(plan, options, sizes);
    plan->under_way = says_yes(loading, "under_way");
    plan->table.rows = rows;
    plan->scaling.warps = safetensors_tensor(&loading->file, "scaling.warp_width") != NULL;
    if (safetensors_tensor(&loading->file, "calibration.temperature"))
        plan->temperature = 0.0; /* to be read */
    nim_status status = plan_population(loading, &model_names, plan->attributes, &plan->population);
    if (status == NIM_OK)
        status = plan_kept(loading, plan);
    if (status == NIM_OK)
        status = expect_trace(loading, plan);
    if (status != NIM_OK)
        return status;
    list_arrays(plan, says_yes(loading, "optimiser"), &arrays);
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

/* Memory for what the plan has beyond model_allocate: populations, rows kept aside and rows. */
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

/* Everything but names and notes, into a model of the right sizes. */
static nim_status fill(const struct loading *loading, const struct nim_model *plan,
                       struct nim_model *model) {
    struct arrays arrays = {0};
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
    if (!arrays_allocate(&arrays, model)) {
        arrays_free(&arrays);
        return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for its arrays",
                       loading->path);
    }
    list_arrays(model, says_yes(loading, "optimiser"), &arrays);
    copy_arrays(loading, &arrays);
    model->trace.stride = bound_trace_stride(&model->trace);
    stage(model, &arrays, false);
    model->step = as_count(arrays.counts[0]);
    model->epoch = as_count(arrays.counts[1]);
    model->visits = as_count(arrays.counts[2]);
    model->bound = arrays.counts[3];
    for (size_t i = 0; model->table.each && i < model->table.rows; i++)
        model->table.visits[i] = (double)as_count(model->table.visits[i]);
    arrays_free(&arrays);
    return NIM_OK;
}

static nim_status load_notes(const struct loading *loading, struct nim_model *model) {
    for (size_t i = 0; i < loading->file.texts; i++) {
        const struct metadata *text = &loading->file.text[i];
        if (strncmp(text->key, NOTE_PREFIX, strlen(NOTE_PREFIX)) == 0 &&
            !note_list_add(&model->notes, text->key + strlen(NOTE_PREFIX), text->text))
            return failure(loading->error, NIM_OUT_OF_MEMORY, "%s: no memory for notes",
                           loading->path);
    }
    return NIM_OK;
}

/* Whether a model can have these sizes, and inducing inputs of so many are in the file: then no
 * product of the sizes overflows. */
static bool sizes_fit(const struct loading *loading, const nim_options *options,
                      const struct model_sizes *sizes) {
    const struct tensor *z = safetensors_tensor(&loading->file, "inducing.inputs");
    /* A model's own options are settled. */
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
    const char *impossible = status == NIM_OK ? impossible_array(model) : NULL;
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

/* The bytes are freed here. */
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
    nim_status status = whole_memory_read(IN_MEMORY, bytes, size, &content, error);
    return status == NIM_OK ? load(IN_MEMORY, content, size, result, error) : status;
}
