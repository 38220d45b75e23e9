/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The plan of a model: every option decided, by the user's request or by a rule (rules/rules.h).
 * Nothing that is computed with the plan asks for "auto".
 */

#include "rules/rules.h"

struct plan {
    struct nim_options options; /* as decided; epochs: see length */
    struct nim_options request; /* as the user set them */
    struct training_length length;
    size_t rows;                           /* that were known */
    const struct rule *rule[OPTION_COUNT]; /* that decided; NULL: the user, or no rule needed */
};

struct facts plan_facts(const nim_data *data);

/* The plan for a request and rows. */
struct plan plan_make(const struct nim_options *request, const struct facts *facts);

/* Decides one option anew, from the request. */
void plan_decide(struct plan *plan, const char *option, const struct facts *facts);

/* Decides the options anew that do not shape a model, which may change later: those of training and
 * prediction. Of the facts only the rows and `width` are used. */
void plan_decide_rest(struct plan *plan, size_t width);

/* Restores the rule of an option from its reason, which files have. */
void plan_recall(struct plan *plan, const char *option, const char *reason);
