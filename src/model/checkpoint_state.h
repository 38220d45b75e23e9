/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The state from which a stopped training continues. The trainer writes and reads it. A model file
 * stores it as one array of CHECKPOINT_NUMBERS doubles ("training.standing", see
 * docs/model-file.md), so every member is a double, and new members replace part of `reserved`.
 */

enum { CHECKPOINT_NUMBERS = 64, CHECKPOINT_LAPS = 40 };

struct checkpoint_state {
    double next_batch;  /* of the current epoch */
    double epoch_sum;   /* of the bounds of its batches so far */
    double data_digest; /* CRC-32 of the data, which must be the same */
    struct {            /* struct schedule (train/schedule.h), member by member */
        double plan_fixed, plan_rate, plan_most_steps, plan_lap_steps, plan_warm_steps;
        double rate, width, ended, steps, stage, laps, lap_steps, lap_sum;
        double recent[CHECKPOINT_LAPS];
    } schedule;
    double reserved[8]; /* zero */
};

_Static_assert(sizeof(struct checkpoint_state) == CHECKPOINT_NUMBERS * sizeof(double),
               "the array in a model file");
