/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

/*
 * What the columns of a table are, by their names: measurements, and the errors, limits and
 * correlations of others. The program and the Python package both use these rules.
 *
 *     nim_names *names = nim_names_create(name, is_text, count);
 *     struct nim_sides sides;
 *     nim_names_errors(names, flux, NULL, &sides, &also);
 *     nim_names_free(names);
 *
 * The name of an error column is that of its value with a word in it: err, error, uncertainty, unc,
 * sigma, sig, std, stdev, sd, stderr, se, sem or +-, at the end, at the beginning or inside, set
 * apart by a separator, a change of case or a digit on one side at least:
 *
 *     flux_err   TESS Mag err   PM RA err (mas/yr)   e_Gmag   sig_u_mag   Unc_Flux   zHDERR
 *     mag_err_g_lsst   psfMagErr_u   gPSFMagErr   MAGERR_AUTO_G   w1sigmpro   x+-
 *
 * Case and the kind of separator (blank, dot, hyphen, underscore) do not count unless several
 * columns differ only there; of what one column has several, the first of the list `rule` in
 * relations.c is used. dx or delta_x holds the errors of x if nothing else does and it has no
 * errors itself. x_value, x_mean or x_median is the value of x_err.
 *
 * Lower and upper errors are pairs: e_x and E_x; Unc_x_1 and Unc_x_2; x_err2 and x_err1, x_errlo
 * and x_errhi, x_LOWERR and x_UPERR, eneg_x and epos_x, x_minus and x_plus. x_lo and x_hi, x_lower
 * and x_upper, x_lolim and x_hilim, x_l68 and x_u68, x_16 and x_84 hold the ends of the error bar.
 * x_limit, l_x or xlim marks limits; a_b_corr is the correlation, a_b_cov or COV_a_b the covariance
 * of the errors of a and b.
 */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>

/* What a name says. All but the first are no attributes unless they are asked for. */
enum nim_column_role {
    NIM_VALUE,
    NIM_ERRORS,      /* 1-sigma errors of `of`; of a pair the lower or upper ones, or an end */
    NIM_LIMITS,      /* which values of `of` are limits */
    NIM_CORRELATION, /* of the errors of `of` and `with` */
    NIM_COVARIANCE,  /* likewise */
    NIM_WEIGHT,      /* the inverse variance of `of` */
    NIM_ONE_SIDED,   /* lower or upper errors of `of` without their counterpart */
    NIM_ORPHAN,      /* errors, by the name, of a column that is not there */
    NIM_IDENTITY     /* the number or name of a row */
};

/* What else a name says of a measurement: where it is in the sky, or that it is a flag. */
enum nim_column_hint { NIM_NO_HINT, NIM_POSITION, NIM_FLAG };

/* Columns of errors, or -1. */
struct nim_sides {
    long lower; /* of the only, or the lower errors */
    long upper; /* of the upper errors */
    int ends;   /* they hold the ends of the error bar */
};

typedef struct nim_names nim_names;

/* Keeps the names, which must stay where they are. is_text: which columns hold text or nothing.
 * NULL when out of memory. */
NIM_API nim_names *nim_names_create(const char *const *name, const bool *is_text, size_t count);
NIM_API void nim_names_free(nim_names *names);

/* The column of that name: the same text, otherwise the only one that differs in case. -1: none;
 * -2: several. */
NIM_API long nim_names_find(const nim_names *names, const char *wanted);

NIM_API enum nim_column_role nim_names_role(const nim_names *names, size_t column, long of[2]);
NIM_API enum nim_column_hint nim_names_hint(const nim_names *names, size_t column);

/* Whether a name says that a column is the outcome of a classification: a score, a probability. */
NIM_API int nim_names_is_verdict(const nim_names *names, size_t column);

/* The errors of a column. Columns that are excluded are passed over; NULL excludes none. also:
 * another column that looks like them, or -1. */
NIM_API void nim_names_errors(const nim_names *names, size_t column, const bool *excluded,
                              struct nim_sides *sides, long *also);

/* The column that marks limits of another, or -1. */
NIM_API long nim_names_limits(const nim_names *names, size_t column, const bool *excluded);

/* Reads "column", "lower:upper" or "[low:high]"; 0 if there are no such columns. */
NIM_API int nim_names_sides(const nim_names *names, const char *text, struct nim_sides *sides);

/* Of a pattern with one *, such as "*" or "*mag", and a name that matches it: `errors` with every *
 * replaced by what the * stands for, "* err" becoming "Gmag err". 0 if it does not match, whatever
 * the case, or is too long. */
NIM_API int nim_pattern_fill(const char *pattern, const char *name, const char *errors, char *out,
                             size_t size);

/* Whether a name says that it holds errors, or the names of rows, whatever else is there. */
NIM_API int nim_name_says_error(const char *name);
NIM_API int nim_name_is_identity(const char *name);

/* Whether two units are equal: the same text, or products of the same powers of the same symbols,
 * such as "m s-1", "s**-1.m", "m * s^-1" and "m/s". */
NIM_API int nim_units_agree(const char *one, const char *other);

#endif
