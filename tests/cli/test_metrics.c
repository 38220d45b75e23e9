/* SPDX-License-Identifier: Apache-2.0 */
/* Scores and their standard errors against their definitions, written out plainly. */
#include "cli/score/top_scores.h"
#include "cli/score/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 137, CLASSES = 4 };

static double p[ROWS * CLASSES];
static int32_t y[ROWS];

/* Any numbers will do; these come again every time. */
static double uniform(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (double)(1u << 24);
}

static int make_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.0;
        for (size_t c = 0; c < CLASSES; c++)
            sum += p[i * CLASSES + c] = pow(uniform(), 3.0) + 1e-3;
        for (size_t c = 0; c < CLASSES; c++)
            p[i * CLASSES + c] /= sum;
        y[i] = (int32_t)(uniform() * CLASSES);
        if (uniform() < 0.7)
            y[i] = (int32_t)most_probable(CLASSES, p + i * CLASSES);
    }
    return 0;
}

static void assert_near(double a, double b) {
    if (!(fabs(a - b) <= 1e-12 * (1.0 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Mean and standard error of a mean, two passes. */
static struct score plain_mean(const double *term, size_t n) {
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += term[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (term[i] - mean) * (term[i] - mean);
    return (struct score){mean, sqrt(squares / (double)(n - 1) / (double)n)};
}

static void assert_score(struct score a, struct score b) {
    assert_near(a.value, b.value);
    assert_near(a.deviation, b.deviation);
}

static void test_means(void **state) {
    (void)state;
    double wrong[ROWS], nll[ROWS], brier[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        const double *own = p + i * CLASSES;
        size_t better = 0;
        for (size_t c = 0; c < CLASSES; c++)
            better += own[c] > own[y[i]];
        wrong[i] = better > 0;
        nll[i] = -log(own[y[i]]);
        brier[i] = 1.0 - 2.0 * own[y[i]];
        for (size_t c = 0; c < CLASSES; c++)
            brier[i] += own[c] * own[c];
    }
    struct metrics metrics = metrics_of(CLASSES, p, y, ROWS, NULL);
    assert_int_equal(metrics.rows, ROWS);
    assert_score(metrics.error, plain_mean(wrong, ROWS));
    assert_score(metrics.nll, plain_mean(nll, ROWS));
    assert_score(metrics.brier, plain_mean(brier, ROWS));
}

/* ECE of all rows but one, bin by bin: share of rows times |accuracy - confidence|. */
static double plain_ece(size_t left_out) {
    double ece = 0.0, n = left_out < ROWS ? ROWS - 1 : ROWS;
    for (int b = 0; b < CALIBRATION_BINS; b++) {
        double count = 0.0, right = 0.0, confidence = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            double top = 0.0;
            size_t best = 0;
            for (size_t c = CLASSES; c-- > 0;)
                if (p[i * CLASSES + c] >= top) {
                    top = p[i * CLASSES + c];
                    best = c;
                }
            bool inside =
                top > b / (double)CALIBRATION_BINS && top <= (b + 1) / (double)CALIBRATION_BINS;
            if (i == left_out || !inside)
                continue;
            count++;
            right += best == (size_t)y[i];
            confidence += top;
        }
        if (count > 0)
            ece += count / n * fabs(right / count - confidence / count);
    }
    return ece;
}

static void test_calibration(void **state) {
    (void)state;
    double without[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        without[i] = plain_ece(i);
    struct score mean = plain_mean(without, ROWS);
    struct score ece = metrics_of(CLASSES, p, y, ROWS, NULL).ece;
    assert_near(ece.value, plain_ece(ROWS));
    assert_near(ece.deviation, mean.deviation * (ROWS - 1));
}

/* The standard error of a mean is what the spread over many samples says. */
static void test_spread(void **state) {
    (void)state;
    enum { SAMPLES = 400, SIZE = 200 };
    double sample[SIZE * 2], value[SAMPLES], claimed = 0.0;
    int32_t label[SIZE];
    for (size_t s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < SIZE; i++) {
            sample[2 * i] = uniform();
            sample[2 * i + 1] = 1.0 - sample[2 * i];
            label[i] = uniform() > sample[2 * i];
        }
        struct score nll = metrics_of(2, sample, label, SIZE, NULL).nll;
        value[s] = nll.value;
        claimed += nll.deviation / SAMPLES;
    }
    double seen = plain_mean(value, SAMPLES).deviation * sqrt(SAMPLES);
    assert_true(fabs(claimed / seen - 1.0) < 0.15); /* its own error is about 1/sqrt(800) */
}

static void test_subset(void **state) {
    (void)state;
    size_t row[ROWS], count = 0;
    static double part[ROWS * CLASSES];
    int32_t label[ROWS];
    for (size_t i = ROWS; i-- > 0;)
        if (i % 3 == 1) {
            memcpy(part + count * CLASSES, p + i * CLASSES, CLASSES * sizeof *p);
            label[count] = y[i];
            row[count++] = i;
        }
    struct metrics a = metrics_of(CLASSES, p, y, count, row);
    struct metrics b = metrics_of(CLASSES, part, label, count, NULL);
    assert_score(a.error, b.error);
    assert_score(a.nll, b.nll);
    assert_score(a.brier, b.brier);
    assert_score(a.ece, b.ece);
}

static void test_confusion(void **state) {
    (void)state;
    double counts[CLASSES * CLASSES], right = 0.0, all = 0.0;
    confusion_of(CLASSES, p, y, ROWS, counts);
    for (size_t c = 0; c < CLASSES; c++) {
        double of_class = 0.0, seen = 0.0;
        for (size_t i = 0; i < ROWS; i++)
            of_class += y[i] == (int32_t)c;
        for (size_t k = 0; k < CLASSES; k++)
            seen += counts[c * CLASSES + k];
        assert_near(seen, of_class);
        right += counts[c * CLASSES + c];
        all += seen;
    }
    assert_near(1.0 - right / all, metrics_of(CLASSES, p, y, ROWS, NULL).error.value);
}

static void test_edges(void **state) {
    (void)state;
    const double sure[] = {1.0, 0.0, 0.0, 1.0};
    const int32_t right[] = {0, 1}, wrong[] = {0, 0};
    struct metrics one = metrics_of(2, sure, right, 1, NULL);
    assert_near(one.nll.value, 0.0);
    assert_true(isnan(one.nll.deviation) && isnan(one.ece.deviation));
    struct metrics perfect = metrics_of(2, sure, right, 2, NULL);
    assert_near(perfect.brier.value, 0.0);
    assert_near(perfect.ece.value, 0.0);
    /* The impossible happened: infinite, not NaN. */
    struct metrics impossible = metrics_of(2, sure, wrong, 2, NULL);
    assert_true(isinf(impossible.nll.value) && impossible.nll.value > 0);
    assert_near(impossible.brier.value, 1.0);
    assert_near(impossible.error.value, 0.5);
    assert_true(isnan(share_of(0, 0).value));
    assert_near(share_of(3, 4).deviation, sqrt(0.75 * 0.25 / 3.0));
}

/* The best of a stream, against sorting all of it; many scores are equal. */
static int larger_first(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    if (a->score > b->score || a->score < b->score)
        return a->score > b->score ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static void test_best(void **state) {
    (void)state;
    enum { STREAM = 500 };
    for (size_t most = 1; most <= 600; most += 23) {
        struct candidate all[STREAM];
        size_t owner[600];
        struct top_scores top;
        assert_true(top_scores_create(&top, most));
        for (size_t i = 0; i < STREAM; i++) {
            size_t slot;
            all[i] = (struct candidate){.score = floor(20.0 * uniform()), .row = i};
            if (top_scores_offer(&top, all[i].score, i, &slot)) {
                assert_true(slot < most);
                owner[slot] = i;
            }
        }
        qsort(all, STREAM, sizeof *all, larger_first);
        top_scores_sort(&top);
        assert_int_equal(top.count, most < STREAM ? most : STREAM);
        for (size_t i = 0; i < top.count; i++) {
            assert_int_equal(top.candidate[i].row, all[i].row);
            assert_int_equal(owner[top.candidate[i].slot], all[i].row);
        }
        top_scores_free(&top);
    }
}

/* The root of a mean of squares: its standard error is what the jackknife finds, to first order. */
static void test_root(void **state) {
    (void)state;
    enum { TERMS = 400 };
    double term[TERMS], total = 0.0, squares = 0.0;
    struct moments moments = {0};
    for (size_t i = 0; i < TERMS; i++) {
        double miss = uniform() + uniform() - 1.0;
        term[i] = miss * miss;
        total += term[i];
        moments_add(&moments, term[i]);
    }
    struct score mean = moments_mean(&moments), root = score_root(mean);
    assert_score(mean, plain_mean(term, TERMS));
    assert_near(root.value, sqrt(total / TERMS));
    for (size_t i = 0; i < TERMS; i++) {
        double without = sqrt((total - term[i]) / (TERMS - 1)) - root.value;
        squares += without * without;
    }
    double jackknife = sqrt(squares * (TERMS - 1) / TERMS);
    assert_true(fabs(root.deviation / jackknife - 1.0) < 0.02);
    root = score_root((struct score){0.0, 0.0});
    assert_true(root.value == 0.0 && root.deviation == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root),        cmocka_unit_test(test_means),
        cmocka_unit_test(test_calibration), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_subset),      cmocka_unit_test(test_confusion),
        cmocka_unit_test(test_edges),       cmocka_unit_test(test_best)};
    return cmocka_run_group_tests(tests, make_rows, NULL);
}
