/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a column alone says what is to be predicted. */
#include "measure/judge_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 64, MOST_BINS = 64, LEAST_IN_BIN = 40, FEW_VALUES = 8, LEAST_ROWS = 40 };

struct pair {
    double value, target;
};

static int by_value(const void *left, const void *right) {
    const struct pair *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_number(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Rows of the sample that have a target, in the order of the column; where it is missing, first. */
static size_t make_pairs(const struct judged *column, const struct judged *target, double *space) {
    struct pair *pair = (struct pair *)space;
    size_t rows = 0, both = column->sampled < target->sampled ? column->sampled : target->sampled;
    for (size_t i = 0; i < both; i++)
        if (!isnan(target->sample[i]))
            pair[rows++] = (struct pair){isnan(column->sample[i]) ? -HUGE_VAL : column->sample[i],
                                         target->sample[i]};
    qsort(pair, rows, sizeof *pair, by_value);
    return rows;
}

/* Squared correlation of numbers. */
static bool explains(const struct pair *pair, size_t rows) {
    double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0, count = 0.0;
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(pair[i].value))
            continue;
        double dx = pair[i].value - x, dy = pair[i].target - y;
        count++;
        x += dx / count;
        y += dy / count;
        xx += dx * (pair[i].value - x);
        yy += dy * (pair[i].target - y);
        xy += dx * (pair[i].target - y);
    }
    return count >= LEAST_ROWS && xy * xy > 0.999 * xx * yy;
}

/* The classes of a sample, in order; 0 if there are too many. */
static size_t list_classes(const struct pair *pair, size_t rows, double *class) {
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (bsearch(&pair[i].target, class, count, sizeof *class, by_number))
            continue;
        if (count == MOST_CLASSES)
            return 0;
        class[count++] = pair[i].target;
        qsort(class, count, sizeof *class, by_number);
    }
    return count;
}

/* Rows of each class, of all or of some. */
struct shares {
    size_t classes, rows[MOST_CLASSES], all;
};

static size_t most_rows(const struct shares *shares) {
    size_t most = 0;
    for (size_t c = 0; c < shares->classes; c++)
        most = shares->rows[c] > most ? shares->rows[c] : most;
    return most;
}

/* What the bins of a column tell together. */
struct telling {
    const struct shares *total;
    size_t errors;              /* of the best rule */
    size_t alone[MOST_CLASSES]; /* of the best rule for one class against the rest */
    bool pure;                  /* one bin has almost one class only, which is not the usual one */
};

static void add_bin(struct telling *telling, const struct shares *bin, bool few) {
    const struct shares *total = telling->total;
    size_t most = most_rows(bin), least = total->all / 100 > 20 ? total->all / 100 : 20;
    telling->errors += bin->all - most;
    for (size_t c = 0; c < total->classes; c++) {
        size_t others = bin->all - bin->rows[c], rest = total->all - bin->all;
        telling->alone[c] += bin->rows[c] < others ? bin->rows[c] : others;
        bool rare = (total->rows[c] - bin->rows[c]) * 10 < 9 * rest;
        telling->pure =
            telling->pure || (few && bin->all >= least && others * 100 <= bin->all && rare);
    }
}

/* Bins of equal values where there are few of them, otherwise of equally many rows. */
static void look(struct telling *telling, const struct pair *pair, size_t rows, const double *class,
                 bool few) {
    size_t wanted = rows / MOST_BINS > LEAST_IN_BIN ? rows / MOST_BINS : LEAST_IN_BIN;
    size_t classes = telling->total->classes;
    struct shares bin = {.classes = classes};
    for (size_t i = 0; i < rows; i++) {
        const double *found = bsearch(&pair[i].target, class, classes, sizeof *class, by_number);
        bin.rows[found - class]++;
        bin.all++;
        bool more = i + 1 < rows && !(pair[i + 1].value > pair[i].value);
        if (more || (!few && i + 1 < rows && bin.all < wanted))
            continue;
        add_bin(telling, &bin, few);
        bin = (struct shares){.classes = classes};
    }
}

static bool tells_class(const struct telling *telling) {
    const struct shares *total = telling->total;
    for (size_t c = 0; c < total->classes; c++) {
        size_t guess = total->rows[c], rest = total->all - guess;
        guess = rest < guess ? rest : guess;
        if (guess >= LEAST_ROWS && 2 * telling->alone[c] < guess)
            return true;
    }
    return false;
}

bool column_tells(const struct judged *column, const struct judged *target, bool verdict,
                  bool classes, double *space) {
    const struct pair *pair = (const struct pair *)space;
    size_t rows = make_pairs(column, target, space);
    double class[MOST_CLASSES];
    struct shares total = {.all = rows};
    struct telling telling = {.total = &total};
    if (rows < LEAST_ROWS || column->different < 2)
        return false;
    if (!classes)
        return !column->text && !target->text && explains(pair, rows);
    total.classes = list_classes(pair, rows, class);
    if (total.classes < 2 || (column->text && column->many))
        return false;
    bool few = column->different <= FEW_VALUES;
    for (size_t i = 0; i < rows; i++)
        total.rows[(const double *)bsearch(&pair[i].target, class, total.classes, sizeof *class,
                                           by_number) -
                   class]++;
    look(&telling, pair, rows, class, few || column->text);
    size_t guess = rows - most_rows(&total);
    return telling.pure || 20 * telling.errors < 3 * guess || (verdict && tells_class(&telling));
}
