/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the public interface with failing calls (fault.c, linked in): each allocation, read, write,
 * fsync, rename, open and thread start of a job fails in turn, until the job has no further one.
 * The affected call of the interface must return the right status and a one-line message, and must
 * not change its output or the old file. When it is repeated it must succeed, and the job must end
 * in the same numbers and bytes as without a failure, with all memory freed.
 *
 *     api_faults [N]    every N-th allocation only; without N, every one
 */
#include "fault.h"

#include "support/model_data.h"
#include "support/scratch.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *job, *kind;
    unsigned long long at;
    uint64_t digest; /* of the job's results */
    size_t points, refusals;
} now;

static void stop(int line, const char *what) {
    fault_disarm();
    fprintf(stderr, "api_faults.c:%d: %s, %s %llu: %s\n", line, now.job, now.kind, now.at, what);
    exit(1);
}

#define must(law) ((law) ? (void)0 : stop(__LINE__, #law))

static void digest(const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        now.digest = (now.digest ^ byte[i]) * 0x100000001b3u;
}

/* ---------------------------------------------------------------- files ----------------------- */

static const char OLD[] = "what was there before";
static char saved[1024], stopped[1024]; /* paths */

static void write_old(const char *path) {
    FILE *file = fopen(path, "wb");
    must(file && fputs(OLD, file) >= 0 && fclose(file) == 0);
}

static size_t read_whole(const char *path, char *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    must(file != NULL);
    size_t size = fread(bytes, 1, most, file);
    must(size < most);
    fclose(file);
    return size;
}

static bool is_old(const char *path) {
    char bytes[1 << 16];
    size_t size = read_whole(path, bytes, sizeof bytes);
    return size == strlen(OLD) && memcmp(bytes, OLD, size) == 0;
}

static size_t files_in(const char *directory) {
    DIR *entries = opendir(directory);
    size_t count = 0;
    must(entries != NULL);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(entries);
    return count;
}

/* ---------------------------------------------------------------- calls ----------------------- */

static void check_refusal(int line, const nim_error *error) {
    bool of_memory = strcmp(now.kind, "memory") == 0 || strcmp(now.kind, "thread") == 0;
    nim_status wanted = of_memory ? NIM_OUT_OF_MEMORY : NIM_IO;
    if (error->status != wanted || !error->message[0] || strchr(error->message, '\n'))
        stop(line, error->message);
    now.refusals++;
}

/* A call that may fail once and must then succeed. */
#define twice(call)                                                                                \
    do {                                                                                           \
        nim_error error;                                                                           \
        if ((call) == NIM_OK)                                                                      \
            break;                                                                                 \
        check_refusal(__LINE__, &error);                                                           \
        if ((call) != NIM_OK)                                                                      \
            stop(__LINE__, error.message);                                                         \
    } while (0)

struct setting {
    const char *name, *value;
};

static nim_options *options_with(const struct setting *settings) {
    static const struct setting always[] = {{"inducing", "2"}, {"epochs", "2"},  {"points", "4"},
                                            {"batch", "5"},    {"units", "2"},   {"layers", "1"},
                                            {"stop", "fixed"}, {"warm_up", "1"}, {NULL, NULL}};
    char value[64];
    nim_options *options = nim_options_create();
    if (!options) {
        must(strcmp(now.kind, "memory") == 0);
        now.refusals++;
        options = nim_options_create();
    }
    must(options != NULL);
    for (const struct setting *set = always; set->name; set++)
        twice(nim_options_set(options, set->name, set->value, &error));
    for (const struct setting *set = settings; set->name; set++) {
        twice(nim_options_set(options, set->name, set->value, &error));
        twice(nim_options_get(options, set->name, value, sizeof value, &error));
    }
    return options;
}

static nim_model *model_with(const struct setting *settings, const nim_data *data) {
    nim_options *options = options_with(settings);
    nim_model *model = NULL;
    twice(nim_model_create(options, data, &model, &error));
    nim_options_free(options);
    return model;
}

static void save(const nim_model *model, const char *path) {
    nim_error error;
    if (nim_model_save(model, path, &error) == NIM_OK)
        return;
    check_refusal(__LINE__, &error);
    must(is_old(path));
    must(nim_model_save(model, path, &error) == NIM_OK);
}

static nim_model *load(const char *path) {
    nim_model *model = NULL;
    twice(nim_model_load(path, &model, &error));
    must(model != NULL);
    return model;
}

static void predict(const nim_model *model, const nim_data *data) {
    double values[8][DATA_ROWS * MOST_COLUMNS];
    static const double levels[] = {0.1, 0.9};
    bool classes = nim_model_classes(model) > 0;
    nim_predictor *predictor = NULL;
    memset(values, 0, sizeof values);
    nim_prediction wanted = NIM_PREDICTION(.latent_mean = values[0], .latent_variance = values[1]);
    if (classes) {
        wanted.probabilities = values[2];
        wanted.entropy = values[3];
        wanted.measurement_part = values[4];
        wanted.model_part = values[5];
    } else {
        wanted.mean = values[2];
        wanted.deviation = values[3];
        wanted.levels = levels;
        wanted.level_count = 2;
        wanted.quantiles = values[4];
        wanted.cumulative = values[5];
    }
    wanted.log_density = values[6];
    twice(nim_predictor_create(model, &predictor, &error));
    twice(nim_predict(predictor, data, &wanted, &error));
    nim_data first = *data;
    first.rows = first.sigma_rows = 1; /* the slowest of all */
    if (classes)
        twice(nim_remeasure(predictor, &first, values[7], &error));
    nim_predictor_free(predictor);
    digest(values, sizeof values);
}

/* ---------------------------------------------------------------- jobs ------------------------ */

/* Classes: population from other rows, names, notes, training in threads with calibration, saving,
 * loading, predicting. */
static void classes(void) {
    static const struct setting settings[] = {
        {"population", "gaussian"}, {"threads", "3"}, {"kernel", "linear+matern32"}, {NULL, NULL}};
    static const char *const attributes[] = {"flux", "colour"}, *const names[] = {"star", "galaxy"};
    struct model_data made;
    model_data_make(&made, 2, "class", 2);
    nim_data others = made.data;
    others.labels = NULL;
    nim_model *model = model_with(settings, &made.data);
    twice(nim_model_learn_population(model, &made.data, &others, &error));
    twice(nim_model_name_attributes(model, attributes, &error));
    twice(nim_model_name_classes(model, names, &error));
    twice(nim_model_set_note(model, "survey", "a note", &error));
    twice(nim_model_set_note(model, "survey", "another", &error));
    twice(nim_model_train(model, &made.data, NULL, NULL, &error));
    save(model, saved);
    nim_model_free(model);
    model = load(saved);
    digest(nim_model_note(model, "survey"), strlen("another"));
    digest(nim_model_class_name(model, 1), strlen("galaxy"));
    twice(nim_model_set_option(model, "threads", "2", &error));
    predict(model, &made.data);
    nim_model_free(model);
}

static int stop_after_first(const nim_progress *progress, void *context) {
    (void)context;
    return progress->epoch == 1 && progress->batch == 0;
}

static void train_one_epoch(nim_model *model, const nim_data *data) {
    nim_error error;
    if (nim_model_train(model, data, stop_after_first, NULL, &error) == NIM_CANCELLED)
        return;
    check_refusal(__LINE__, &error);
    must(nim_model_train(model, data, stop_after_first, NULL, &error) == NIM_CANCELLED);
}

/* Numbers: a training that is stopped, saved, loaded and continued; then a warm start. */
static void numbers(void) {
    static const struct setting settings[] = {
        {"likelihood", "gaussian"}, {"input", "latent"}, {"threads", "1"}, {NULL, NULL}};
    struct model_data made;
    double mean[DATA_ROWS * MOST_COLUMNS], deviation[DATA_ROWS * MOST_COLUMNS];
    model_data_make(&made, 2, "number", 0);
    nim_model *model = model_with(settings, &made.data);
    train_one_epoch(model, &made.data);
    save(model, stopped);
    nim_model_free(model);
    model = load(stopped);
    twice(nim_model_train(model, &made.data, NULL, NULL, &error));
    twice(nim_model_train(model, &made.data, NULL, NULL, &error));
    twice(nim_model_denoise(model, &made.data, mean, deviation, &error));
    digest(mean, made.data.rows * made.data.attributes * sizeof *mean);
    digest(deviation, made.data.rows * made.data.attributes * sizeof *deviation);
    predict(model, &made.data);
    save(model, saved);
    nim_model_free(model);
}

/* Steps in the caller's own loop; all arrays that can be read. */
static void steps(void) {
    static const struct setting settings[] = {
        {"likelihood", "ordinal"}, {"input", "amortised"}, {"threads", "2"}, {NULL, NULL}};
    static const char *const names[] = {"lengthscales", "variances",   "white_noise",   "relevance",
                                        "thresholds",   "temperature", "panel_weights", "trace"};
    struct model_data made;
    nim_trainer *trainer = NULL;
    double bound, values[64];
    size_t count;
    model_data_make(&made, 2, "level", 3);
    nim_model *model = model_with(settings, &made.data);
    twice(nim_trainer_create(model, &made.data, &trainer, &error));
    for (int i = 0; i < 3; i++) {
        twice(nim_trainer_step(trainer, &bound, &error));
        digest(&bound, sizeof bound);
    }
    nim_trainer_free(trainer);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        twice(nim_model_get(model, names[i], NULL, 0, &count, &error));
        must(count <= 64);
        twice(nim_model_get(model, names[i], values, 64, &count, &error));
        digest(values, count * sizeof *values);
    }
    predict(model, &made.data);
    save(model, saved);
    nim_model_free(model);
}

static int go_on(const nim_progress *progress, void *context) {
    (void)progress, (void)context;
    return 0;
}

/* After a training that failed, the model can be saved, loaded, used and trained to its end.
 * (Without a progress function a training that fails after the last step would start again.) */
static void train_after_failure(nim_model *model, const nim_data *data) {
    nim_error error;
    nim_predictor *predictor = NULL;
    if (nim_model_train(model, data, go_on, NULL, &error) == NIM_OK)
        return;
    check_refusal(__LINE__, &error);
    must(nim_model_save(model, stopped, &error) == NIM_OK);
    nim_model_free(load(stopped));
    write_old(stopped);
    must(nim_predictor_create(model, &predictor, &error) == NIM_OK);
    nim_predictor_free(predictor);
    must(nim_model_train(model, data, go_on, NULL, &error) == NIM_OK);
}

/* Equally noisy rows, enough of them for novelty under a wide population. */
static void wide(void) {
    enum { ROWS = 2 * DATA_ROWS, COLUMNS = 2 };
    static const struct setting settings[] = {
        {"population", "wide"}, {"input", "marginal"}, {"threads", "1"}, {NULL, NULL}};
    struct model_data made;
    double x[ROWS * COLUMNS], novelty[ROWS];
    int32_t labels[ROWS];
    nim_predictor *predictor = NULL;
    model_data_make(&made, COLUMNS, "class", 2);
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = made.data.labels[i % DATA_ROWS];
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = made.x[i % DATA_ROWS * COLUMNS + j] + (i < DATA_ROWS ? 0.0 : 0.1);
    }
    nim_data data =
        NIM_DATA(.rows = ROWS, .attributes = COLUMNS, .x = x, .sigma = (double[COLUMNS]){0.2, 0.3},
                 .sigma_rows = 1, .labels = labels);
    nim_model *model = model_with(settings, &data);
    train_after_failure(model, &data);
    save(model, saved);
    nim_model_free(model);
    model = load(saved);
    twice(nim_predictor_create(model, &predictor, &error));
    twice(nim_predict(predictor, &data, &NIM_PREDICTION(.novelty = novelty), &error));
    digest(novelty, sizeof novelty);
    nim_predictor_free(predictor);
    nim_model_free(model);
}

/* ---------------------------------------------------------------- the sweep ------------------- */

static void digest_file(const char *path) {
    char bytes[1 << 16];
    digest(bytes, read_whole(path, bytes, sizeof bytes));
}

/* Runs one job, in which at most one call fails. Returns whether one did. */
static bool run(void (*job)(void), const char *kind, unsigned long long at, const char *directory) {
    now.kind = kind;
    now.at = at;
    now.digest = 0xcbf29ce484222325u;
    write_old(saved);
    write_old(stopped);
    size_t files = files_in(directory);
    long long live = fault_live();
    fault_arm(kind, at);
    job();
    bool failed = fault_disarm();
    must(fault_live() == live || strcmp(kind, "nothing") == 0);
    must(files_in(directory) == files);
    digest_file(saved);
    digest_file(stopped);
    return failed;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)(void);
    } jobs[] = {{"classes", classes}, {"numbers", numbers}, {"steps", steps}, {"wide", wide}};
    static const char *const kinds[] = {"memory", "read", "write", "fsync",
                                        "rename", "open", "thread"};
    now.job = now.kind = "begin";
    size_t every = count > 1 ? strtoul(words[1], NULL, 10) : 1;
    char directory[SCRATCH_SIZE];
    must(mkdtemp(scratch_name(directory)) != NULL);
    snprintf(saved, sizeof saved, "%s/saved", directory);
    snprintf(stopped, sizeof stopped, "%s/stopped", directory);
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        now.job = jobs[j].name;
        printf("%-8s", now.job);
        run(jobs[j].run, "nothing", 1, directory); /* threads leave memory to those after them */
        uint64_t wanted = now.digest;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            size_t step = k == 0 ? every : 1, points = 0;
            for (; run(jobs[j].run, kinds[k], 1 + points * step, directory); points++)
                must(now.digest == wanted);
            must(now.digest == wanted);
            now.points += points;
            printf(" %s %zu", kinds[k], points);
        }
        printf("\n");
    }
    remove(saved);
    remove(stopped);
    must(remove(directory) == 0);
    printf("%zu points injected, %zu refusals\n", now.points, now.refusals);
    return now.points > 100 && now.refusals > 100 ? 0 : 1;
}
