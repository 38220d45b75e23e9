/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_COLUMNS_H
#define CLI_ROWS_COLUMNS_H

/*
 * Which columns of a table are attributes, and which are their errors.
 *
 * An attribute is named after its column, or is computed from columns and named by the formula
 * (formula.h): log(column), a-b. The name is all that a model keeps of it.
 */

#include "cli/rows/error_columns.h"
#include "cli/rows/formula.h"

#include "nimgp.h"
#include "text/name_list.h"
#include "table/table.h"

/* A column of values and what the table says of them as measurements. */
struct measured {
    long column; /* or NO_COLUMN */
    struct error_sides errors;
    long limit; /* the column that says which values are limits, or NO_COLUMN */
};

struct feature {
    char *name;            /* of the attribute */
    struct measured value; /* its column */
    struct measured minus; /* what a difference takes away; else without a column */
    enum form form;        /* what is made of them */
    long also;             /* another column that looks like the errors, or NO_COLUMN */
    char *lost; /* the error column the model learned with, when this table has none; or NULL */
};

/* A column that holds the correlation of the errors of two attributes, first < second. */
struct correlation {
    size_t first, second, column;
};

struct columns {
    size_t count;
    struct feature *feature;
    size_t correlations;
    struct correlation *correlation;
    bool independent;           /* there were such columns, but the model has no use for them */
    struct name_list left_out;  /* numeric columns that look like a row's number or name */
    struct name_list numbering; /* columns of whole numbers, all of them different */
    struct name_list orphans;   /* numeric columns that look like errors of something not there */
    struct name_list one_sided; /* numeric columns that look like upper or lower errors */
    struct name_list empty;     /* columns that turned out to hold nothing */
    struct name_list unused;    /* errors of columns that are no attributes */
};

/* The column of that name, with a complaint that names file and column when there is none, or two.
 */
bool column_find(const struct table *table, const char *name, size_t *column,
                 struct complaint *complaint);

/* The label: the column `wanted`, else the one a model `learned` with, else the `usual` one; the
 * first two may be NULL. Nothing else is tried. */
bool column_label(const struct table *table, const char *wanted, const char *learned,
                  const char *usual, size_t *column, struct complaint *complaint);

/* The default label in a table without the `usual` one: the last column, unless it looks like
 * anything else in the `rows` at hand. */
bool column_guess_label(struct table *table, size_t rows, const char *usual, size_t *column,
                        struct complaint *complaint);

/* A column that can be no attribute. */
struct taken {
    size_t column;
    const char *role; /* "label" */
    bool measured;    /* it may have errors, which are no attributes either */
};

/* Whether a name is one that columns of rows' names or numbers have: id, index, ... */
bool column_names_rows(const char *name);

/* What a user says about columns, as typed; NULL where nothing was said. */
struct column_wishes {
    const char *features; /* "a,log(b),*mag"; NULL: all columns of numbers */
    const char *exclude;  /* "a,*_flag": neither features nor errors */
    bool as_in_training;  /* `exclude` is of another table: this one need not have them */
    const char *errors;   /* "flux=dflux,x=lower:upper,..." in addition to the rule, or "none" */
    const char *log;      /* "a,b", or "auto" or "none", which are not looked at here */
    const struct taken *taken;
    size_t taken_count;
};

/*
 * The attributes of a new model. `rows` are at hand: a column of text most of whose cells there are
 * numbers is taken for numbers, so that reading it complains of the cell that is none.
 */
bool columns_choose(struct columns *columns, struct table *table, size_t rows,
                    const struct column_wishes *wishes, struct complaint *complaint);

/* The attributes of a model in another table. The errors: as wished, else as in training, else by
 * rule. Other wishes do not count. */
bool columns_match(struct columns *columns, const struct table *table, const nim_model *model,
                   const struct column_wishes *wishes, struct complaint *complaint);

/* Flags the columns --exclude names. */
bool columns_mark_excluded(const struct table *table, const struct column_wishes *wishes,
                           bool *excluded, struct complaint *complaint);

/* Finds limits, errors and their correlations. Of errors each word outweighs the one before: the
 * rule, what a model `learned` with (its note, or NULL), what the user says. */
bool columns_pair_errors(struct columns *columns, const struct table *table, const char *learned,
                         const struct column_wishes *wishes, struct complaint *complaint);

/* Whether a model of these options looks at errors at all. */
bool errors_count(const nim_options *options);

/* Whether a model of these options and so many attributes can make use of correlated errors. */
bool correlations_count(const nim_options *options, size_t attributes);

/* Takes errors for independent. */
void columns_drop_correlations(struct columns *columns);

/* The name of its column: of a difference, of what something is taken away from. */
const char *feature_column(const struct feature *feature, const struct table *table);

/* Whether any of its errors come from a column. */
bool feature_has_errors(const struct feature *feature);

/* Its error columns as --errors has them, "x_err", "x_err2:x_err1", "[x_lo:x_hi]", those of a
 * difference with a comma between; to be freed. NULL when out of memory. */
char *feature_errors(const struct feature *feature, const struct table *table);

/* Makes the logarithm of an attribute the attribute. */
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
