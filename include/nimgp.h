/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nimgp: classification and regression for data with error bars.
 *
 * Gaussian-process models in which the inputs themselves are noisy measurements. A table of N rows
 * and d attributes goes in, each cell with its own 1-sigma error where there is one, and for each
 * row one class of C (or a level, labels, a number, a count: option "likelihood"); calibrated
 * class probabilities, or a distribution of numbers, come out.
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
 *  - Arrays are row-major doubles owned by the caller and only read, unless said otherwise.
 *  - Every function that can fail returns a nim_status and, when `error` is not NULL, writes one
 *    line there that names the culprit. On failure outputs are untouched or NULL.
 *  - There is no global state. Handles may be used from any thread, one thread at a time each;
 *    distinct handles at the same time are safe. A predictor only reads its model, so several may
 *    share one as long as it is not being trained.
 *  - Structures that may grow start with their size, which NIM_DATA and the like fill in. A program
 *    compiled against an older header goes on with a newer library.
 *  - The library never prints.
 *  - Same options, data and seed: the same bits, whatever the number of threads and however rows
 *    are split into prediction calls (for one build on one kind of processor).
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

/* The version of this header. NIM_VERSION_NUMBER grows from version to version. */
#define NIM_VERSION "0.2.0"
#define NIM_VERSION_MAJOR 0
#define NIM_VERSION_MINOR 2
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
    X(COMMUNICATION, "the processes of a training lost contact with each other")

typedef enum nim_status {
#define NIM_STATUS_ENUM(name, text) NIM_##name,
    NIM_STATUS_LIST(NIM_STATUS_ENUM)
#undef NIM_STATUS_ENUM
} nim_status;

/* What a status means in general. nim_error.message describes the particular case. */
NIM_API const char *nim_status_text(nim_status status);

#define NIM_NONE ((size_t)-1) /* no row, no attribute */

/* Filled in by the library; there is nothing to initialise. It never changes its size. */
typedef struct nim_error {
    nim_status status;
    char message[512];     /* one line, no newline; empty after success */
    char option[32];       /* the option that was refused; empty if it was something else */
    size_t row, attribute; /* the cell that was refused, counted from 0, or NIM_NONE */
    size_t reserved[4];
} nim_error;

/* ---------------------------------------------------------------- options --------------------- */

/*
 * Options are set by name and text, so that programs and other languages need no copy of the list.
 * nim_option_describe enumerates them with type, default, range, choices and help, so that nothing
 * needs to be read from texts. No option needs to be set.
 */
typedef struct nim_options nim_options;

typedef enum nim_option_type {
    NIM_OPTION_CHOICE, /* one of `choices` */
    NIM_OPTION_FLAG,   /* "0" or "1" */
    NIM_OPTION_WHOLE,  /* a whole number from `least` to `most` */
    NIM_OPTION_REAL,   /* a number from `least` to `most`, or one of `choices` */
} nim_option_type;

/* What an option has a say in. */
typedef enum nim_option_role {
    NIM_OPTION_SHAPES,   /* what the model is: cannot change once it is made */
    NIM_OPTION_TRAINS,   /* how it is trained: cannot change while a training is under way */
    NIM_OPTION_PREDICTS, /* how it predicts */
    NIM_OPTION_RUNS,     /* how fast it computes; not saved with the model */
} nim_option_role;

/* Owned by the library, constant. Later versions may add members at the end. */
typedef struct nim_option_info {
    const char *name;
    const char *fallback; /* the default, as text */
    const char *values;   /* what is allowed, as text for a reader */
    const char *help;     /* one sentence */
    nim_option_type type;
    const char *const *choices; /* the names that are allowed, ended by NULL; NULL for none */
    double least, most;         /* the range of a number */
    nim_option_role role;
} nim_option_info;

/* All options at their defaults, or a copy of others; NULL when out of memory. Free with
 * nim_options_free. */
NIM_API nim_options *nim_options_create(void);
NIM_API nim_options *nim_options_copy(const nim_options *options);
NIM_API void nim_options_free(nim_options *options);

/* Fails with NIM_INVALID_ARGUMENT for an unknown name or a value out of range. */
NIM_API nim_status nim_options_set(nim_options *options, const char *name, const char *value,
                                   nim_error *error);

/* Writes the present value as text. Fails with NIM_INVALID_ARGUMENT when that and its terminator
 * need more than `size` bytes; 64 are always enough. */
NIM_API nim_status nim_options_get(const nim_options *options, const char *name, char *value,
                                   size_t size, nim_error *error);

NIM_API size_t nim_option_count(void);
NIM_API const nim_option_info *nim_option_describe(size_t index);  /* NULL beyond the last */
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

/* "class", "level" and so on; NULL for NIM_TARGET_NONE. */
NIM_API const char *nim_target_name(nim_target target);

/* What a choice of the option "likelihood" predicts; NIM_TARGET_NONE for an unknown name. The first
 * choice that predicts a target is the default for it. */
NIM_API nim_target nim_likelihood_target(const char *likelihood);

/* ---------------------------------------------------------------- data ------------------------ */

/*
 * A table. `x` is rows x attributes in the user's own units; NaN means missing. `sigma` holds
 * 1-sigma errors: NULL for none, one row (sigma_rows = 1) for errors shared by all rows, or one per
 * cell (sigma_rows = rows). A zero error means the value is exact, a NaN that the error is unknown:
 * the attribute's median error stands in, times how much larger than usual the row's other errors
 * are. Where a missing value may be follows from the row's other values and the population
 * (option "population"); with a flat one it counts as a measurement at the attribute's mean whose
 * error is the attribute's spread. That it is missing may tell something too (option "missing").
 * `weights` (or NULL) multiply each row's share of the bound.
 *
 * What the rows are stands in one of two places, depending on the likelihood; NULL where it is not
 * needed. Classes and ordered levels: `labels`, 0 .. C-1. Numbers, counts and sets of labels:
 * `targets`, rows x outputs, where outputs is 1 but for sets of labels, which have a column of 0
 * and 1 for each. `exposure` (rows, or NULL for 1 everywhere) is the time, area or effort over
 * which each count was gathered.
 *
 * Three more things may be known of the measurements; NULL where they are not.
 * `correlation`: of the errors of a row's cells, attributes (attributes-1)/2 numbers a row in the
 * order (1,0), (2,0), (2,1), (3,0), ..., for all rows (correlation_rows = 1) or each; NaN counts as
 * 0, as does one with a cell that is missing, exact or a limit. At most 64 attributes; for errors
 * that are given (option "noise") and input models that infer inputs, or exact and first_order.
 * `sigma_upper`, as large as sigma: upper errors, sigma being the lower ones. The truth is then
 * spread as two half normal curves that meet at x. NaN: equal to the lower error.
 * `limit`, as large as x: -1 where the truth is below x, 1 where it is above, 0 where x is the
 * measurement. sigma is how sharp the limit is: 0 is a sharp one.
 *
 * Values and errors may lie among other columns of a larger array, such as a file that is mapped.
 * `x_stride` is how many numbers a row is behind the one before, 0 for `attributes`; attribute j of
 * row i is x[i * x_stride + x_column[j]], or + j where x_column is NULL. Likewise for sigma, where
 * NIM_NONE in sigma_column says that an attribute is exact.
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
} nim_data;

/* A nim_data with these members, all others zero: NIM_DATA(.rows = N, .attributes = d, .x = x). */
#define NIM_DATA(...) ((nim_data){.size = sizeof(nim_data), __VA_ARGS__})

/* ---------------------------------------------------------------- model and training ---------- */

typedef struct nim_model nim_model;

/*
 * A model ready for training on `data`: scaling from its rows, inducing inputs drawn from them,
 * the number of classes is the option "classes" or, when that is 0, follows from the data: one more
 * than the largest label, or the number of columns of a set of labels. All data are checked here;
 * none are kept.
 */
NIM_API nim_status nim_model_create(const nim_options *options, const nim_data *data,
                                    nim_model **model, nim_error *error);
NIM_API void nim_model_free(nim_model *model);

/*
 * Learns the population of true inputs (option "population") anew, from the rows of `data`, those
 * the model was made for, and from `others`, of which only x and errors are looked at: often there
 * are far more rows than labels. Option auto then learns one in any case. Before training; refused
 * where the option is flat, noise is learned or the input model has no use for a population.
 */
NIM_API nim_status nim_model_learn_population(nim_model *model, const nim_data *data,
                                              const nim_data *others, nim_error *error);

typedef struct nim_progress {
    size_t epoch, epochs;  /* passes over the data done, and the most there will be */
    size_t batch, batches; /* of the pass under way: minibatches done (0 when one has just ended);
                              after the last pass, steps of the calibration; in a prediction, rows
                              done and all rows */
    size_t step;           /* steps done since the model was made */
    double bound;          /* what training maximises, mean over the epoch's minibatches: for alpha
                              = 0 the evidence lower bound; while draws are warming up, not yet */
    double rate;           /* step size in force */
    double jitter;         /* largest jitter any class needed so far, relative to its variance */
} nim_progress;

/*
 * Called after every epoch, and several times a second during long ones; a nonzero return stops
 * training after the step just done. The model may be looked into, predicted with and saved
 * meanwhile.
 */
typedef int (*nim_progress_function)(const nim_progress *progress, void *context);

/*
 * Maximises the bound until it has settled (option "stop" = auto) or for a fixed number of epochs.
 * Returns NIM_CANCELLED when the callback asked to stop; the model is usable then, and calling
 * this again with the same data goes on with that training to the same bits as if it had never
 * stopped, also after the model was saved and loaded. After a training that came to its end, a
 * further call is a warm start from where the model is; `data` may then hold more rows, the old
 * ones first.
 */
NIM_API nim_status nim_model_train(nim_model *model, const nim_data *data,
                                   nim_progress_function progress, void *context, nim_error *error);

/*
 * Training in the caller's own loop, one step at a time: constant rate, no warm-up, no end of its
 * own. A step allocates nothing. The trainer refers to model and data, which must outlive it.
 */
typedef struct nim_trainer nim_trainer;
NIM_API nim_status nim_trainer_create(nim_model *model, const nim_data *data, nim_trainer **trainer,
                                      nim_error *error);
NIM_API nim_status nim_trainer_step(nim_trainer *trainer, double *bound, nim_error *error);
NIM_API void nim_trainer_free(nim_trainer *trainer);

/*
 * Training by many processes. The library opens no connections: the caller hands in three functions
 * over whatever connects its processes, MPI say (cli/mpi.c). Each process makes the same model from
 * the same data, hands in its collectives, and calls the same functions in the same order. A step's
 * rows are divided among the processes and gradients are summed; all end with the same model, whose
 * bits do not depend on how many there are (docs/scaling.md). One of them saves it.
 *
 * Each function returns 0, or anything else when it failed, which ends the training with
 * NIM_COMMUNICATION. All values are integers or bytes: no sum depends on its order.
 *   sum      values[i] becomes the sum of the processes' values[i]
 *   largest  values[i] becomes the largest of them
 *   gather   array has `processes` stretches of bytes, from offset[r] up to offset[r + 1]; each
 * process has filled in its own, number `rank`; afterwards every process has all of them
 */
typedef struct nim_collectives {
    size_t size;            /* sizeof(nim_collectives) */
    size_t rank, processes; /* rank < processes */
    int (*sum)(int64_t *values, size_t count, void *context);
    int (*largest)(int64_t *values, size_t count, void *context);
    int (*gather)(void *array, const size_t *offset, void *context);
    void *context;
} nim_collectives;

#define NIM_COLLECTIVES(...) ((nim_collectives){.size = sizeof(nim_collectives), __VA_ARGS__})

/* From now on the model is trained by many processes, and this process does its share. NULL: it
 * is trained by this process alone again. The functions must stay callable until then. They are not
 * saved with the model. */
NIM_API nim_status nim_model_set_collectives(nim_model *model, const nim_collectives *collectives,
                                             nim_error *error);

/*
 * Where a model keeps what grows with the training rows: with the option "input" latent or narrow,
 * parameters of their own and the optimiser's moments, 48 d + 8 bytes a row in three arrays. The
 * caller may hand in a function that keeps them elsewhere, a mapped file say.
 *
 * resize(memory, before, after, context) works as realloc: memory of `before` bytes, NULL for 0 of
 * them, becomes memory of `after` bytes, perhaps at another place, with the same content as far as
 * both go. NULL: there is no room, and memory is as it was; but with `after` 0 it was freed.
 */
typedef struct nim_storage {
    size_t size; /* sizeof(nim_storage) */
    void *(*resize)(void *memory, size_t before, size_t after, void *context);
    void *context;
} nim_storage;

#define NIM_STORAGE(...) ((nim_storage){.size = sizeof(nim_storage), __VA_ARGS__})

/* What there is moves there, and what comes is kept there until the model is freed. NULL: the
 * memory of the process, as before. Not while a trainer exists. Not saved with the model. */
NIM_API nim_status nim_model_set_storage(nim_model *model, const nim_storage *storage,
                                         nim_error *error);

/* ---------------------------------------------------------------- names and files ------------- */

/*
 * Names of all attributes or all classes, for messages and for matching columns. The library stores
 * them and does not use them. Unless named, attributes are x1, x2, ... and classes 0, 1, ... Names
 * are UTF-8, not empty and different from each other.
 */
NIM_API nim_status nim_model_name_attributes(nim_model *model, const char *const *names,
                                             nim_error *error);
NIM_API nim_status nim_model_name_classes(nim_model *model, const char *const *names,
                                          nim_error *error);
NIM_API const char *nim_model_attribute_name(const nim_model *model, size_t attribute);
NIM_API const char *nim_model_class_name(const nim_model *model, size_t label);

/* Free text under a key, saved with the model. A text of NULL removes it; nim_model_note returns
 * NULL when there is none. */
NIM_API nim_status nim_model_set_note(nim_model *model, const char *key, const char *text,
                                      nim_error *error);
NIM_API const char *nim_model_note(const nim_model *model, const char *key);

/*
 * One file holds the model and, when training was stopped under way, all it takes to go on with it
 * (docs/model-file.md). It is written beside `path` and renamed, so that `path` always holds a
 * whole file, the old or the new. Loading checks everything; threads is back at its default. A
 * model that could not be loaded again, because a number in it is not finite, is not saved:
 * NIM_NUMERICAL.
 */
NIM_API nim_status nim_model_save(const nim_model *model, const char *path, nim_error *error);
NIM_API nim_status nim_model_load(const char *path, nim_model **model, nim_error *error);

/*
 * The same bytes in memory. `size` (or NULL) receives how many there are, and `bytes`, which has
 * room for `capacity`, receives them. `bytes` may be NULL with a capacity of 0, to ask for the size
 * only. NIM_INVALID_ARGUMENT when the model does not fit; nothing is written then but the size.
 */
NIM_API nim_status nim_model_save_memory(const nim_model *model, void *bytes, size_t capacity,
                                         size_t *size, nim_error *error);
NIM_API nim_status nim_model_load_memory(const void *bytes, size_t size, nim_model **model,
                                         nim_error *error);

/* The options of a model, and a change of one of them. Options that shape the model cannot change;
 * those that say how it is trained or how it predicts can (nim_option_info.role). */
NIM_API const nim_options *nim_model_options(const nim_model *model);
NIM_API nim_status nim_model_set_option(nim_model *model, const char *name, const char *value,
                                        nim_error *error);

/* ---------------------------------------------------------------- looking into a model -------- */

/* These take a model, never NULL. */

NIM_API nim_target nim_model_target(const nim_model *model);
NIM_API size_t nim_model_classes(const nim_model *model);   /* levels, labels; 0 for numbers */
NIM_API size_t nim_model_functions(const nim_model *model); /* latent ones: a class has one each */
NIM_API size_t nim_model_attributes(const nim_model *model);
NIM_API size_t nim_model_inducing(const nim_model *model);
NIM_API size_t nim_model_epochs(const nim_model *model); /* passes over the data so far */
NIM_API size_t nim_model_rows(const nim_model *model);   /* rows it was trained on, 0 before */
NIM_API int nim_model_under_way(const nim_model *model); /* 1: training stopped before its end */

/* What training maximises, averaged over the last epoch's minibatches: for alpha = 0 and caution =
 * 1 the evidence lower bound. NaN before training. */
NIM_API double nim_model_bound(const nim_model *model);

/*
 * Copies of what was learned. Lengthscales, noise and population are in the user's units.
 *   lengthscales     functions x attributes  lambda of each latent function's kernel; where it is
 *                                            a sum, functions x terms x attributes
 *   variances        functions               s2 of its kernel (where y is a number, of y in
 *                                            standard units); of a sum, functions x terms
 *   white_noise      functions               s0^2
 *   inducing_inputs  functions x inducing x attributes
 *   noise_variance   attributes              learned input noise; zeros when noise is given
 *   relevance        attributes              share of each attribute, 1/lambda^2 in standard units,
 *                                            averaged over functions and, by s2, over the terms
 *                                            of a sum, largest = 1; a constant attribute has none
 *   function_relevance  functions x attributes  its parts, which add up to relevance
 *   missing_columns  flags                   the attribute whose missing cells each flag shows; one
 *                                            has a flag where enough of its cells are missing
 *   missing_relevance  flags                 share of each flag, on the scale of relevance
 *   population_shares  components            shares of the Gaussians that true inputs are assumed
 *                                            to come from; none where nothing is (flat)
 *   population_means   components x attributes
 *   population_covariances  components x attributes x attributes
 *   temperature      1                       T: class probabilities are in proportion to p^(1/T);
 *                                            1 where they are not calibrated
 *   class_shares     classes                 of the rows it learned from, by their weights; none in
 *                                            files of older versions
 *   novelty_quantiles  up to 256             of the surprises of rows like those it learned from;
 *                                            none where it cannot say how unusual rows are
 *   plausibility_rows  classes               rows of each that were kept aside; none where it
 *                                            cannot say how plausible classes are
 *   trace            points x 2              the bound over training, at most 256 epochs of it: the
 *                                            epoch, and the bound as nim_model_bound has it
 * and what the likelihood learns, in units of y:
 *   epsilon          1                       robust_max: share of wrong labels
 *   noise_deviation  1                       gaussian: of the noise of y
 *   scale, freedom   1, 1                    student_t: width of the noise, degrees of freedom
 *   base_rate        1                       poisson: rate where the latent function is zero
 *   thresholds       classes - 1             ordinal: where one level gives way to the next
 *   map, offsets     classes x functions, classes    multilabel: from functions to labels
 * `count` (or NULL) receives how many values there are, and `values`, which has room for `capacity`
 * of them, receives the values. `values` may be NULL with a capacity of 0, to ask for the count
 * only. NIM_INVALID_ARGUMENT when there are more values than room; nothing is written then but the
 * count.
 */
NIM_API nim_status nim_model_get(const nim_model *model, const char *name, double *values,
                                 size_t capacity, size_t *count, nim_error *error);

/*
 * Where the training rows' true inputs are believed to be: mean and standard deviation of q(x_i),
 * each rows x attributes in the user's units. `data` as given to training, labels included. Input
 * models that do not infer true inputs answer with what the population says of the measurements
 * where one was learned, otherwise with the measurements and their errors.
 */
NIM_API nim_status nim_model_denoise(const nim_model *model, const nim_data *data, double *mean,
                                     double *deviation, nim_error *error);

/* ---------------------------------------------------------------- prediction ------------------ */

typedef struct nim_predictor nim_predictor;

/* Factors the model once and holds all the memory predictions need. The model must outlive it and
 * not be trained meanwhile. */
NIM_API nim_status nim_predictor_create(const nim_model *model, nim_predictor **predictor,
                                        nim_error *error);
NIM_API void nim_predictor_free(nim_predictor *predictor);

/* What to compute; NULL members are left out. To ask for probabilities of a model that predicts
 * numbers, or for a mean or quantiles of one that does not, is an error. */
typedef struct nim_prediction {
    size_t size;             /* sizeof(nim_prediction) */
    double *probabilities;   /* rows x classes; each row sums to one, but for sets of labels, where
                                each label has a probability of its own */
    double *entropy;         /* rows: entropy of the probabilities, nats; of sets, summed */
    double *latent_mean;     /* rows x functions: mean of f over posterior and measurement error;
                                where y is a number, in standard units of y */
    double *latent_variance; /* rows x functions: its variance */
    /* The entropy is the sum of three parts, nats: what exact measurements of the row's inputs
     * would remove on average, I(y; x); what knowing the latent functions would remove then,
     * I(y; f | x); and the label noise that nothing removes, the rest. Input models that do not
     * average over where the input may be count everything but label noise as the second part. */
    double *measurement_part; /* rows */
    double *model_part;       /* rows */
    /* Numbers and counts: mean and standard deviation of y, and its quantiles at `level_count`
     * levels between 0 and 1, rows x level_count. */
    double *mean, *deviation; /* rows */
    const double *levels;
    size_t level_count;
    double *quantiles;
    /* rows: log p(y) of the rows' own labels or targets, which the data must hold; the log of a
     * probability, or of a density in units of y; of sets, summed over the labels' own. */
    double *log_density;
    /* rows x 2: of numbers and counts, P(Y < y) and P(Y <= y) of the rows' own targets: where they
     * stand in what was predicted of them. The same but for counts. */
    double *cumulative;
    /* rows x classes: how plausible each class or level is, held against rows of that class that
     * were kept aside in training: the classes whose plausibility is above a hold the true one with
     * a probability of 1 - a at least, class by class, also where classes have other shares. */
    double *plausibility;
    /* rows: how unlike the training rows the measurement is, whatever its class: -log10 of the
     * share of training rows that are at least as surprising under the population of inputs, given
     * their errors and missing cells. 2: one in 100. */
    double *novelty;
    double *input_log_density; /* rows: log p(x~) of the measurement under that population, widened
                                  by the row's own errors, in units of x; missing cells left out */
} nim_prediction;

/* A nim_prediction with these members, all others NULL: NIM_PREDICTION(.probabilities = p). */
#define NIM_PREDICTION(...) ((nim_prediction){.size = sizeof(nim_prediction), __VA_ARGS__})

/* Rows may come in any portions: the results do not depend on it. Allocates nothing. NIM_NUMERICAL
 * where an answer is not a finite number, as a model with absurd parameters may give; NIM_CANCELLED
 * where the progress function stopped it. The content of the arrays is then undefined. */
NIM_API nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                               const nim_prediction *prediction, nim_error *error);

/*
 * From now on nim_predict and nim_remeasure call `progress` before their first row and then
 * several times a second, in the thread that called them; a nonzero return stops them. NULL: they
 * do not.
 */
NIM_API nim_status nim_predictor_set_progress(nim_predictor *predictor,
                                              nim_progress_function progress, void *context,
                                              nim_error *error);

/*
 * Classes or levels may have other shares where predictions are made than they had in training. If
 * the inputs of each class are spread as before (label shift), probabilities in proportion to
 * p(c) shares_c / (share of c in training) are right. From here on the predictor gives these;
 * entropy and its parts follow. `shares` (classes) need not sum to one; NULL: as in training.
 */
NIM_API nim_status nim_predictor_set_shares(nim_predictor *predictor, const double *shares,
                                            nim_error *error);

/*
 * The shares (classes) that make these rows most probable, from the probabilities (rows x classes)
 * that the model gives them with the shares of training: no labels are needed. It holds for label
 * shift; where classes look alike the shares are uncertain.
 */
NIM_API nim_status nim_model_estimate_shares(const nim_model *model, size_t rows,
                                             const double *probabilities, double *shares,
                                             nim_error *error);

/*
 * What a better measurement would tell: gain (rows x attributes) is the entropy of the row's class,
 * in nats, that measuring this attribute alone exactly would remove on average, I(y; x_j). Zero
 * where the value is exact already. Not for models that predict numbers. Allocates nothing.
 */
NIM_API nim_status nim_remeasure(nim_predictor *predictor, const nim_data *data, double *gain,
                                 nim_error *error);

#ifdef __cplusplus
}
#endif

#endif
