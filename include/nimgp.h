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
 *     nim_data train = {.rows = N, .attributes = d, .x = x, .labels = y,
 *                       .sigma = s, .sigma_rows = N};
 *     nim_model *model = NULL;
 *     nim_model_create(options, &train, &model, &error);
 *     nim_model_train(model, &train, NULL, NULL, &error);
 *     nim_predictor *predictor = NULL;
 *     nim_predictor_create(model, &predictor, &error);
 *     nim_predict(predictor, &test, &(nim_prediction){.probabilities = p}, &error);
 *
 * Rules that hold everywhere:
 *  - Arrays are row-major doubles owned by the caller and only read, unless said otherwise.
 *  - Every function that can fail returns a nim_status and, when `error` is not NULL, writes one
 *    line there that names the culprit. On failure outputs are untouched or NULL.
 *  - There is no global state. Handles may be used from any thread, one thread at a time each;
 *    distinct handles at the same time are safe. A predictor only reads its model, so several may
 *    share one as long as it is not being trained.
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

#define NIM_VERSION "0.1.0"

/* The version of the library at run time, e.g. "0.1.0". */
NIM_API const char *nim_version(void);

/* ---------------------------------------------------------------- status and messages -------- */

#define NIM_STATUS_LIST(X)                                                                         \
    X(OK, "success")                                                                               \
    X(INVALID_ARGUMENT, "an argument or option is out of its range")                               \
    X(BAD_DATA, "the data hold a value that cannot be used")                                       \
    X(OUT_OF_MEMORY, "memory could not be had")                                                    \
    X(NUMERICAL, "the computation broke down")                                                     \
    X(CANCELLED, "the progress callback asked to stop")                                            \
    X(BAD_FILE, "a file could not be read or written, or is not what it should be")

typedef enum nim_status {
#define NIM_STATUS_ENUM(name, text) NIM_##name,
    NIM_STATUS_LIST(NIM_STATUS_ENUM)
#undef NIM_STATUS_ENUM
} nim_status;

/* What a status means in general; the particular case stands in nim_error.message. */
NIM_API const char *nim_status_text(nim_status status);

typedef struct nim_error {
    nim_status status;
    char message[512]; /* one line, no newline; empty after success */
} nim_error;

/* ---------------------------------------------------------------- options --------------------- */

/*
 * Options are set by name and text, so that programs and other languages need no copy of the list.
 * nim_option_describe enumerates them with default and help; nothing needs to be set.
 */
typedef struct nim_options nim_options;

typedef struct nim_option_info {
    const char *name;
    const char *fallback; /* the default, as text */
    const char *values;   /* what is allowed, for a reader */
    const char *help;     /* one sentence */
} nim_option_info;

/* All options at their defaults; NULL when out of memory. Free with nim_options_free. */
NIM_API nim_options *nim_options_create(void);
NIM_API void nim_options_free(nim_options *options);

/* Fails with NIM_INVALID_ARGUMENT for an unknown name or a value out of range. */
NIM_API nim_status nim_options_set(nim_options *options, const char *name, const char *value,
                                   nim_error *error);

/* Writes the present value as text, at most `size` bytes with the terminator. */
NIM_API nim_status nim_options_get(const nim_options *options, const char *name, char *value,
                                   size_t size, nim_error *error);

NIM_API size_t nim_option_count(void);
NIM_API nim_option_info nim_option_describe(size_t index); /* index < nim_option_count() */

/* What a value of the option `likelihood` predicts, as nim_model_target says it; NULL for a name
 * that is not one. The first of those that predict the same is the usual choice. */
NIM_API const char *nim_likelihood_target(const char *likelihood);

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
 */
typedef struct nim_data {
    size_t rows, attributes;
    const double *x;
    const double *sigma;
    size_t sigma_rows;
    const int32_t *labels;
    const double *weights;
    const double *targets;
    size_t outputs;
    const double *exposure;
} nim_data;

/* ---------------------------------------------------------------- model and training ---------- */

typedef struct nim_model nim_model;

/*
 * A model ready for training on `data`: scaling from its rows, inducing inputs drawn from them,
 * the number of classes the option "classes" or, when that is 0, what the data speak of: one more
 * than the largest label, or the columns of a set of labels. The data are validated here in full,
 * and not kept.
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
                              after the last pass, steps of the calibration */
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

/* ---------------------------------------------------------------- names and files ------------- */

/*
 * Names of all attributes or all classes, for people and for matching columns; the library only
 * keeps them. Unless named, attributes are x1, x2, ... and classes 0, 1, ... Names are UTF-8, not
 * empty and different from each other.
 */
NIM_API nim_status nim_model_name_attributes(nim_model *model, const char *const *names,
                                             nim_error *error);
NIM_API nim_status nim_model_name_classes(nim_model *model, const char *const *names,
                                          nim_error *error);
NIM_API const char *nim_model_attribute_name(const nim_model *model, size_t attribute);
NIM_API const char *nim_model_class_name(const nim_model *model, size_t label);

/* Free text under a key, kept with the model; NULL where there is none, or to remove it. */
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

/* The options the model was made with, and a change to one that does not shape it: how it is
 * trained from here on or predicts. */
NIM_API const nim_options *nim_model_options(const nim_model *model);
NIM_API nim_status nim_model_set_option(nim_model *model, const char *name, const char *value,
                                        nim_error *error);

/* ---------------------------------------------------------------- looking into a model -------- */

/* These take a model, never NULL. */

/* What it predicts: "class", "level", "labels", "number" or "count". */
NIM_API const char *nim_model_target(const nim_model *model);
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
 *                                            files of before
 *   trace            points x 2              the bound over training, at most 256 epochs of it: the
 *                                            epoch, and the bound as nim_model_bound has it
 * and what the likelihood learns, in units of y:
 *   epsilon          1                       robust_max: share of wrong labels
 *   noise_deviation  1                       gaussian: of the noise of y
 *   scale, freedom   1, 1                    student_t: width of the noise, degrees of freedom
 *   base_rate        1                       poisson: rate where the latent function is zero
 *   thresholds       classes - 1             ordinal: where one level gives way to the next
 *   map, offsets     classes x functions, classes    multilabel: from functions to labels
 * `values` may be NULL to ask only for the count.
 */
NIM_API nim_status nim_model_get(const nim_model *model, const char *name, double *values,
                                 size_t *count, nim_error *error);

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

/* Rows may come in any portions: the results do not depend on it. Allocates nothing. NIM_NUMERICAL
 * where an answer is not a finite number, as a model with absurd parameters may give; what the
 * arrays hold is then of no use. */
NIM_API nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                               const nim_prediction *prediction, nim_error *error);

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
