/* SPDX-License-Identifier: Apache-2.0 */
/* What a model stores about rows besides parameters: how plausible a class is, how unusual a
 * row. */
#include "base/array_list.h"
#include "model/conformal.h"
#include "model/model.h"
#include "model/novelty.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 3000, CLASSES = 2 };

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Plausibilities beside (1 + rows with a score not above p) / (n + 1), from all rows. */
static void compare(size_t rows, bool exact) {
    static double p[ROWS * CLASSES], kept[ROWS * CLASSES];
    static int32_t label[ROWS];
    uint64_t state = rows;
    double even[CLASSES] = {0.0};
    struct nim_model model = {.classes = CLASSES, .temperature = 1.0, .offset = even};
    for (size_t i = 0; i < rows; i++) {
        label[i] = (int32_t)(i % CLASSES);
        p[i * 2] = ceil(1000.0 * uniform(&state)) / 1001.0; /* with ties */
        p[i * 2 + 1] = 1.0 - p[i * 2];
    }
    memcpy(kept, p, sizeof kept);
    assert_int_equal(conformal_learn(&model, rows, kept, label, NULL), NIM_OK);
    const struct array scores =
        ARRAY("scores", SHAPE(2, CLASSES, model.conformal.kept), 0.0, 1.0, .ascends = true);
    assert_null(array_fault(&scores, model.conformal.score));
    for (size_t k = 0; k < 500; k++) {
        size_t c = k % CLASSES, below = 0, n = 0;
        double probability = uniform(&state);
        for (size_t i = 0; i < rows; i++) {
            n += (size_t)label[i] == c;
            below += (size_t)label[i] == c && p[i * 2 + c] <= probability;
        }
        double true_one = (1.0 + (double)below) / ((double)n + 1.0);
        double found = conformal_plausibility(&model.conformal, c, probability);
        assert_true(found >= true_one - 1e-12); /* never too small */
        assert_true(found <= true_one + (exact ? 1e-12 : 1.0 / (CONFORMAL_KEPT + 1)));
    }
    conformal_free(&model.conformal);
}

static void test_plausibility(void **state) {
    (void)state;
    compare(7, true);
    compare(2 * CONFORMAL_KEPT, true);
    compare(ROWS, false);
}

/* For a class without rows nothing is excluded. */
static void test_class_without_rows(void **state) {
    (void)state;
    double p[] = {0.9, 0.1, 0.8, 0.2};
    double even[CLASSES] = {0.0};
    struct nim_model model = {.classes = CLASSES, .temperature = 1.0, .offset = even};
    assert_int_equal(conformal_learn(&model, 2, p, (const int32_t[]){0, 0}, NULL), NIM_OK);
    assert_true(conformal_plausibility(&model.conformal, 1, 0.0) == 1.0);
    assert_true(conformal_plausibility(&model.conformal, 0, 0.1) == 1.0 / 3.0);
    conformal_free(&model.conformal);
}

/* Against a distribution whose tail is known: P(z > x) = exp(-x). */
static void test_novelty(void **state) {
    (void)state;
    struct novelty novelty = {.kept = NOVELTY_KEPT};
    double before = -1.0;
    for (size_t k = 0; k < NOVELTY_KEPT; k++)
        novelty.quantile[k] = -log1p(-((double)k + 1.0) / (NOVELTY_KEPT + 1));
    for (double x = 0.01; x < 20.0; x += 0.01) {
        double found = novelty_of(&novelty, x), expected = x / log(10.0);
        assert_true(found >= before); /* it never falls */
        assert_true(fabs(found - expected) < 0.01 + 0.1 * expected);
        if (x < novelty.quantile[NOVELTY_KEPT - 1] && x > novelty.quantile[0])
            assert_true(fabs(found - expected) < 1e-9); /* the logarithm is interpolated */
        before = found;
    }
    assert_true(novelty_of(&novelty, -5.0) == 0.0);
    /* All rows are the same: the result is still a number. */
    memset(novelty.quantile, 0, sizeof novelty.quantile);
    assert_true(isfinite(novelty_of(&novelty, 0.0)) && isfinite(novelty_of(&novelty, 1.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plausibility),
                                       cmocka_unit_test(test_class_without_rows),
                                       cmocka_unit_test(test_novelty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
