/* SPDX-License-Identifier: Apache-2.0 */
/* Robust scatter: that of normal numbers is their deviation, whatever a few outliers do; a weight
 * of two is the row twice; and very many rows are thinned without a bias. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "score/scatter.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 4000, MANY = 1000000 };

static void add(struct scatter *scatter, double r, double weight) {
    assert_true(scatter_add(scatter, r, weight));
}

static void test_normal(void **state) {
    (void)state;
    double *r = malloc(MANY * sizeof *r), *far = malloc(MANY * sizeof *far);
    random_uniform((struct random_key){7, 3}, 0, 0, MANY, far);
    random_normal((struct random_key){7, 1}, 0, 0, MANY, r);
    for (size_t rows = ROWS; rows <= MANY; rows *= 250) {
        struct scatter scatter = {0};
        struct score width, outliers;
        for (size_t i = 0; i < rows; i++) /* around 3, deviation 2, and one in 50 far away */
            add(&scatter, far[i] < 0.02 ? 1000.0 : 3.0 + 2.0 * r[i], 1.0);
        scatter_find(&scatter, &width, &outliers);
        assert_true(fabs(width.value - 2.0) < 0.06 + 4.0 / sqrt((double)rows));
        assert_true(fabs(outliers.value - 0.02) < 0.5 / sqrt((double)rows));
        scatter_free(&scatter);
    }
    free(r);
    free(far);
}

static void test_weights(void **state) {
    (void)state;
    double r[ROWS];
    struct scatter once = {0}, twice = {0};
    struct score width[2], outliers[2];
    random_normal((struct random_key){7, 2}, 0, 0, ROWS, r);
    for (size_t i = 0; i < ROWS; i++) {
        double cube = r[i] * r[i] * r[i];
        add(&once, cube, i % 3 ? 1.0 : 2.0);
        add(&once, 1e6, 0.0);
        add(&twice, cube, 1.0);
        if (i % 3 == 0)
            add(&twice, cube, 1.0);
    }
    scatter_find(&once, &width[0], &outliers[0]);
    scatter_find(&twice, &width[1], &outliers[1]);
    assert_true(fabs(width[0].value - width[1].value) < 1e-12);
    assert_true(fabs(outliers[0].value - outliers[1].value) < 1e-12 && outliers[0].value > 0.0);
    scatter_free(&once);
    scatter_free(&twice);
}

static void test_small(void **state) {
    (void)state;
    struct scatter scatter = {0};
    struct score width, outliers;
    scatter_find(&scatter, &width, &outliers);
    assert_true(isnan(width.value) && isnan(outliers.value));
    for (int i = 1; i <= 4; i++) /* median 2.5; distances 0.5, 0.5, 1.5, 1.5 */
        add(&scatter, i, 1.0);
    scatter_find(&scatter, &width, &outliers);
    assert_true(fabs(width.value - 1.4826) < 1e-12 && !(outliers.value > 0.0));
    scatter_free(&scatter);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal),
                                       cmocka_unit_test(test_weights),
                                       cmocka_unit_test(test_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
