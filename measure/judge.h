/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_JUDGE_H
#define MEASURE_JUDGE_H

/*
 * What the columns of a table are, by their names and their cells: which are learned from, which
 * numbers mean that a value is missing, and which columns give the label away. The program and the
 * Python package feed it the same cells, and so decide alike.
 *
 *     nim_judge *judge = nim_judge_create(names, columns);
 *     while (rows come, at most NIM_MOST_JUDGED of them)
 *         for each column: nim_judge_numbers(judge, column, value, count), or nim_judge_texts
 *     nim_judge_set_aside(judge, label, NIM_ASIDE_CLASSES);
 *     if (nim_judge_finish(judge)) ... nim_judge_standing(judge, column) ...
 *     nim_judge_free(judge);
 *
 * Memory does not grow with the rows: counts are of all cells; what needs many cells at once is
 * found in a sample, every row or every 2nd, 4th, ... one, of at most 16384.
 *
 * A sentinel is a number of nines (-9, 99, -99.99, ...), -32768, -2147483648 or 1e30, or among
 * errors -1, that is outside the range of the other cells: below them where they are not negative,
 * otherwise further away than they are from each other. Single nines and cells that are alone need
 * more.
 *
 * A column gives the label away if a rule that knows it alone leaves less than 15 % of the errors
 * of a guess; if it has few values, one of which (of 1 % of the rows) has a single class in 99 % of
 * its rows; if it is called a score or a probability and singles out a class with less than half of
 * the errors; of numbers, if it explains 99.9 % of the variance.
 */

#include "measure/measure.h"

enum { NIM_MOST_JUDGED = 1 << 20, NIM_MOST_SENTINELS = 3, NIM_MOST_WORDS = 32 };

typedef struct nim_judge nim_judge;

/* Keeps `names`, which must stay. What their cells show corrects them: x_lower and x_upper hold
 * lengths of error bars, no ends, if they are around 0 and x is not between them. NULL when out of
 * memory. */
NIM_API nim_judge *nim_judge_create(nim_names *names, size_t columns);
NIM_API void nim_judge_free(nim_judge *judge);

/* The next cells of a column: numbers, NaN where missing; or texts, one behind the other, each with
 * its length, which is 0 where it is missing. A column has either. 0 when out of memory. */
NIM_API int nim_judge_numbers(nim_judge *judge, size_t column, const double *value, size_t count);
NIM_API int nim_judge_texts(nim_judge *judge, size_t column, const char *text, const size_t *length,
                            size_t count);

/* Columns that are no attributes whatever they are called. */
enum nim_aside {
    NIM_NOT_ASIDE,
    NIM_ASIDE_CLASSES,  /* the target, of classes: a column called its errors is an attribute */
    NIM_ASIDE_NUMBERS,  /* the target, of numbers: its errors are no attributes either */
    NIM_ASIDE_EXPOSURE, /* likewise */
    NIM_ASIDE_OTHER,    /* weights and groups */
    NIM_ASIDE_ERRORS,   /* named as errors of another */
    NIM_ASIDE_EXCLUDED
};
NIM_API void nim_judge_set_aside(nim_judge *judge, size_t column, int aside);

/* Concludes; 0 when out of memory. May be called again when other columns were set aside. */
NIM_API int nim_judge_finish(nim_judge *judge);

/* What becomes of a column by itself. All but the first two are left out. */
enum nim_standing {
    NIM_LEARNED,
    NIM_LEARNED_TRUTH, /* true and false in text: learned as an indicator */
    NIM_SET_ASIDE,
    NIM_OF_ANOTHER,    /* errors, limits or correlations of what is there */
    NIM_UNUSED_ERRORS, /* of the target */
    NIM_LONE_SIDE,     /* lower or upper errors without their counterpart */
    NIM_LOST_ERRORS,   /* errors of what is not there */
    NIM_OTHER_ERRORS,  /* covariances, inverse variances */
    NIM_ROW_NAME,      /* by its name */
    NIM_ROW_NUMBER,    /* whole numbers, all of them there and different */
    NIM_WORDS,         /* text */
    NIM_NOTHING        /* no value at all */
};
NIM_API enum nim_standing nim_judge_standing(const nim_judge *judge, size_t column);

struct nim_column_facts {
    size_t cells, missing;    /* missing: empty, not a sentinel */
    size_t zeros, negative;   /* of the others */
    double least, most;       /* of the others without sentinels; NaN if there are none */
    double spread;            /* their standard deviation */
    int whole;                /* whole numbers */
    int differ;               /* all cells are there and different */
    size_t different;         /* values in the sample */
    int text, numbers, truth; /* text; most of which are numbers; true and false */
    size_t words;             /* different texts; NIM_MOST_WORDS + 1: more */
    size_t sentinels;         /* numbers that mean missing, and in how many cells each */
    double sentinel[NIM_MOST_SENTINELS];
    size_t sentinel_cells[NIM_MOST_SENTINELS];
    int wants_log; /* nim_wants_log, without the sentinels */
    int tells;     /* it gives the target away */
};
NIM_API void nim_judge_facts(const nim_judge *judge, size_t column, struct nim_column_facts *facts);

/* In words: what the column is ("errors of flux"), and what is worth knowing of its cells. Longer
 * ones are cut. */
NIM_API void nim_judge_describe(const nim_judge *judge, size_t column, char *role, size_t role_size,
                                char *remarks, size_t remarks_size);

/* Text k of a column that has at most NIM_MOST_WORDS, in order of their bytes; its cells in *cells,
 * which may be NULL. */
NIM_API const char *nim_judge_word(const nim_judge *judge, size_t column, size_t k, size_t *cells);

/* Whether a number, not necessarily there, would be a sentinel of this column. */
NIM_API int nim_judge_is_sentinel(const nim_judge *judge, size_t column, double value);

/* Whether a logarithm is worth it: at most one value in a thousand (one in any case, of 20 or more)
 * is not positive, and the values are skewed to the right, their logarithms less so. */
NIM_API int nim_wants_log(const double *value, size_t stride, size_t count);

/* Whether it would be, were it not for values that are not positive; how many these are. */
int nim_misses_log(const double *value, size_t stride, size_t count, size_t *nonpositive);

/* Whether the name says that it is a logarithm already: log_x, ln(x), logX. */
NIM_API int nim_name_is_log(const char *name);

/* Whether a text is a truth value, true, false, yes, no, t or f in any case; *value which. */
NIM_API int nim_is_truth(const char *text, size_t length, int *value);

#endif
