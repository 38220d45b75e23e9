/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How the library chooses the options that are left to it: one table. The rules of an option stand
 * together; the first one whose conditions all hold chooses the value. Texts of help, manual pages,
 * documentation and Python are written from the same table.
 */

#include "rules/options.h"

/* What the rules know of the rows. */
struct facts {
    size_t rows, attributes; /* attributes: columns of the table */
    size_t width;            /* attributes of the model: columns and flags of missing cells */
    size_t noisy_columns;    /* with cells that are not known exactly */
    bool equally_noisy;      /* all rows have the same errors, and no missing cells */
    bool errors_differ;      /* those that are known, in some column */
    bool others;             /* a population is to be learned from other rows too */
};

/* options: as requested, with the values that earlier rules chose. */
struct situation {
    const struct nim_options *options;
    const struct facts *facts;
};

/* phrase: a clause, "noise is learned". */
struct condition {
    const char *phrase;
    bool (*holds)(const struct situation *situation);
};

enum { RULE_MOST_CONDITIONS = 6 };

struct rule {
    const char *option;
    const char *value; /* as nim_options_set takes it; NULL: see `choose` */
    const char *text;  /* the value for people, if it is not `value` */
    /* The chosen value, written to the options or to what belongs to them. */
    void (*choose)(const struct rule *rule, const struct situation *situation,
                   struct nim_options *options, struct training_length *length);
    size_t numbers[3]; /* for `choose` */
    const struct condition *condition[RULE_MOST_CONDITIONS];
    const char *reason;   /* for people, if it is not the conditions */
    const char *evidence; /* a page of docs/ and its section */
    bool limits;          /* applies to values that the user chose, too */
};

/* All rules, in the order in which options are chosen; the last has no option. */
extern const struct rule rule_list[];

/* Whether the library chooses this option if it has its default value. */
bool rules_choose(const char *option);

/* The rule that chooses this option now; NULL if none does. */
const struct rule *rule_for(const char *option, const struct situation *situation);

/* Why an option has no effect with these options, all of which are decided: "the kernel is not
 * polynomial"; NULL if it may have one. */
const char *option_idle(const char *option, const struct nim_options *options);

/* Why the rule chooses its value: "classes are predicted, errors differ from row to row". Returns
 * the number of bytes of the whole text, without the terminating null, as snprintf does. */
size_t rule_reason(const struct rule *rule, char *text, size_t size);
