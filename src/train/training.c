/* SPDX-License-Identifier: Apache-2.0 */
/* A whole training: steps by the schedule, progress, checkpoints. */
#define _POSIX_C_SOURCE 200809L
#include "train/training.h"

#include "base/collectives.h"
#include "train/fingerprint.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <math.h>
#include <time.h>

enum {
    LAP_STEPS = 10,
    PILOT_PART = 5, /* of the longest training */
};

/* Least time between two reports of progress within an epoch. */
#define REPORT_SECONDS 0.1

/* The state of nim_model_train. */
struct training {
    nim_trainer *trainer;
    struct schedule schedule;
    uint32_t fingerprint; /* of the data */
    const struct pilot *pilot;
    nim_progress_function progress;
    void *context;
    struct timespec reported; /* time of the last call of the progress function */
};

/* Epochs of the longest training. */
static size_t epochs_of(const struct training_length *length, size_t batches) {
    size_t least = length->steps / batches, epochs = length->passes, most = length->most / batches;
    if (length->most && epochs > most)
        epochs = most > 1 ? most : 1;
    return epochs > least ? epochs : least;
}

static struct schedule_plan plan_training(const struct nim_trainer *trainer) {
    const struct nim_options *options = &trainer->model->options;
    const struct training_length *length = &trainer->model->plan.length;
    size_t epochs = epochs_of(length, trainer->batches);
    /* If rows have parameters of their own, a lap includes every row at least once. So it does for
     * numbers: a few of them, far from their prediction, decide the bound of a minibatch, and it
     * would seem not to improve any more. */
    bool whole =
        (trainer->model->table.each || !trainer->model->classes) && trainer->batches > LAP_STEPS;
    size_t lap = whole ? trainer->batches : LAP_STEPS;
    return (struct schedule_plan){
        .fixed = options->stop == STOP_FIXED,
        .rate = options->rate,
        .most_steps = epochs * trainer->batches,
        .lap_steps = length->most ? 0 : lap,
        .warm_steps = options->input->samples && trainer->model->step == 0 ? options->warm_up : 0,
    };
}

/* Stores the state of the training in the model, so that it can continue from it. */
static void note_checkpoint(struct training *training) {
    struct nim_model *model = training->trainer->model;
    model->under_way = true;
    model->checkpoint = (struct checkpoint_state){.next_batch = (double)training->trainer->next,
                                                  .epoch_sum = training->trainer->epoch_sum,
                                                  .data_digest = training->fingerprint};
    schedule_write(&training->schedule, &model->checkpoint);
}

static nim_status refuse_other_data(nim_error *error) {
    return failure(
        error, NIM_INVALID_ARGUMENT,
        "this training was stopped and can only continue with the same data; these data differ");
}

/* Starts a training, or continues one that was stopped. */
static nim_status begin(struct training *training, nim_error *error) {
    nim_trainer *trainer = training->trainer;
    const struct nim_model *model = trainer->model;
    if ((model->under_way || training->progress) && /* otherwise it is not needed */
        !fingerprint_of(&trainer->data, &training->fingerprint))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a checksum of the rows");
    if (!model->under_way) {
        training->schedule = schedule_start(plan_training(trainer));
        return NIM_OK;
    }
    double next = model->checkpoint.next_batch;
    if (model->checkpoint.data_digest != training->fingerprint ||
        !(next >= 0.0 && next < (double)trainer->batches))
        return refuse_other_data(error);
    training->schedule = schedule_read(&model->checkpoint);
    trainer->next = (size_t)next;
    trainer->epoch_sum = model->checkpoint.epoch_sum;
    order_start(trainer->order, model->epoch);
    return NIM_OK;
}

static double largest_jitter(const struct nim_model *model) {
    double largest = 0.0;
    for (size_t c = 0; c < model->functions; c++)
        largest = fmax(largest, model->jitter[c]);
    return largest;
}

/* Progress is reported at the end of an epoch and, in long epochs, a few times a second. */
static bool is_time_to_report(const struct training *training) {
    struct timespec now;
    if (!training->progress)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double waited = (double)(now.tv_sec - training->reported.tv_sec) +
                    1e-9 * (double)(now.tv_nsec - training->reported.tv_nsec);
    return training->trainer->next == 0 || waited >= REPORT_SECONDS;
}

static bool report_progress(struct training *training) {
    const struct nim_trainer *trainer = training->trainer;
    note_checkpoint(training);
    if (!training->progress)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &training->reported);
    nim_progress report = {.epoch = training->schedule.steps / trainer->batches,
                           .epochs = training->schedule.plan.most_steps / trainer->batches,
                           .batch = trainer->next,
                           .batches = trainer->batches,
                           .step = trainer->model->step,
                           .bound = trainer->model->bound,
                           .rate = trainer->rate,
                           .jitter = largest_jitter(trainer->model)};
    return training->progress(&report, training->context);
}

/* All processes report after the same steps, so that their progress functions can communicate, and
 * all stop if one of them wants to. */
static nim_status report_together(struct training *training, bool *stop, nim_error *error) {
    const nim_collectives *all = &training->trainer->model->collectives;
    bool due = is_time_to_report(training);
    *stop = false;
    nim_status status = collective_any(all, &due, error);
    if (status != NIM_OK || !due)
        return status;
    *stop = report_progress(training);
    return collective_any(all, stop, error);
}

/* Also true where a training goes on that was stopped just there. */
static bool is_time_for_pilot(const struct training *training) {
    size_t epochs = training->schedule.plan.most_steps / training->trainer->batches;
    return training->pilot && training->trainer->next == 0 && !training->schedule.plan.fixed &&
           training->schedule.steps / training->trainer->batches == epochs / PILOT_PART;
}

static nim_status ask_pilot(struct training *training, bool *enough, nim_error *error) {
    struct nim_model *model = training->trainer->model;
    nim_status status = model_complete(model, error);
    if (status == NIM_OK)
        status = training->pilot->ask(model, training->pilot->context, enough, error);
    return status;
}

/* Steps until the schedule ends, and then to the end of the epoch, so that the bound is that of a
 * whole epoch. */
static nim_status run_training(struct training *training, nim_error *error) {
    nim_trainer *trainer = training->trainer;
    bool more = !training->schedule.ended, enough = false;
    while (more || trainer->next != 0) {
        double bound;
        if (more && is_time_for_pilot(training)) {
            nim_status status = ask_pilot(training, &enough, error);
            training->schedule.ended = enough;
            if (status != NIM_OK || enough)
                return status;
        }
        trainer->rate = training->schedule.rate;
        trainer->width = training->schedule.width;
        nim_status status = nim_trainer_step(trainer, &bound, error);
        if (status != NIM_OK)
            return status;
        more = schedule_continue(&training->schedule, bound);
        bool stop;
        status = report_together(training, &stop, error);
        if (status != NIM_OK)
            return status;
        if (stop && (more || trainer->next != 0))
            return failure(error, NIM_CANCELLED,
                           "the progress callback stopped the training after step %llu",
                           (unsigned long long)trainer->model->step);
    }
    return NIM_OK;
}

/* The status of the steps. All processes have the same, unless they cannot communicate. */
static nim_status gather_after(nim_status steps, struct nim_model *model, nim_error *error) {
    if (steps == NIM_COMMUNICATION)
        return steps;
    nim_status gathered = model_complete(model, error);
    return gathered == NIM_OK ? steps : gathered;
}

nim_status training_run(nim_model *model, const nim_data *data, const struct pilot *pilot,
                        nim_progress_function progress, void *context, nim_error *error) {
    struct training training = {.pilot = pilot, .progress = progress, .context = context};
    if (model && data && model->under_way && data->rows != model->table.rows)
        return refuse_other_data(error); /* before memory for more rows is allocated */
    nim_status status = nim_trainer_create(model, data, &training.trainer, error);
    if (status != NIM_OK)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &training.reported);
    status = begin(&training, error);
    if (status == NIM_OK) {
        status = gather_after(run_training(&training, error), model, error);
        if (status == NIM_OK && progress)
            note_checkpoint(&training);
        model->under_way = status == NIM_CANCELLED || (status == NIM_OK && progress);
        if (!model->under_way)
            model_forget_optimiser(model);
    }
    nim_trainer_free(training.trainer);
    return status;
}

void training_end(nim_model *model) {
    model->under_way = false;
    model_forget_optimiser(model);
}
