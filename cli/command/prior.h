/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* --prior: class shares that differ from those in training. */

#include "cli/rows/model_input.h"

#define PRIOR_OPTION                                                                               \
    {                                                                                              \
        .name = "prior", .value = "A=SHARE,...|auto",                                              \
        .help = "The shares of the classes in the table, if they differ from those in training; "  \
                "auto estimates them from the rows. This is correct if only the shares differ, "   \
                "and each class looks as it did in training."                                      \
    }

/* Sets the shares in the predictor, and prints them. With `auto` the table is read once for that;
 * the command then reads it again from the beginning. */
bool prior_apply(const struct loaded_model *loaded, const struct arguments *arguments,
                 const char *model, const char *table, struct complaint *complaint);
