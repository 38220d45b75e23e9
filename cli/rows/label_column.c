/* SPDX-License-Identifier: Apache-2.0 */
/* Which column is the target, if nobody says. */
#include "cli/rows/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool column_label(const struct table *table, const char *wanted, const char *learned,
                  const char *usual, size_t *column, struct complaint *complaint) {
    const char *name = wanted ? wanted : learned ? learned : usual;
    if (wanted || table_find(table, name) != NO_COLUMN)
        return column_find(table, name, column, complaint);
    return complain(complaint, BAD_INPUT, "%s: no column '%s'%s; --label names the column",
                    table_path(table), name, learned ? ", the label in training" : "");
}

/* ---------------------------------------------------------------- the default label ----------- */

enum { MOST_GUESSED = 30 }; /* different values of a column that may be classes */

/* Columns of text that may be classes, by their names for messages. */
static bool list_texts(const struct table *table, const nim_judge *judge, struct name_list *all,
                       struct name_list *classes) {
    struct complaint ignored;
    bool fine = true;
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        struct nim_column_facts facts;
        const char *name = table_column_name(table, i);
        nim_judge_facts(judge, i, &facts);
        if (!facts.text)
            continue;
        fine =
            name_list_add(all, name, strlen(name), &ignored) &&
            (facts.words < 2 || facts.words > MOST_GUESSED || facts.differ ||
             2 * facts.words > facts.cells || name_list_add(classes, name, strlen(name), &ignored));
    }
    return fine;
}

static bool complain_no_label(const struct table *table, const char *usual, const char *why,
                              const char *hint, const struct name_list *texts,
                              struct complaint *complaint) {
    char names[256];
    name_list_show(texts, 8, names, sizeof names);
    return complain(complaint, BAD_INPUT,
                    "%s: no column '%s', and the last column, %s, %s; --label names the "
                    "label%s%s%s",
                    table_path(table), usual, table_column_name(table, table_columns(table) - 1),
                    why, hint, texts->count ? "; columns of text: " : "", names);
}

static bool complain_several(const struct table *table, const char *usual,
                             const struct name_list *classes, struct complaint *complaint) {
    char names[256];
    name_list_show(classes, 8, names, sizeof names);
    return complain(complaint, BAD_INPUT,
                    "%s: no column '%s', and several may be the label: %s; --label names it",
                    table_path(table), usual, names);
}

bool column_guess_label(const struct table *table, nim_judge *judge, const char *usual,
                        size_t *column, struct complaint *complaint) {
    size_t last = table_columns(table) - 1;
    const char *name = table_column_name(table, last);
    struct nim_column_facts facts;
    struct name_list texts = {0}, classes = {0};
    char why[64];
    if (!nim_judge_finish(judge))
        return complain_of_memory(complaint);
    nim_judge_facts(judge, last, &facts);
    *column = last;
    snprintf(why, sizeof why, "has %zu different values", facts.different);
    bool fine = list_texts(table, judge, &texts, &classes) || complain_of_memory(complaint);
    if (fine && nim_name_says_error(name))
        fine = complain_no_label(table, usual, "looks like errors", "", &texts, complaint);
    else if (fine && !facts.text && facts.different > MOST_GUESSED)
        fine = complain_no_label(table, usual, why, ", --task regress learns numbers", &texts,
                                 complaint);
    else if (fine && classes.count && !name_list_has(&classes, name))
        fine = name_list_add(&classes, name, strlen(name), complaint);
    if (fine && classes.count > 1)
        fine = complain_several(table, usual, &classes, complaint);
    name_list_free(&texts);
    name_list_free(&classes);
    return fine;
}
