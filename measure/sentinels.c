/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that mean that a value is missing, such as 99 among magnitudes. */
#include "measure/judge_inside.h"

#include <math.h>

/* What they are by size; those of one nine need more than others. */
static const struct {
    double size;
    bool only_errors; /* too common elsewhere */
    bool single;
    bool only_below;
} known[] = {{1.0, true, true, true},
             {9.0, false, true, true},
             {9.9, true, true, false},
             {9.99, true, false, false},
             {9.999, true, false, false},
             {99.0, false, false, false},
             {99.9, false, false, false},
             {99.99, false, false, false},
             {99.999, false, false, false},
             {999.0, false, false, false},
             {999.9, false, false, false},
             {999.99, false, false, false},
             {9999.0, false, false, false},
             {32768.0, false, false, true},
             {99999.0, false, false, false},
             {999999.0, false, false, false},
             {2147483648.0, false, false, true},
             {1e30, false, false, false}};

enum { KNOWN = sizeof known / sizeof *known };
_Static_assert(2 * KNOWN <= CANDIDATES, "there is room for both signs");

/* The place of a number's size, or -1. */
static int find_size(double x) {
    double size = fabs(x);
    int low = 0, high = KNOWN;
    while (low < high) {
        int middle = (low + high) / 2;
        if (known[middle].size < size * (1.0 - 1e-6))
            low = middle + 1;
        else
            high = middle;
    }
    return low < KNOWN && known[low].size <= size * (1.0 + 1e-6) ? low : -1;
}

bool sentinel_count(struct judged *column, double x) {
    int place = find_size(x);
    if (place < 0)
        return false;
    struct candidate *candidate = &column->candidate[2 * place + (x > 0.0)];
    if (candidate->cells && candidate->value != x)
        return false;
    candidate->value = x;
    candidate->cells++;
    return true;
}

bool sentinel_fits(const struct judged *column, double x, size_t cells, bool errors) {
    int place = find_size(x);
    if (place < 0 || column->text || (known[place].only_errors && !errors) ||
        (known[place].only_below && x > 0.0))
        return false;
    if (!column->measured)
        return x < 0.0 && cells > 1;
    double width = column->most - column->least;
    double gap = x < column->least ? column->least - x : x - column->most;
    if (!(gap > 0.0))
        return false;
    bool enough = !known[place].single || cells > 2 || (errors && cells > 1);
    if (x < 0.0 && column->least >= 0.0 && enough)
        return true;
    return gap > (cells > 1 ? width : 3.0 * width) && cells > (width > 0.0 ? 0 : 1) &&
           known[place].size > 1.0;
}

bool sentinel_is(const struct judged *column, double x) {
    for (size_t k = 0; k < column->sentinels; k++)
        if (x == column->candidate[column->sentinel[k]].value)
            return true;
    return false;
}

static void join(struct judged *column, const struct candidate *candidate) {
    double share = (double)candidate->cells / (double)(column->measured + candidate->cells);
    double unit = candidate->value - column->mean;
    column->square += unit * unit * share * (double)column->measured;
    column->mean += unit * share;
    column->measured += candidate->cells;
    column->least = fmin(column->least, candidate->value);
    column->most = fmax(column->most, candidate->value);
}

static void find_in(struct judged *column, bool errors, const bool *elsewhere) {
    for (int i = 0; i < 2 * KNOWN && column->sentinels < NIM_MOST_SENTINELS; i++) {
        const struct candidate *candidate = &column->candidate[i];
        size_t cells = elsewhere && elsewhere[i] ? candidate->cells + 2 : candidate->cells;
        if (candidate->cells && !sentinel_is(column, candidate->value) &&
            (!elsewhere || elsewhere[i]) && sentinel_fits(column, candidate->value, cells, errors))
            column->sentinel[column->sentinels++] = i;
    }
}

void sentinels_conclude(nim_judge *judge) {
    bool found[CANDIDATES] = {false};
    for (size_t j = 0; j < judge->columns; j++)
        find_in(&judge->column[j], judged_holds_errors(judge, j), NULL);
    for (size_t j = 0; j < judge->columns; j++)
        for (size_t k = 0; k < judge->column[j].sentinels; k++)
            found[judge->column[j].sentinel[k]] = true;
    for (size_t j = 0; j < judge->columns; j++) {
        struct judged *column = &judge->column[j];
        find_in(column, judged_holds_errors(judge, j), found);
        for (int i = 0; i < 2 * KNOWN; i++)
            if (column->candidate[i].cells && !sentinel_is(column, column->candidate[i].value))
                join(column, &column->candidate[i]);
    }
}
