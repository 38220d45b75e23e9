/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nimgp: classification and regression for data with error bars.
 *
 * Gaussian-process models whose inputs are noisy measurements. The training data are a table of N
 * rows and d attributes, in which each cell may have its own 1-sigma error, and a target for each
 * row: one of C classes, an ordered level, a set of labels, a number or a count (option
 * "likelihood"). The predictions are calibrated class probabilities, or distributions of numbers.
 *
 *     nim_options *options = nim_options_create();
 *     nim_options_set(options, "kernel", "matern52", &error);
 *     nim_data train = NIM_DATA(.rows = N, .attributes = d, .x = x, .labels = y,
 *                               .sigma = s, .sigma_rows = N);
 *     nim_model *model = NULL;
 *     nim_model_create(options, &train, &model, &error);
 *     nim_model_train(model, &train, NULL, NULL, &error);
 *     nim_predictor *predictor = NULL;
 *     nim_predictor_create(model, &predictor, &error);
 *     nim_predict(predictor, &test, &NIM_PREDICTION(.probabilities = p), &error);
 *
 * Rules that hold everywhere:
 *  - Arrays are row-major doubles. They belong to the caller, and the library only reads them
 *    unless a comment says otherwise.
 *  - Every function that can fail returns a nim_status. If `error` is not NULL, it also writes a
 *    one-line message there that says what is wrong and where. On failure outputs are unchanged or
 *    NULL, unless a comment says otherwise.
 *  - There is no global state. A handle may be used from any thread, but by one thread at a time.
 *    Different handles may be used at the same time. A predictor only reads its model, so several
 *    predictors may share a model that is not being trained.
 *  - Structures that may grow start with their size, which NIM_DATA and similar macros fill in. A
 *    program compiled against an older header works with a newer library.
 *  - The library never prints.
 *  - The same options, data and seed give the same bits, for any number of threads and however rows
 *    are divided among prediction calls (for one build on one kind of processor).
 */
#ifndef NIMGP_H
#define NIMGP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NIM_API __attribute__((visibility("default")))
#else
#define NIM_API
#endif

/* The version of this header. NIM_VERSION_NUMBER increases with each version. */
#define NIM_VERSION "0.3.0"
#define NIM_VERSION_MAJOR 0
#define NIM_VERSION_MINOR 3
#define NIM_VERSION_PATCH 0
#define NIM_VERSION_NUMBER (NIM_VERSION_MAJOR * 10000 + NIM_VERSION_MINOR * 100 + NIM_VERSION_PATCH)

/* The version of the library at run time, as NIM_VERSION and NIM_VERSION_NUMBER. */
NIM_API const char *nim_version(void);
NIM_API int nim_version_number(void);

/* ---------------------------------------------------------------- status and messages -------- */

#define NIM_STATUS_LIST(X)                                                                         \
    X(OK, "success")                                                                               \
    X(INVALID_ARGUMENT, "an argument or option is invalid")                                        \
    X(BAD_DATA, "the data contain a value that cannot be used")                                    \
    X(OUT_OF_MEMORY, "out of memory")                                                              \
    X(NUMERICAL, "the computation failed to give finite numbers")                                  \
    X(CANCELLED, "the progress callback asked to stop")                                            \
    X(IO, "a file cannot be read or written")                                                      \
    X(BAD_FILE, "the content is not a model, is damaged, or is of another version")                \
    X(COMMUNICATION, "the processes of a training could not communicate")

typedef enum nim_status {
#define NIM_STATUS_ENUM(name, text) NIM_##name,
    NIM_STATUS_LIST(NIM_STATUS_ENUM)
#undef NIM_STATUS_ENUM
} nim_status;

/* The general meaning of a status. nim_error.message describes the particular case. */
NIM_API const char *nim_status_text(nim_status status);

#define NIM_NONE ((size_t)-1) /* no row or no attribute */

/* Filled in by the library; it need not be initialised. Its size never changes. */
typedef struct nim_error {
    nim_status status;
    char message[512];     /* one line, no newline; empty after success */
    char option[32];       /* the option that was refused; otherwise empty */
    size_t row, attribute; /* the cell that was refused, counted from 0; otherwise NIM_NONE */
    size_t reserved[4];
} nim_error;

/* ---------------------------------------------------------------- options --------------------- */

/*
 * Options are set by name, with values as text, so that programs and bindings need no copy of the
 * list. nim_option_describe enumerates the options with type, default, range, choices and help. No
 * option needs to be set. docs/options.md describes them.
 */
typedef struct nim_options nim_options;

typedef enum nim_option_type {
    NIM_OPTION_CHOICE, /* one of `choices` */
    NIM_OPTION_FLAG,   /* "0" or "1" */
    NIM_OPTION_WHOLE,  /* a whole number from `least` to `most` */
    NIM_OPTION_REAL,   /* a number from `least` to `most`, or one of `choices` */
} nim_option_type;

/* What an option affects. */
typedef enum nim_option_role {
    NIM_OPTION_SHAPES,   /* the model itself: cannot change after the model was created */
    NIM_OPTION_TRAINS,   /* the training: cannot change between a stop and the continuation */
    NIM_OPTION_PREDICTS, /* the predictions */
    NIM_OPTION_RUNS,     /* the speed only; not saved with the model */
} nim_option_role;

/* Who needs an option. */
typedef enum nim_option_tier {
    NIM_OPTION_EVERYDAY,
    NIM_OPTION_EXPERT,   /* the defaults suit nearly all data */
    NIM_OPTION_RESEARCH, /* for experiments with the method itself */
} nim_option_tier;

/* Constant and owned by the library. Later versions may add members at the end. */
typedef struct nim_option_info {
    const char *name;
    const char *fallback; /* the default, as text */
    const char *values;   /* the allowed values, as text for people */
    const char *help;     /* what the option does; nim_option_rules: how it is chosen */
    nim_option_type type;
    const char *const *choices; /* the allowed names, terminated by NULL; NULL if there are none */
    double least, most;         /* the range of a number */
    nim_option_role role;
    nim_option_tier tier;
} nim_option_info;

/* Options with their default values, or a copy of existing options; NULL when out of memory. Free
 * them with nim_options_free. */
NIM_API nim_options *nim_options_create(void);
NIM_API nim_options *nim_options_copy(const nim_options *options);
NIM_API void nim_options_free(nim_options *options);

/* Fails with NIM_INVALID_ARGUMENT for an unknown name or a value out of range. */
NIM_API nim_status nim_options_set(nim_options *options, const char *name, const char *value,
                                   nim_error *error);

/* Writes the current value as text. Fails with NIM_INVALID_ARGUMENT if the text and its terminating
 * null need more than `size` bytes; 64 bytes are always enough. */
NIM_API nim_status nim_options_get(const nim_options *options, const char *name, char *value,
                                   size_t size, nim_error *error);

/*
 * Writes how the library chooses an option that has its default: "auto: 0.7 if levels are
 * predicted; otherwise 1." Returns the length of the whole text, of which at most size - 1 bytes
 * are written, as snprintf does; 0 if there is no rule for the option.
 */
NIM_API size_t nim_option_rules(const char *name, char *text, size_t size);

NIM_API size_t nim_option_count(void);
NIM_API const nim_option_info *nim_option_describe(size_t index);  /* NULL after the last */
NIM_API const nim_option_info *nim_option_named(const char *name); /* NULL for an unknown name */

/* What a model predicts. */
#define NIM_TARGET_LIST(X)                                                                         \
    X(CLASS, "class")   /* one of several classes */                                               \
    X(LEVEL, "level")   /* one of several classes that have an order */                            \
    X(LABELS, "labels") /* any number of several labels */                                         \
    X(NUMBER, "number") /* a real number */                                                        \
    X(COUNT, "count")   /* 0, 1, 2, ... */

typedef enum nim_target {
    NIM_TARGET_NONE = -1,
#define NIM_TARGET_ENUM(name, text) NIM_TARGET_##name,
    NIM_TARGET_LIST(NIM_TARGET_ENUM)
#undef NIM_TARGET_ENUM
} nim_target;

/* "class", "level", "labels", "number" or "count"; NULL for NIM_TARGET_NONE. */
NIM_API const char *nim_target_name(nim_target target);

/* The target of a likelihood, which is a value of the option "likelihood"; NIM_TARGET_NONE for an
 * unknown name. The first likelihood in the list of choices with a given target is the default for
 * that target. */
NIM_API nim_target nim_likelihood_target(const char *likelihood);

/* ---------------------------------------------------------------- data ------------------------ */

#define NIM_MOST_CORRELATED 64

/*
 * A table.
 *
 * `x` (rows x attributes) holds the values in the user's units. NaN means that a value is missing:
 * its distribution follows from the other values of the row and the population (option
 * "population"). With a flat population it counts as a measurement at the attribute's mean, with
 * the attribute's standard deviation as its error. The model can also use the fact that a value is
 * missing (option "missing").
 *
 * `sigma` holds 1-sigma errors: NULL for none, one row (sigma_rows = 1) for errors that are the
 * same in all rows, or one error per cell (sigma_rows = rows). An error of 0 means that the value
 * is exact. NaN means that the error is unknown: the attribute's median error is used, multiplied
 * by the geometric mean of the ratios of the row's known errors to the medians of their
 * attributes.
 *
 * `weights` (rows, or NULL for 1) multiply each row's term in the bound, which is the quantity that
 * training maximises.
 *
 * The targets are in one of two arrays, depending on the likelihood; the other is NULL. `labels`
 * (rows) holds classes or ordered levels, 0 .. C-1. `targets` (rows x outputs) holds numbers,
 * counts or sets of labels. `outputs` is the number of labels for sets of labels, whose columns
 * hold 0 or 1, and otherwise 1. `exposure` (rows, or NULL for 1) is the time, area or effort over
 * which each count was collected. `target_sigma` (rows, or NULL for 0) is the 1-sigma measurement
 * error of each number: the noise of y is then the learned noise plus this error. Predictions of y
 * do not contain it, but log_density and cumulative do, for the targets to which they belong.
 *
 * Three more properties of the measurements are optional; NULL where they are not known.
 *
 * `correlation`: correlations between the errors of a row's cells, attributes (attributes-1)/2
 * numbers per row in the order (1,0), (2,0), (2,1), (3,0), ...; one row for all rows
 * (correlation_rows = 1) or one per row. NaN counts as 0, and so does a correlation with a cell
 * that is missing, exact or a limit. Correlations need given errors (option "noise"), at most
 * NIM_MOST_CORRELATED attributes and one of the input models marginal, latent, amortised, exact and
 * first_order.
 *
 * `sigma_upper`, with the shape of sigma: upper errors; sigma then holds the lower errors. The true
 * value is distributed as two half-normal curves that meet at x. NaN: equal to the lower error.
 *
 * `limit`, with the shape of x: -1 if the true value is below x (an upper limit), 1 if it is above
 * x (a lower limit), 0 if x is a measurement. The error of a limit says how sharp it is; 0 is a
 * sharp edge.
 *
 * Values and errors may be columns of a larger array, such as a mapped file. `x_stride` is the
 * distance between two rows in numbers; 0 means `attributes`. Attribute j of row i is
 * x[i * x_stride + x_column[j]], or x[i * x_stride + j] if x_column is NULL. The same holds for
 * sigma, where NIM_NONE in sigma_column means that an attribute is exact.
 */
typedef struct nim_data {
    size_t size; /* sizeof(nim_data) */
    size_t rows, attributes;
    const double *x;
    const double *sigma;
    size_t sigma_rows;
    const int32_t *labels;
    const double *weights;
    const double *targets;
    size_t outputs;
    const double *exposure;
    const double *correlation;
    size_t correlation_rows;
    const double *sigma_upper;
    const int8_t *limit;
    size_t x_stride, sigma_stride;
    const size_t *x_column;
    const size_t *sigma_column;
    const double *target_sigma;
} nim_data;

/* A nim_data with these members; all others are zero: NIM_DATA(.rows = N, .attributes = d, .x = x).
 * In C++17 too, with gcc and clang; -Wextra of g++ names the members that are zero. */
#define NIM_DATA(...) (__extension__(nim_data){.size = sizeof(nim_data), __VA_ARGS__})

/* ---------------------------------------------------------------- model and training ---------- */

typedef struct nim_model nim_model;

/*
 * Creates a model for training on `data`. The scaling of the attributes is computed from the rows,
 * and the inducing inputs, the points that represent the latent functions, are drawn from them. The
 * number of classes is the option "classes"; if that is 0, it is one more than the largest label,
 * or `outputs` for sets of labels. All data are checked. The model keeps no reference to them.
 */
NIM_API nim_status nim_model_create(const nim_options *options, const nim_data *data,
                                    nim_model **model, nim_error *error);
NIM_API void nim_model_free(nim_model *model);

/*
 * Learns the population again, from two tables. (The population is the distribution of the true
 * inputs, option "population".) `data` is the table with which the model was created. Of `others`
 * only x and the errors are used, so its rows need no labels; often there are many more such rows.
 * With population = auto this function always learns a population: a wide one if one was chosen
 * when the model was created, otherwise a mixture. Call it before training. Fails with
 * NIM_INVALID_ARGUMENT if the population is flat, if noise is learned, or if the input model does
 * not use a population.
 */
NIM_API nim_status nim_model_learn_population(nim_model *model, const nim_data *data,
                                              const nim_data *others, nim_error *error);

typedef struct nim_progress {
    size_t epoch, epochs;  /* passes over the data completed, and their maximum */
    size_t batch, batches; /* minibatches completed in the current pass (0 when a pass has just
                              ended) and their number; after the last pass, steps of the
                              calibration; in a prediction, rows completed and all rows */
    size_t step;           /* steps since the model was created */
    double bound;          /* the quantity that training maximises, averaged over the minibatches of
                              the epoch; with alpha = 0 and caution = 1 the evidence lower bound,
                              except in the warm-up */
    double rate;           /* current step size */
    double jitter;         /* largest number that had to be added to the diagonal of a covariance
                              matrix so far, relative to the kernel's variance */
} nim_progress;

/*
 * Called after each epoch, and several times a second during long epochs. A nonzero return value
 * stops the training after the current step. The callback may inspect, save and predict with the
 * model; in a training by several processes, see nim_model_gather.
 */
typedef int (*nim_progress_function)(const nim_progress *progress, void *context);

/*
 * Maximises the bound until it no longer improves (option "stop" = auto; in the number of steps of
 * option "epochs", if inputs are not inferred), or for a fixed number of epochs. Returns
 * NIM_CANCELLED if the callback stopped the training. The model is usable then. A second call with
 * the same data continues the training, even if the model was saved and loaded in between, and
 * gives the same bits as a training that was not stopped. After a completed training, a further
 * call trains again from the current parameters (a warm start); `data` may then have more rows, the
 * old rows first.
 */
NIM_API nim_status nim_model_train(nim_model *model, const nim_data *data,
                                   nim_progress_function progress, void *context, nim_error *error);

/*
 * Trains one step at a time, in a loop of the caller. The step size is constant and there is no
 * warm-up. The caller decides when to end. A step writes its estimate of the bound to `*bound`,
 * unless `bound` is NULL, and allocates nothing. The trainer refers to the model and the data,
 * which must exist until the trainer is freed.
 */
typedef struct nim_trainer nim_trainer;
NIM_API nim_status nim_trainer_create(nim_model *model, const nim_data *data, nim_trainer **trainer,
                                      nim_error *error);
NIM_API nim_status nim_trainer_step(nim_trainer *trainer, double *bound, nim_error *error);
NIM_API void nim_trainer_free(nim_trainer *trainer);

/*
 * Training by several processes. The library opens no connections. The caller provides the
 * functions that communicate between the processes, for example by MPI (cli/mpi.c). Each process
 * creates the same model from the same data, sets its collectives, and calls the same functions in
 * the same order. Each process evaluates the rows of its own part of the table, in every step, and
 * the gradients are summed. All processes end with the same model, whose bits do not depend on the
 * number of processes (docs/scaling.md). One of them saves it. The progress functions of all
 * processes are called after the same steps.
 *
 * Each function returns 0 on success. Any other value ends the training with NIM_COMMUNICATION. All
 * values are integers or bytes, so no sum depends on its order.
 *   sum      replaces values[i] by the sum of values[i] over all processes
 *   largest  replaces values[i] by the largest values[i] of all processes
 *   gather   array consists of one part per process; part r starts at byte offset[r] and ends
 *            before byte offset[r + 1]. Each process has filled in its own part, number `rank`.
 *            Afterwards every process has all parts.
 *   sum_parts  optional, and faster than sum: values consists of one part per process; part r
 *            starts at number offset[r] and ends before number offset[r + 1]. In its own part, each
 *            process replaces values[i] by the sum of values[i] over all processes. The other parts
 *            may contain anything afterwards. If sum_parts is NULL, sum is called instead.
 */
typedef struct nim_collectives {
    size_t size;            /* sizeof(nim_collectives) */
    size_t rank, processes; /* rank < processes */
    int (*sum)(int64_t *values, size_t count, void *context);
    int (*largest)(int64_t *values, size_t count, void *context);
    int (*gather)(void *array, const size_t *offset, void *context);
    void *context;
    int (*sum_parts)(int64_t *values, const size_t *offset, void *context); /* or NULL */
} nim_collectives;

#define NIM_COLLECTIVES(...) ((nim_collectives){.size = sizeof(nim_collectives), __VA_ARGS__})

/* Makes this process one of several that train the model; NULL makes it train the model alone
 * again. The functions must remain callable until then. They are not saved with the model. */
NIM_API nim_status nim_model_set_collectives(nim_model *model, const nim_collectives *collectives,
                                             nim_error *error);

/*
 * During the steps of a training by several processes, each process has only its part of the
 * optimiser's state and, with the option "input" latent or narrow, of the rows' own parameters.
 * This function sends all parts to all processes. Call it before nim_model_save and
 * nim_model_denoise, in a progress function and after steps of a nim_trainer; otherwise they fail.
 * All processes must call it after the same step. nim_model_train calls it at its end, also when
 * the training was stopped. If nothing is divided, it does nothing.
 */
NIM_API nim_status nim_model_gather(nim_model *model, nim_error *error);

/*
 * Memory for the parameters of single training rows. If the option "input" is latent or narrow,
 * each row has its own parameters and optimiser moments: 48 d + 8 bytes per row, in three arrays.
 * By default they are on the heap. The caller can provide a function that allocates them elsewhere,
 * for example in a mapped file.
 *
 * resize(memory, before, after, context) works like realloc. It changes the size of a block from
 * `before` to `after` bytes, keeps its content up to the smaller size, and returns its address,
 * which may be a new one. `memory` is NULL if `before` is 0. If `after` is 0, it frees the block
 * and returns NULL. Otherwise NULL means that there is not enough space; the block is then
 * unchanged.
 */
typedef struct nim_storage {
    size_t size; /* sizeof(nim_storage) */
    void *(*resize)(void *memory, size_t before, size_t after, void *context);
    void *context;
} nim_storage;

#define NIM_STORAGE(...) ((nim_storage){.size = sizeof(nim_storage), __VA_ARGS__})

/* Moves existing parameters of rows to the storage, which is then used until the model is freed.
 * NULL means the heap. Must not be called while a trainer of the model exists. The storage is not
 * saved with the model. */
NIM_API nim_status nim_model_set_storage(nim_model *model, const nim_storage *storage,
                                         nim_error *error);

/* ---------------------------------------------------------------- names and files ------------- */

/*
 * Names of all attributes or all classes. The library only stores them, for the messages of
 * programs and for matching columns. The default names are x1, x2, ... for attributes and 0, 1, ...
 * for classes. Names must be UTF-8, not empty and different from each other.
 */
NIM_API nim_status nim_model_name_attributes(nim_model *model, const char *const *names,
                                             nim_error *error);
NIM_API nim_status nim_model_name_classes(nim_model *model, const char *const *names,
                                          nim_error *error);
NIM_API const char *nim_model_attribute_name(const nim_model *model, size_t attribute);
NIM_API const char *nim_model_class_name(const nim_model *model, size_t label);

/* Free text that is stored under a key and saved with the model. A text of NULL removes it.
 * nim_model_note returns NULL if there is no text under the key. */
NIM_API nim_status nim_model_set_note(nim_model *model, const char *key, const char *text,
                                      nim_error *error);
NIM_API const char *nim_model_note(const nim_model *model, const char *key);

/*
 * One file holds the model and, if training was stopped before its end, the state from which it can
 * continue (docs/model-file.md). The file is written under a temporary name in the same directory
 * and then renamed, so `path` always names a complete file, the old or the new one. Loading checks
 * the whole file; the option "threads" gets its default. Saving fails with NIM_NUMERICAL if a
 * number in the model is not finite, because the file could not be loaded again.
 */
NIM_API nim_status nim_model_save(const nim_model *model, const char *path, nim_error *error);
NIM_API nim_status nim_model_load(const char *path, nim_model **model, nim_error *error);

/*
 * The same bytes in memory instead of a file. `bytes` has space for `capacity` bytes, and `*size`
 * receives the number of bytes of the model; `size` may be NULL. To ask for the size only, `bytes`
 * may be NULL with a capacity of 0. Fails with NIM_INVALID_ARGUMENT if the model needs more than
 * `capacity` bytes; only the size is written then.
 */
NIM_API nim_status nim_model_save_memory(const nim_model *model, void *bytes, size_t capacity,
                                         size_t *size, nim_error *error);
NIM_API nim_status nim_model_load_memory(const void *bytes, size_t size, nim_model **model,
                                         nim_error *error);

/*
 * The options of a model as they were decided, and as they were requested: there, options that were
 * left to the library still have their defaults. (Models from files of older versions have as
 * request what was decided.) nim_model_set_option changes a request; an option with the role
 * NIM_OPTION_SHAPES cannot change (nim_option_info.role).
 */
NIM_API const nim_options *nim_model_options(const nim_model *model);
NIM_API const nim_options *nim_model_request(const nim_model *model);

/* Writes why the library chose the value of an option: "classes are predicted, errors differ from
 * row to row". Returns the length of the whole text, as nim_option_rules does; 0 if the user set
 * the option, or if there was nothing to choose. */
NIM_API size_t nim_model_reason(const nim_model *model, const char *option, char *text,
                                size_t size);

/* Writes the value of an option, in words where a rule says more than the value: "1000 steps but at
 * least 15 passes". Returns the length of the whole text, as nim_option_rules does. */
NIM_API size_t nim_model_choice(const nim_model *model, const char *option, char *text,
                                size_t size);

/* Writes why an option has no effect on this model: "the kernel is not polynomial". Returns the
 * length of the whole text, as nim_option_rules does; 0 if it may have one. */
NIM_API size_t nim_model_idle(const nim_model *model, const char *option, char *text, size_t size);

NIM_API nim_status nim_model_set_option(nim_model *model, const char *name, const char *value,
                                        nim_error *error);

/* What a model, or one with these options, can do: 1 or 0. */
typedef enum nim_ability {
    NIM_USES_ERRORS,  /* given errors change its training or predictions */
    NIM_JOINS_ERRORS, /* errors may be correlated */
    NIM_LEARNS_NOISE, /* it learns variances of the noise of its inputs */
    NIM_OWNS_ROWS,    /* training rows have parameters: no other rows can be denoised */
    NIM_READS_TARGET, /* rows are denoised with their target, which must be known */
} nim_ability;

/* With the input model left to the library, as for one that uses errors. */
NIM_API int nim_options_can(const nim_options *options, nim_ability what);
NIM_API int nim_model_can(const nim_model *model, nim_ability what);

/* ---------------------------------------------------------------- inspecting a model ---------- */

/* The argument `model` of these functions must not be NULL. */

NIM_API nim_target nim_model_target(const nim_model *model);
NIM_API size_t nim_model_classes(const nim_model *model);   /* or levels, labels; 0 for numbers */
NIM_API size_t nim_model_functions(const nim_model *model); /* latent functions */
NIM_API size_t nim_model_attributes(const nim_model *model);
NIM_API size_t nim_model_inducing(const nim_model *model);
NIM_API size_t nim_model_epochs(const nim_model *model); /* completed passes over the data */
NIM_API size_t nim_model_rows(const nim_model *model);   /* rows of the training, 0 before it */
NIM_API int nim_model_under_way(const nim_model *model); /* 1: a training was stopped early */

/* The quantity that training maximises, averaged over the minibatches of the last epoch; with alpha
 * = 0 and caution = 1 the evidence lower bound. NaN before training. */
NIM_API double nim_model_bound(const nim_model *model);

/* clang-format off: it would run the lines of the list together */
/*
 * Copies a learned quantity by its name. Lengthscales, noise and population are in the user's
 * units.
 *   lengthscales     functions x attributes  lambda of each latent function's kernel; for a kernel
 *                                            that is a sum, functions x terms x attributes
 *   variances        functions               s2 of each kernel (for numbers, in standard units of
 *                                            y); for a sum, functions x terms
 *   white_noise      functions               variance s0^2 that each kernel adds on its diagonal
 *   inducing_inputs  functions x inducing x attributes
 *   noise_variance   attributes              learned input noise; zeros if noise is given
 *   relevance        attributes              how much each attribute matters: 1/lambda^2 in
 *                                            standard units, averaged over functions (and over the
 *                                            terms of a sum, weighted by s2), scaled so that the
 *                                            largest is 1; 0 for a constant attribute
 *   function_relevance  functions x attributes  the contributions of the functions to relevance
 *   missing_columns  flags                   for each flag of missing cells, its attribute; an
 *                                            attribute has a flag if enough of its cells are
 *                                            missing
 *   missing_relevance  flags                 relevance of each flag, on the scale of relevance
 *   population_shares  components            shares of the Gaussian components of the population;
 *                                            no values for a flat population; covariances of a wide
 *                                            one are those it was widened to
 *   population_means   components x attributes
 *   population_covariances  components x attributes x attributes
 *   temperature      1                       T: class probabilities are proportional to
 *                                            p_c^(1/T) exp(b_c); 1 if they are not calibrated,
 *                                            infinite if held-out rows were predicted no better
 *                                            than by the shares of the classes, which are then
 *                                            predicted
 *   calibration_offsets  classes             b; no values if the probabilities are not calibrated,
 *                                            and for files of older versions, where b is 0
 *   class_shares     classes                 weighted shares of the classes in the training rows;
 *                                            no values for files of older versions
 *   novelty_quantiles  up to 256             quantiles of how surprising the training rows are,
 *                                            by cross-validation; no values if the model cannot
 *                                            compute novelty
 *   plausibility_rows  classes               held-out rows of each class, or for numbers and counts
 *                                            their number; no values if the model cannot compute
 *                                            plausibility or intervals
 *   panel_weights    2 x fits                weights of the fits of a panel, the plain fit's first,
 *                                            where errors are such as training rows have, and where
 *                                            they are larger (for numbers the same, the second
 *                                            those of mixtures over attributes and y); no values
 *                                            without a panel
 *   panel_gain       2                       log p of held-out rows by the panel, minus that by the
 *                                            plain fit and what flatters the others (further
 *                                            lengthscales): mean and its standard error
 *   trace            points x 2              epoch and bound in the training, at most 256 points
 * and what the likelihood learns, in units of y (between bounds, of what is learned in its place):
 *   epsilon          1                       robust_max: share of wrong labels
 *   noise_deviation  1                       gaussian: standard deviation of the noise of y
 *   scale, freedom   1, 1                    student_t: width of the noise, degrees of freedom
 *   base_rate        1                       poisson: rate where the latent function is zero
 *   thresholds       classes - 1             ordinal: thresholds between the levels
 *   map, offsets     classes x functions, classes    multilabel: from functions to labels
 * `values` has space for `capacity` numbers, and `*count` receives their number; `count` may be
 * NULL. To ask for the count only, `values` may be NULL with a capacity of 0. Fails with
 * NIM_INVALID_ARGUMENT if there are more than `capacity` values; only the count is written then.
 */
/* clang-format on */
NIM_API nim_status nim_model_get(const nim_model *model, const char *name, double *values,
                                 size_t capacity, size_t *count, nim_error *error);

/*
 * What fit k of a panel sees of the rows: "the rows as they are" for the plain fit, k = 0. Returns
 * the number of bytes of the whole text, without the terminating null, as snprintf does; 0 if there
 * is no such fit.
 */
NIM_API size_t nim_model_view(const nim_model *model, size_t k, char *text, size_t size);

/*
 * Estimates the true inputs of the training rows: mean and standard deviation of their posterior,
 * each rows x attributes in the user's units. `data` must be the training data, targets included.
 * For input models that do not infer true inputs, the result is the distribution of the inputs
 * given their measurements and the population, if a population was learned (with a wide one the
 * standard deviations are too large; population = mixture avoids that); otherwise the
 * measurements and their errors.
 */
NIM_API nim_status nim_model_denoise(const nim_model *model, const nim_data *data, double *mean,
                                     double *deviation, nim_error *error);

/* ---------------------------------------------------------------- prediction ------------------ */

typedef struct nim_predictor nim_predictor;

/* Factorises the covariances of the model once and allocates all memory that predictions need. The
 * model must exist until the predictor is freed, and must not be trained in that time. */
NIM_API nim_status nim_predictor_create(const nim_model *model, nim_predictor **predictor,
                                        nim_error *error);
NIM_API void nim_predictor_free(nim_predictor *predictor);

/* The arrays to compute; a member that is NULL is not computed. A model that predicts numbers has
 * no probabilities, and other models have no mean and quantiles; requesting them is an error. */
typedef struct nim_prediction {
    size_t size;             /* sizeof(nim_prediction) */
    double *probabilities;   /* rows x classes; each row sums to one, except for sets of labels,
                                where each label has its own probability */
    double *entropy;         /* rows: entropy of the probabilities in nats; for sets of labels the
                                sum over the labels */
    double *latent_mean;     /* rows x functions: mean of f over the posterior and the measurement
                                error; for numbers in standard units of y */
    double *latent_variance; /* rows x functions: variance of f */
    /* The entropy is the sum of two parts, in nats: by how much this model's entropy would fall on
     * average if the row's inputs were measured exactly, I(y; x); and the rest. Both rank rows;
     * they do not say which part of the overlap of classes errors cause, because noisy rows often
     * hardly tell a sharp border from a soft one: where errors cause all of it, the first part can
     * be a quarter of the entropy. For input models that do not average over the possible inputs it
     * is 0. */
    double *measurement_part; /* rows */
    double *model_part;       /* rows: the rest */
    /* Numbers and counts: mean and standard deviation of y, and its quantiles at `level_count`
     * levels between 0 and 1 (rows x level_count; see level_rows). With student_t, whose tails
     * decide the standard deviation, `deviation` is half of the central 68.27 % interval. */
    double *mean, *deviation; /* rows */
    const double *levels;
    size_t level_count;
    double *quantiles;
    /* rows: log p(y) of the labels or targets in the data: the log of a probability, or of a
     * density in units of y; for sets of labels the sum over the labels. */
    double *log_density;
    /* rows x 2, for numbers and counts: P(Y < y) and P(Y <= y) of the targets in the data. The two
     * are equal for numbers. */
    double *cumulative;
    /* rows x classes: plausibility of each class or level, from rows of that class that were held
     * out in training (conformal prediction). The set of classes whose plausibility is above a
     * threshold t contains the true class with a probability of at least 1 - t. This holds for each
     * class, so it also holds if the shares of the classes change. */
    double *plausibility;
    /* rows: how unusual the measurement is compared with the training rows, for any class: -log10
     * of the share of training rows that are at least as surprising under the population of inputs,
     * given their errors and missing cells. 2 means one row in 100. */
    double *novelty;
    double *input_log_density; /* rows: log density of the measurement under the population,
                                  convolved with the row's errors, in units of x; missing cells
                                  are left out */
    /* rows x grid_count, for numbers and counts: p(y) at the values of `grid`, the density in units
     * of y or the probability of a count. */
    const double *grid;
    size_t grid_count;
    double *density;
    size_t level_rows; /* rows: `levels` is rows x level_count; 0 or 1: the same for all rows */
    /* rows, for models with a panel: the probability that the sizes of the row's errors are such as
     * training rows have, given its values. Where it is 1, the weights of the panel's fits are the
     * first of panel_weights; where errors are larger, the second; where they are smaller, the
     * plain fit speaks alone. */
    double *typical;
    double *crps; /* rows, for numbers: continuous ranked probability score of the target in the
                     data, the integral of (P(Y <= t) - [t >= y])^2 over t, in units of y */
    /* rows x 2, for numbers and counts: the ends of an interval that has y with a probability of at
     * least `coverage`, whatever the predicted distribution (conformal prediction): between two
     * quantiles, chosen by rows that were held out in training. */
    double coverage;
    double *interval;
    /* rows x fits, for models with a panel of classes: the weight that each of its fits has in the
     * row, the plain fit first; nim_model_view says what they see. */
    double *fit_weights;
} nim_prediction;

/* A nim_prediction with these members; all others are NULL: NIM_PREDICTION(.probabilities = p). */
#define NIM_PREDICTION(...)                                                                        \
    (__extension__(nim_prediction){.size = sizeof(nim_prediction), __VA_ARGS__})

/* Predicts the rows of `data`. The result for a row does not depend on the other rows. Allocates
 * nothing. Fails with NIM_NUMERICAL if a result is not finite, which a model with extreme
 * parameters may cause, and with NIM_CANCELLED if the progress function stopped it. The content of
 * the arrays is then undefined. */
NIM_API nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                               const nim_prediction *prediction, nim_error *error);

/*
 * Sets a function that nim_predict and nim_remeasure call before their first row and then several
 * times a second, in the thread that called them. A nonzero return value stops them. NULL removes
 * the function.
 */
NIM_API nim_status nim_predictor_set_progress(nim_predictor *predictor,
                                              nim_progress_function progress, void *context,
                                              nim_error *error);

/*
 * Sets the shares of the classes or levels in the rows to predict, if they differ from those in
 * training. The probabilities become proportional to p(c) shares_c / (share of c in training), and
 * the entropy and its parts change accordingly. This is correct if the inputs of each class are
 * distributed as in training (label shift). `shares` (classes) need not sum to one; NULL means the
 * shares of training.
 */
NIM_API nim_status nim_predictor_set_shares(nim_predictor *predictor, const double *shares,
                                            nim_error *error);

/*
 * Estimates the shares (classes) of the classes in rows without labels, by maximum likelihood.
 * `probabilities` (rows x classes) are those that the model predicts with the shares of training.
 * The estimate is valid for label shift. It is uncertain if classes are hard to distinguish.
 */
NIM_API nim_status nim_model_estimate_shares(const nim_model *model, size_t rows,
                                             const double *probabilities, double *shares,
                                             nim_error *error);

/*
 * Computes how much better measurements would help. gain (rows x attributes) is the average
 * reduction of the entropy of the row's class, in nats, by an exact measurement of this attribute
 * alone, I(y; x_j). It is 0 if the value is already exact. Not for models that predict numbers.
 * Allocates nothing.
 */
NIM_API nim_status nim_remeasure(nim_predictor *predictor, const nim_data *data, double *gain,
                                 nim_error *error);

/* ---------------------------------------------------------------- formulas -------------------- */

/*
 * Attributes that tables' readers compute from columns, and name "log(x)", "log10(x)" and "a-b":
 * these functions do it as the program and the Python package do, to the bit. Arrays have `count`
 * elements: values, lower and upper errors (NaN: unknown; the same twice if they are symmetric) and
 * limits (as in nim_data).
 *
 * nim_take_log replaces values by their natural, or decimal, logarithm; NULL where there are no
 * errors or limits. The likelihood of the true value t is also that of ln t; it is e^-1/2 of its
 * maximum at the logarithms of x - lower and x + upper, which are the ends of the new error bar. A
 * lower error that reaches below zero is cut at zero: its end is chosen so that it covers the share
 * of a normal curve within one deviation. Where x is not positive, all becomes NaN. Returns how
 * many values that were.
 */
NIM_API size_t nim_take_log(int decimal, size_t count, double *value, double *lower, double *upper,
                            int8_t *limit);

/* Subtracts others. The lower error is combined with the upper one of what is subtracted. If one of
 * the two is a limit, so is the difference; if they contradict each other, it is missing (NaN). */
NIM_API void nim_take_difference(size_t count, double *value, double *lower, double *upper,
                                 int8_t *limit, const double *minus, const double *minus_lower,
                                 const double *minus_upper, const int8_t *minus_limit);

#ifdef __cplusplus
}
#endif

#endif
