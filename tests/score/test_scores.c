/* SPDX-License-Identifier: Apache-2.0 */
/* Scores and their standard errors against their definitions, written out plainly. */
#include "score/assessment.h"
#include "score/top_scores.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 137, CLASSES = 4 };

static double p[ROWS * CLASSES];
static int32_t y[ROWS];

/* Arbitrary numbers, the same in every run. */
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

/* All scores of rows with one class each, by name. */
struct metrics {
    size_t rows;
    struct score error, nll, brier, ece;
};

static struct metrics metrics_of(size_t classes, const double *q, const int32_t *label,
                                 size_t rows) {
    double copy[ROWS * 8];
    memcpy(copy, q, rows * classes * sizeof *q);
    struct predictions predictions = {
        .predicts = PREDICTS_CLASS, .classes = classes, .rows = rows, .label = label, .p = copy};
    struct scores scores = scores_of(&predictions);
    return (struct metrics){scores.rows, scores.score[0].score, scores.score[1].score,
                            scores.score[2].score, scores.score[3].score};
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
    struct metrics metrics = metrics_of(CLASSES, p, y, ROWS);
    assert_int_equal(metrics.rows, ROWS);
    assert_score(metrics.error, plain_mean(wrong, ROWS));
    assert_score(metrics.nll, plain_mean(nll, ROWS));
    assert_score(metrics.brier, plain_mean(brier, ROWS));
}

/* ECE bin by bin: share of rows times |accuracy - confidence|; and the term of each row in it. */
static double plain_ece(double term[ROWS]) {
    double ece = 0.0;
    for (int b = 0; b < CALIBRATION_BINS; b++) {
        double count = 0.0, right = 0.0, confidence = 0.0, own[ROWS];
        size_t row[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            double top = 0.0;
            size_t best = 0;
            for (size_t c = CLASSES; c-- > 0;)
                if (p[i * CLASSES + c] >= top) {
                    top = p[i * CLASSES + c];
                    best = c;
                }
            if (top <= b / (double)CALIBRATION_BINS || top > (b + 1) / (double)CALIBRATION_BINS)
                continue;
            row[(size_t)count] = i;
            own[(size_t)count++] = top - (best == (size_t)y[i]);
            right += best == (size_t)y[i];
            confidence += top;
        }
        if (count > 0)
            ece += count / ROWS * fabs(right / count - confidence / count);
        for (size_t k = 0; k < (size_t)count; k++)
            term[row[k]] = confidence > right ? own[k] : -own[k];
    }
    return ece;
}

static void test_calibration(void **state) {
    (void)state;
    double term[ROWS];
    double expected = plain_ece(term);
    struct score ece = metrics_of(CLASSES, p, y, ROWS).ece;
    assert_near(ece.value, expected);
    assert_score(ece, plain_mean(term, ROWS));
}

/* The standard error of a mean agrees with the deviation over many samples. */
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
        struct score nll = metrics_of(2, sample, label, SIZE).nll;
        value[s] = nll.value;
        claimed += nll.deviation / SAMPLES;
    }
    double seen = plain_mean(value, SAMPLES).deviation * sqrt(SAMPLES);
    assert_true(fabs(claimed / seen - 1.0) < 0.15); /* its own error is about 1/sqrt(800) */
}

static struct predictions sample(void) {
    return (struct predictions){
        .predicts = PREDICTS_CLASS, .classes = CLASSES, .rows = ROWS, .label = y, .p = p};
}

/* Sums of parts, added, are the sums of all. */
static void test_merge(void **state) {
    (void)state;
    struct tally part[3] = {0}, all = {0};
    struct predictions predictions = sample();
    for (size_t i = 0; i < ROWS; i++) {
        struct row_figures figures = row_figures_of(&predictions, i);
        tally_add(&part[i % 5 % 3], &figures);
    }
    for (size_t k = 0; k < 3; k++)
        tally_merge(&all, &part[k]);
    struct scores merged = tally_scores(&all, PREDICTS_CLASS), plain = scores_of(&predictions);
    assert_int_equal(merged.rows, ROWS);
    for (size_t i = 0; i < plain.count; i++)
        assert_score(merged.score[i].score, plain.score[i].score);
}

/* More rows than are stored: still thirds by level, each with the scores of its rows. */
static void test_many_rows(void **state) {
    (void)state;
    enum { BLOCKS = 600, MANY = BLOCKS * ROWS };
    static double x[ROWS], sigma[ROWS], level[MANY];
    struct assessment assessment;
    struct predictions predictions = sample();
    const nim_data data =
        NIM_DATA(.rows = ROWS, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = ROWS);
    double deviation = 0.0; /* of the values, which are the same in every block */
    assert_true(assessment_create(&assessment, PREDICTS_CLASS, CLASSES, 1));
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = i % 2 ? 3.0 : -3.0;
        deviation += x[i] * x[i] / ROWS;
    }
    deviation = sqrt(deviation - 9.0 / ROWS / ROWS);
    for (size_t b = 0; b < BLOCKS; b++) {
        for (size_t i = 0; i < ROWS; i++)
            level[b * ROWS + i] = (sigma[i] = exp(3.0 * uniform())) / deviation;
        assert_true(assessment_add(&assessment, &predictions, &data, NULL));
    }
    assert_non_null(assessment.noise.bin);
    assert_true(assessment_finish(&assessment));
    assert_int_equal(assessment.groups, NOISE_GROUPS);
    assert_int_equal(assessment.scores.rows, MANY);
    for (size_t g = 0; g < NOISE_GROUPS; g++) {
        const struct noise_group *group = &assessment.group[g];
        struct tally tally = {0};
        for (size_t i = 0; i < MANY; i++)
            if (level[i] >= group->least * (1.0 - 1e-4) && level[i] <= group->most * (1.0 + 1e-4)) {
                struct row_figures figures = row_figures_of(&predictions, i % ROWS);
                tally_add(&tally, &figures);
            }
        struct scores found = tally_scores(&group->tally, PREDICTS_CLASS),
                      plain = tally_scores(&tally, PREDICTS_CLASS);
        /* The deviation is that of the rows held, which end within a block. */
        assert_true(fabs((double)found.rows - (double)plain.rows) < 1e-3 * MANY);
        assert_true(fabs((double)found.rows * 3.0 / MANY - 1.0) < 0.02);
        assert_true(fabs(found.score[1].score.value - plain.score[1].score.value) < 1e-2);
    }
    assessment_free(&assessment);
}

/* Rows that are not known count as little as if they were not there, and errors that all rows share
 * as much as if each had them. */
static void test_known(void **state) {
    (void)state;
    double x[ROWS], sigma[ROWS], few_x[ROWS], few_p[ROWS * CLASSES];
    int32_t few_y[ROWS];
    unsigned char known[ROWS];
    size_t few = 0;
    struct predictions all = sample(), part = sample();
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = few_x[few] = uniform();
        sigma[i] = 0.3;
        known[i] = i % 3 != 1;
        few_y[few] = y[i];
        memcpy(few_p + few * CLASSES, p + i * CLASSES, CLASSES * sizeof *p);
        few += known[i];
    }
    part.rows = few;
    part.label = few_y;
    part.p = few_p;
    struct assessment one, other;
    assert_true(assessment_create(&one, PREDICTS_CLASS, CLASSES, 1) &&
                assessment_create(&other, PREDICTS_CLASS, CLASSES, 1));
    const nim_data shared =
        NIM_DATA(.rows = ROWS, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = 1);
    const nim_data each =
        NIM_DATA(.rows = few, .attributes = 1, .x = few_x, .sigma = sigma, .sigma_rows = few);
    assert_true(assessment_add(&one, &all, &shared, known) && assessment_finish(&one));
    assert_true(assessment_add(&other, &part, &each, NULL) && assessment_finish(&other));
    assert_int_equal(one.scores.rows, few);
    for (size_t i = 0; i < one.scores.count; i++)
        assert_score(one.scores.score[i].score, other.scores.score[i].score);
    assert_int_equal(one.groups, other.groups);
    for (size_t g = 0; g < one.groups; g++)
        assert_near(one.group[g].most, other.group[g].most);
    assessment_free(&one);
    assessment_free(&other);
}

static void test_confusion(void **state) {
    (void)state;
    double counts[CLASSES * CLASSES], right = 0.0, all = 0.0;
    struct assessment assessment;
    struct predictions predictions = sample();
    assert_true(assessment_create(&assessment, PREDICTS_CLASS, CLASSES, 0));
    assert_true(assessment_add(&assessment, &predictions, &(nim_data){.rows = ROWS}, NULL) &&
                assessment_finish(&assessment));
    memcpy(counts, assessment.confusion, sizeof counts);
    assessment_free(&assessment);
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
    assert_near(1.0 - right / all, metrics_of(CLASSES, p, y, ROWS).error.value);
}

static void test_edges(void **state) {
    (void)state;
    const double sure[] = {1.0, 0.0, 0.0, 1.0};
    const int32_t right[] = {0, 1}, wrong[] = {0, 0};
    struct metrics one = metrics_of(2, sure, right, 1);
    assert_near(one.nll.value, 0.0);
    assert_true(isnan(one.nll.deviation) && isnan(one.ece.deviation));
    struct metrics perfect = metrics_of(2, sure, right, 2);
    assert_near(perfect.brier.value, 0.0);
    assert_near(perfect.ece.value, 0.0);
    /* An event of probability zero: infinite, not NaN. */
    struct metrics impossible = metrics_of(2, sure, wrong, 2);
    assert_true(isinf(impossible.nll.value) && impossible.nll.value > 0);
    assert_near(impossible.brier.value, 1.0);
    assert_near(impossible.error.value, 0.5);
    assert_true(isnan(weighted_share_of(0, 0, 0).value));
    assert_near(weighted_share_of(3, 4, 4).deviation, sqrt(0.75 * 0.25 / 3.0));
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

/* Weighted moments beside the plain formulas, whole or merged from parts. */
static void test_weights(void **state) {
    (void)state;
    enum { TERMS = 300 };
    double term[TERMS], weight[TERMS], all = 0.0, mean = 0.0, squares = 0.0;
    struct moments moments = {0}, part[2] = {{0}};
    for (size_t i = 0; i < TERMS; i++) {
        weight[i] = 0.1 + 3.0 * uniform();
        term[i] = weight[i] + uniform(); /* heavy rows have large terms */
        all += weight[i];
        mean += weight[i] * term[i];
        moments_add_weighted(&moments, term[i], weight[i]);
        moments_add_weighted(&part[i % 3 == 0], term[i], weight[i]);
    }
    mean /= all;
    for (size_t i = 0; i < TERMS; i++)
        squares += weight[i] * weight[i] * (term[i] - mean) * (term[i] - mean);
    double error = sqrt(squares * TERMS / (TERMS - 1)) / all;
    moments_merge(&part[0], &part[1]);
    const struct moments *const both[] = {&moments, &part[0]};
    for (size_t i = 0; i < 2; i++) {
        assert_near(moments_mean(both[i]).value, mean);
        assert_near(moments_mean(both[i]).deviation, error);
    }
    assert_near(weighted_share_of(6, 8, 16).deviation, weighted_share_of(3, 4, 4).deviation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_known),
        cmocka_unit_test(test_root),        cmocka_unit_test(test_means),
        cmocka_unit_test(test_calibration), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_merge),       cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_confusion),   cmocka_unit_test(test_edges),
        cmocka_unit_test(test_best)};
    return cmocka_run_group_tests(tests, make_rows, NULL);
}
