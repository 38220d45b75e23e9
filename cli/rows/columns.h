/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_COLUMNS_H
#define CLI_ROWS_COLUMNS_H

/*
 * The columns of a table that are attributes, and those of their errors.
 *
 * An attribute has the name of its column, or is computed from columns and named by the formula
 * (formula.h): log(column), a-b. A model stores only the name.
 */

#include "cli/rows/column_names.h"
#include "cli/rows/formula.h"
#include "measure/judge.h"

#include "nimgp.h"
#include "text/name_list.h"
#include "table/table.h"

/* A column of values, with its columns of errors and limits. */
struct measured {
    long column; /* or NO_COLUMN */
    struct nim_sides errors;
    long limit; /* the column that marks limits, or NO_COLUMN */
};

struct feature {
    char *name;            /* of the attribute */
    struct measured value; /* its column */
    struct measured minus; /* of a difference: the subtracted column; otherwise none */
    enum form form;        /* how it is computed */
    const char *level;     /* of an indicator: a part of the name */
    long also;             /* another column that looks like the errors, or NO_COLUMN */
    char *lost; /* the error column the model learned with, when this table has none; or NULL */
};

/* A column that holds the correlation of the errors of two attributes, first < second. */
struct correlation {
    size_t first, second, column;
};

struct columns {
    struct column_names names; /* of the table */
    size_t count;
    struct feature *feature;
    struct feature *target; /* of numbers: its column and its errors; or NULL */
    size_t correlations;
    struct correlation *correlation;
    bool independent; /* there were such columns, but the model cannot use them */
    struct name_list without[NIM_NOTHING + 1]; /* columns that are no attributes, by their
                                                  standing */
};

/* The column of that name; fails if there is none, or two.
 */
bool column_find(const struct table *table, const char *name, size_t *column,
                 struct complaint *complaint);

/* The label: the column `wanted`, otherwise the one in training (`learned`), otherwise the `usual`
 * one; the first two may be NULL. */
bool column_label(const struct table *table, const char *wanted, const char *learned,
                  const char *usual, size_t *column, struct complaint *complaint);

/* The default label in a table without the `usual` column: the last column, unless its cells are
 * something else, or several columns of text may be it. */
bool column_guess_label(const struct table *table, nim_judge *judge, const char *usual,
                        size_t *column, struct complaint *complaint);

/* A target of numbers, whose errors are then found as those of an attribute. */
bool columns_take_target(struct columns *columns, const struct table *table, size_t column,
                         struct complaint *complaint);

/* A column that cannot be an attribute. */
struct taken {
    size_t column;
    const char *role; /* "label" */
    enum nim_aside aside;
};

/* The options about columns, as typed; NULL if not given. */
struct column_wishes {
    const char *features; /* "a,log(b),*mag"; NULL: all columns of numbers */
    const char *exclude;  /* "a,*_flag": neither features nor errors */
    bool as_in_training;  /* `exclude` comes from another table: its columns may be absent */
    const char *errors;   /* "flux=dflux,x=lower:upper,..." in addition to the rule, or "none" */
    const char *log;      /* "a,b", or "auto" or "none", which are not looked at here */
    const struct taken *taken;
    size_t taken_count;
};

/*
 * Chooses the attributes of a new model, by the cells that were judged; this concludes the
 * judgement. If most cells of a text column are numbers, it counts as a column of numbers, so that
 * reading it fails at the cell that is not.
 */
bool columns_choose(struct columns *columns, const struct table *table, nim_judge *judge,
                    const struct column_wishes *wishes, struct complaint *complaint);

/* Finds the attributes of a model in another table. The errors are those requested, otherwise those
 * of training, otherwise found by name. Other options are ignored. */
bool columns_match(struct columns *columns, const struct table *table, const nim_model *model,
                   const struct column_wishes *wishes, struct complaint *complaint);

/* Marks the columns named by --exclude. */
bool columns_mark_excluded(const struct table *table, const struct column_wishes *wishes,
                           bool *excluded, struct complaint *complaint);

/* Finds limits, errors and their correlations. Errors are found by name, then by the note of a
 * model
 * (`learned`, or NULL), then by the option; the last one found is used. */
bool columns_pair_errors(struct columns *columns, const struct table *table, const char *learned,
                         const struct column_wishes *wishes, struct complaint *complaint);

/* Whether an item of --errors is a pattern such as "*=* err"; the errors that it gives a column, if
 * these are columns. */
bool errors_are_pattern(const char *item);
bool errors_by_pattern(const struct column_names *names, const char *item, size_t column,
                       struct nim_sides *sides);

/* Treats errors as independent. */
void columns_drop_correlations(struct columns *columns);

/* The name of its column; of a difference, the first column. */
const char *feature_column(const struct feature *feature, const struct table *table);

/* Whether any of its errors come from a column. */
bool feature_has_errors(const struct feature *feature);

/* Its error columns as --errors has them, "x_err", "x_err2:x_err1", "[x_lo:x_hi]", those of a
 * difference with a comma between; to be freed. NULL when out of memory. */
char *feature_errors(const struct feature *feature, const struct table *table);

/* Replaces an attribute by its logarithm. */
bool feature_take_log(struct feature *feature, struct complaint *complaint);

/* "flux=flux_err,..." for a model's note; to be freed. NULL when out of memory. */
char *columns_errors(const struct columns *columns, const struct table *table);

void feature_free(struct feature *feature);
void columns_free(struct columns *columns);

/* The key of the note a model keeps of them, and what stands behind the name of a difference where
 * the errors are those of what it takes away: "a-b=e_a,a-b-=e_b". */
#define NOTE_ERRORS "errors"
#define NOTE_TAKEN_AWAY "-"

#endif
