/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A model: its options, its parts and one flat vector of all learned parameters. */

#include "rows/scaling.h"
#include "gp/gp.h"
#include "model/bound_trace.h"
#include "model/checkpoint_state.h"
#include "model/conformal.h"
#include "model/names.h"
#include "model/novelty.h"
#include "model/panel.h"
#include "model/row_table.h"
#include "plan/plan.h"
#include "population/population.h"
#include "text/name_list.h"

#include <stdint.h>

/* A named part of the flat vector. */
struct block {
    const char *name;
    size_t offset, count;
};

enum { BLOCKS_PER_FUNCTION = 6, BLOCKS_IN_COMMON = 3 };

struct nim_model {
    union {
        struct plan plan;
        struct nim_options options; /* its first member: every option decided */
    };
    size_t classes;    /* C: classes, levels or labels; 0 if y is a number or a count */
    size_t functions;  /* F: latent ones */
    size_t attributes; /* d: the table's columns and the flags of missing cells, see scaling.h */
    size_t columns;    /* of the user's tables */
    size_t inducing;
    struct gp_shape gp;
    struct likelihood_setting likelihood;
    struct input_setting input;
    struct scaling scaling;
    struct population population; /* of true inputs */

    size_t count;  /* of shared parameters */
    double *theta; /* functions' gp parameters, noise, likelihood's, input model's */
    union gp_matrix moment1, moment2; /* the optimiser's; floats if model_is_single */
    bool moments_scattered; /* those of a function are up to date only in the process that has it */
    size_t noise_at, noise_count, likelihood_at, likelihood_count, input_at, input_count;
    double *jitter; /* functions: relative to each variance; grows when a factorisation needs it */
    double *constants; /* the likelihood's */
    struct row_table table;

    uint64_t step, epoch;
    uint64_t visits; /* updates since the optimiser's moments were zero */
    double bound;
    struct bound_trace trace;
    bool shares_known;   /* class_share was counted */
    double *class_share; /* classes: their shares in the training rows */
    bool calibrated;     /* temperature was learned */
    bool shifted;        /* offset was learned; older versions did not */
    double temperature; /* T: predicted probabilities are proportional to p_c^(1/T) exp(offset_c) */
    double *offset;     /* classes */
    struct conformal conformal; /* from held-out rows, for sets of classes */
    struct novelty novelty;     /* how surprising training rows are */
    struct panel *panel;        /* of views, besides this fit; NULL: there is none */
    bool under_way;             /* a training was stopped, and `checkpoint` says where */
    struct checkpoint_state checkpoint;

    nim_collectives collectives; /* processes 0: trains alone */

    struct name_list attribute_names, class_names;
    struct note_list notes;
    struct arena arena;
};

/* The sizes on which the memory of a model depends, besides its options. */
struct model_sizes {
    size_t classes, columns, flags, inducing;
};

/* Fills in sizes, counts and settings of such a model, without allocating memory. */
void model_plan(struct nim_model *model, const struct plan *plan, const struct model_sizes *sizes);

/* Allocates what model_plan counted. The caller frees the model, also on failure. */
nim_status model_make_room(struct nim_model *model, nim_error *error);

/* A model of these sizes with all parameters zero, default names and no population yet, and
 * settings filled in from its options. */
nim_status model_allocate(const struct plan *plan, const struct model_sizes *sizes,
                          struct nim_model **model, nim_error *error);

/* A copy to be trained further: with the model's options, scaling and shared parameters, and with
 * its population, which the copy does not own; without rows, names and notes. */
nim_status model_copy(const struct nim_model *model, struct nim_model **copy, nim_error *error);

/* Rows row[0 .. count-1] of a table in standard units, with the given part of their noise, in the
 * form for the model's population: see scaling_take. Also shapes of the measurements (count x
 * shape_size(d)) if shape is not NULL, see shapes.h. */
void model_take_rows(const struct nim_model *model, const nim_data *data, size_t count,
                     const size_t *row, double *x, double *noise, double *shape, double *weight);

/* Learns the population, or leaves it flat, depending on the options. `others` are additional rows
 * to learn it from, or NULL. */
nim_status model_learn_population(struct nim_model *model, const nim_data *data,
                                  const nim_data *others, nim_error *error);

/* Learns the population of the rows' inputs, for any options. False when out of memory. */
bool model_population_of(const struct nim_model *model, const nim_data *data,
                         const nim_data *others, enum population_kind kind,
                         struct population *population);

struct gp_parameters model_gp(const struct nim_model *model, double *theta, size_t c);

/* Blocks of the flat vector in order: function by function, then noise, likelihood, input. */
struct block model_block(const struct nim_model *model, size_t index);

static inline bool model_is_single(const struct nim_model *model) {
    return model->options.precision == PRECISION_SINGLE;
}

static inline bool model_learns_noise(const struct nim_model *model) {
    return model->noise_count > 0;
}
static inline bool model_uses_errors(const struct nim_model *model) {
    return model->options.noise != NOISE_LEARNED;
}

/* noise (count x d) += the learned variance of each attribute, if there is one. */
void model_add_learned_noise(const struct nim_model *model, size_t count, double *noise);

/* Checks that the table fits the model, then all its cells, and its targets if `labelled`. */
nim_status model_check_data(const struct nim_model *model, const nim_data *data, bool labelled,
                            nim_error *error);

/* Sets the optimiser's moments to zero, so that the next training starts from the parameters only.
 */
void model_forget_optimiser(struct nim_model *model);

/* During a training by several processes, each has the parameters of its own rows and the moments
 * of its own functions. model_complete sends them to all, which must all call it;
 * model_check_complete fails unless this process has everything. */
nim_status model_complete(struct nim_model *model, nim_error *error);
nim_status model_check_complete(const struct nim_model *model, nim_error *error);

/* The number of threads by the options. */
size_t model_threads(const struct nim_model *model);

/* Random streams of model and trainer. */
enum model_stream {
    STREAM_INDUCING = 1,
    STREAM_EPOCH,
    STREAM_DISTANCE,
    STREAM_LATTICE,
    STREAM_POPULATION,
    STREAM_FOLD,
    STREAM_WINDOW,
    STREAM_SAMPLE,
    STREAM_DEGRADE
};
