/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_PRIOR_H
#define CLI_COMMAND_PRIOR_H

/* --prior: classes that have other shares in a table than they had in training. */

#include "cli/rows/model_input.h"

#define PRIOR_OPTION                                                                               \
    {                                                                                              \
        .name = "prior", .value = "A=SHARE,...|auto",                                              \
        .help = "The shares of the classes in the table, if they differ from those in training; "  \
                "auto estimates them from the rows. This is correct if only the shares differ, "   \
                "and each class looks as it did in training."                                      \
    }

/* Tells the predictor, and the user. With `auto` the rows of the table are read once before all
 * else; what a command then reads are the same rows from their beginning. */
bool prior_apply(const struct loaded_model *loaded, const struct arguments *arguments,
                 const char *model, const char *table, struct complaint *complaint);

#endif
