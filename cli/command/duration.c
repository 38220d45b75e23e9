/* SPDX-License-Identifier: Apache-2.0 */
/* How long a fit takes: the first steps of one are timed. Its rows are the first block of the
 * table, repeated, so that what depends on the number of rows is chosen as it will be. */
#include "cli/command/duration.h"

#include "cli/training/training_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ROWS = 20000,
    FEW_ROWS = 500,
    POPULATION_ROWS = 4000, /* of which a population is learned at most */
};

#define LONGEST_LOOK 0.2 /* seconds */

/* Most trainings of classes have ended by then, or after a pass. */
#define USUAL_STEPS 2000.0

/* What follows the steps, in units of them: held-out rows are predicted, and where views of the
 * rows help, each is a fit. */
#define WITH_HELD_OUT 1.3
#define WITH_MIXTURES 2.0
#define WITH_PANEL 5.0

struct look {
    double start, seconds; /* seconds: of a step */
    double steps, batches; /* of the training, and of a pass */
    size_t done;
};

static int look_at(const nim_progress *progress, void *context) {
    struct look *look = context;
    double now = seconds_now();
    look->batches = (double)progress->batches;
    look->steps = (double)progress->epochs * look->batches;
    if (!look->start) { /* the first steps make room */
        look->start = now;
        look->done = progress->step;
    } else {
        look->seconds = (now - look->start) / (double)(progress->step - look->done);
    }
    return now - look->start > LONGEST_LOOK;
}

/* The first steps for so many rows, which are those of the block, repeated. *seconds: of what comes
 * before them. */
static nim_model *start_fit(const nim_options *options, const struct training_set *block,
                            size_t rows, size_t classes, struct look *look, double *seconds) {
    struct complaint ignored;
    struct training_set set = {0};
    nim_model *model = NULL;
    double start = seconds_now();
    bool fine = training_set_like(&set, block, rows, &ignored);
    for (size_t i = 0; fine && i < rows; i++) {
        training_set_append_row(&set, block, i % block->rows);
        if (set.targets.class) /* some may be further down */
            set.targets.class[i] = (int32_t)(i % classes);
    }
    nim_data data = fine ? training_set_data(&set) : (nim_data){0};
    if (fine && nim_model_create(options, &data, &model, NULL) == NIM_OK) {
        *seconds = seconds_now() - start;
        nim_model_train(model, &data, look_at, look, NULL);
    }
    training_set_free(&set);
    return model;
}

/* Sets an option that the model chose by the number of its rows. */
static bool take_option(nim_options *options, const nim_model *model, const char *name) {
    char value[64];
    return nim_options_get(nim_model_options(model), name, value, sizeof value, NULL) == NIM_OK &&
           nim_options_set(options, name, value, NULL) == NIM_OK;
}

/* The population takes long to learn from many rows: it is left out at first, then learned from a
 * few. */
static double time_fit(nim_options *options, const struct training_set *block, size_t rows,
                       size_t classes) {
    size_t used = rows < MOST_ROWS ? rows : MOST_ROWS, few = rows < FEW_ROWS ? rows : FEW_ROWS;
    struct look look = {0}, next = {0};
    double before, seconds = (double)NAN;
    char views[32], population[32];
    nim_options_get(options, "population", population, sizeof population, NULL);
    nim_options_set(options, "population", "flat", NULL);
    nim_model *all = start_fit(options, block, used, classes, &look, &before), *part = NULL;
    nim_options_set(options, "population", population, NULL);
    if (all && take_option(options, all, "inducing"))
        part = start_fit(options, block, few, classes, &next, &before);
    if (part) {
        bool classed = block->targets.classed;
        double scale = (double)rows / (double)used, pass = look.batches * scale;
        double steps =
            classed ? fmin(look.steps * scale, fmax(USUAL_STEPS, pass)) : look.steps * scale;
        nim_options_get(nim_model_options(all), "views", views, sizeof views, NULL);
        double times = strcmp(views, "panel") != 0 ? WITH_HELD_OUT
                       : classed                   ? WITH_PANEL
                                                   : WITH_MIXTURES;
        double learned = (double)(rows < POPULATION_ROWS ? rows : POPULATION_ROWS);
        seconds = before * learned / (double)few + times * steps * next.seconds;
    }
    nim_model_free(all);
    nim_model_free(part);
    return seconds;
}

double duration_of_fit(const struct fit *fit, struct table_input *input, size_t rows,
                       size_t classes) {
    struct complaint ignored;
    char count[32];
    snprintf(count, sizeof count, "%zu", classes);
    if (!rows || nim_options_set(fit->options, "classes", count, NULL) != NIM_OK ||
        !rows_next(&input->rows, &ignored) || !input->rows.count)
        return (double)NAN;
    struct training_set block = training_set_of(&input->rows);
    return time_fit(fit->options, &block, rows, classes);
}
