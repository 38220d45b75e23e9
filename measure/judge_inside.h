/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_JUDGE_INSIDE_H
#define MEASURE_JUDGE_INSIDE_H

/* What is kept of each column while it is judged. */

#include "measure/judge.h"
#include "measure/names.h"

enum { CANDIDATES = 36, FEW_PARSED = 4096 };

struct word {
    char *text;
    size_t length, cells;
};

/* A number that may be a sentinel: the first such cell, and how many are equal to it. */
struct candidate {
    double value;
    size_t cells;
};

struct judged {
    enum nim_aside aside;
    bool text, whole, truth, many; /* many: more texts than words are kept of */
    int truths;                    /* bits: false and true were there */
    size_t cells, missing, numbers, infinite, zeros, negative;
    size_t repeats; /* cells like the one before */
    double last;
    /* Of numbers that are no candidates. */
    size_t measured;
    double least, most, mean, square;
    struct candidate candidate[CANDIDATES];
    size_t sentinels;
    int sentinel[NIM_MOST_SENTINELS]; /* among the candidates */
    struct word *word;
    size_t words;
    double *sample; /* texts by codes */
    size_t sampled, step;
    size_t different;
    bool tells;
};

struct nim_judge {
    nim_names *names;
    size_t columns, room; /* room: of each sample */
    struct judged *column;
    bool concluded;
};

bool judged_holds_errors(const nim_judge *judge, size_t column);
bool judged_all_differ(const struct judged *column);

/* sentinels.c */

/* Counts a number that may be a sentinel. */
bool sentinel_count(struct judged *column, double x);

/* Finds which of the candidates are; the others join the measured numbers. One that was found in a
 * column counts in others where it is outside, however few cells have it. */
void sentinels_conclude(nim_judge *judge);
bool sentinel_is(const struct judged *column, double x);

/* Whether a number that is in so many cells would be one. */
bool sentinel_fits(const struct judged *column, double x, size_t cells, bool errors);

/* tells.c: whether a column gives the target away. space: for twice as many as are sampled. */
bool column_tells(const struct judged *column, const struct judged *target, bool verdict,
                  bool classes, double *space);

#endif
