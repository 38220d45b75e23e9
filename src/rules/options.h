/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "input/input.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "nimgp.h"

#include <stdbool.h>

enum noise_mode { NOISE_GIVEN, NOISE_LEARNED, NOISE_BOTH };
enum missing_rule { MISSING_AUTO, MISSING_IGNORE };
enum warp_rule { WARP_AUTO, WARP_NONE };
enum views_rule { VIEWS_AUTO, VIEWS_ONE, VIEWS_PANEL };
enum calibrate_rule { CALIBRATE_AUTO, CALIBRATE_NONE };
enum stop_rule { STOP_AUTO, STOP_FIXED };
enum precision { PRECISION_AUTO, PRECISION_DOUBLE, PRECISION_SINGLE };

/* All options (option_list.h); kernel and input are NULL for auto, and a choice is the index of its
 * name. The same structure holds what the user requested and what was planned (plan/plan.h), where
 * nothing is left to the library. */
#define MEMBER_KERNEL const struct kernel *
#define MEMBER_LIKELIHOOD const struct likelihood *
#define MEMBER_INPUT const struct input_model *
#define MEMBER_CHOICE size_t
#define MEMBER_FLAG size_t
#define MEMBER_WHOLE size_t
#define MEMBER_REAL double
#define OPTION(kind, name, ...) MEMBER_##kind name;
struct nim_options {
#include "rules/option_list.h"
};
#undef OPTION
#define OPTION(kind, name, ...) OPTION_INDEX_##name,
enum {
#include "rules/option_list.h"
    OPTION_COUNT
};
#undef OPTION

/* A number that is left to the library. */
#define OPTION_AUTO (-1.0)

/* What `epochs` means if it is left to the library: at least so many passes over the data, and at
 * least so many steps as fill whole passes. most: if not 0, the passes end after so many steps, but
 * there is one, and the training has no early end. */
struct training_length {
    size_t steps, passes, most;
};

/* The index of an option in the list, OPTION_COUNT for an unknown name. */
size_t option_index(const char *name);

/* Whether the option has its default value. */
bool option_is_default(const struct nim_options *options, const char *name);

/* Copies the value of one option. */
void option_copy(struct nim_options *to, const struct nim_options *from, const char *name);
