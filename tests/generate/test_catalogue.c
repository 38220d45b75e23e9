/* SPDX-License-Identifier: Apache-2.0 */
/* The mock catalogue: what rows look like, and whether the optimal probabilities are optimal. */
#include "generate/catalogue.h"
#include "generate/random.h"
#include "support/sanitized.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Sanitizers check memory, not numbers: a fifth of the rows is enough. */
enum { FEWER = SANITIZED ? 5 : 1 };

enum { FIRST = 1, SHAPES = 3 }; /* spectral index, curvature, variability */

static struct catalogue catalogue_of(uint64_t seed, double noise, double worse,
                                     enum catalogue_missing missing) {
    struct catalogue catalogue = catalogue_create(seed, noise);
    catalogue.worse = worse;
    catalogue.missing = missing;
    return catalogue;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static size_t missing_cells(const struct catalogue_row *row) {
    size_t count = 0;
    for (size_t j = FIRST; j < FIRST + SHAPES; j++)
        count += isnan(row->value[j]) ? 1 : 0;
    return count;
}

/* ---------------------------------------------------------------- rows ------------------------ */

static void rows_look_as_promised(void **unused) {
    (void)unused;
    enum { ROWS = 5000 };
    size_t seen[3] = {0}, cells = 0, errors = 0;
    struct catalogue catalogue = catalogue_create(1, 1.0);
    for (size_t i = 0; i < ROWS; i++) {
        struct catalogue_row row = catalogue_next(&catalogue);
        size_t left = 0, measured = 0;
        seen[row.label]++;
        assert_true(row.value[0] > 4.0 * row.error[0] && row.error[0] > 0.0);
        assert_true(fabs(row.value[4]) <= 90.0 && isnan(row.error[4]));
        for (size_t j = 1; j < 4; j++) {
            cells += isnan(row.value[j]) ? 1 : 0;
            errors += isnan(row.error[j]) && !isnan(row.value[j]) ? 1 : 0;
            assert_true(!isnan(row.value[j]) || isnan(row.error[j]));
            left += isnan(row.error[j]) ? 0 : 1;
            measured += isnan(row.value[j]) ? 0 : 1;
        }
        assert_true(left || !measured);
    }
    assert_near((double)cells / (3.0 * ROWS), 0.05, 0.01);
    assert_near((double)errors / (3.0 * ROWS), 0.04, 0.01);
    assert_true(seen[0] > seen[2] && seen[2] > seen[1] && seen[1] > ROWS / 20);
}

/* Published results name seeds. So the rows of a seed must stay those of the first version, on any
 * machine up to a few units in the last place. */
static void rows_of_a_seed_stay(void **unused) {
    (void)unused;
    static const struct catalogue_row expected = {
        .value = {3.1405291655114342, 2.053484023051414, 0.06490716102335109, 0.8238590835886712,
                  -30.294005644076403},
        .error = {0.29406779568708163, 0.06366500914897621, 0.0409275058814847, 0.0818550117629694},
        .label = 2,
    };
    struct catalogue catalogue = catalogue_create(1, 1.0);
    struct catalogue_row row;
    for (size_t i = 0; i < 1000; i++)
        row = catalogue_next(&catalogue);
    assert_int_equal(row.label, expected.label);
    for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
        assert_near(row.value[j], expected.value[j], 1e-12 * fabs(expected.value[j]));
        if (j != CATALOGUE_LATITUDE)
            assert_near(row.error[j], expected.error[j], 1e-12 * expected.error[j]);
    }
}

/* Sources, errors and what is missing are the same for any K; what was measured is off from a
 * common truth: with z and z' independent, (x_K - x_1) / e = K z - z' has variance K^2 + 1. Only of
 * bright sources, where the listing leaves z' alone. */
static void worse_rows_are_of_the_same_sources(void **unused) {
    (void)unused;
    enum { ROWS = 5000 };
    const double worse[] = {3.0, 10.0};
    for (size_t k = 0; k < 2; k++) {
        struct catalogue good = catalogue_create(2, 1.0), bad = good;
        double K = bad.worse = worse[k], sum[4] = {0}, square[4] = {0}, count[4] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            struct catalogue_row one = catalogue_next(&good), other = catalogue_next(&bad);
            assert_int_equal(one.label, other.label);
            assert_true(one.value[CATALOGUE_LATITUDE] == other.value[CATALOGUE_LATITUDE]);
            for (size_t j = 0; j < CATALOGUE_LATITUDE; j++) {
                assert_true(isnan(one.value[j]) == isnan(other.value[j]));
                assert_true(same_number(K * one.error[j], other.error[j]));
                if (isnan(one.error[j]) || one.value[0] < 10.0 * one.error[0])
                    continue;
                double z = (other.value[j] - one.value[j]) / one.error[j];
                sum[j] += z;
                square[j] += z * z;
                count[j]++;
            }
        }
        for (size_t j = 0; j < CATALOGUE_LATITUDE; j++) {
            double variance = K * K + 1.0;
            assert_true(count[j] > ROWS / 5);
            assert_near(sum[j] / count[j], 0.0, 4.0 * sqrt(variance / count[j]));
            assert_near(square[j] / count[j], variance, 4.0 * variance * sqrt(2.0 / count[j]));
        }
    }
}

/* 30 % each. `random` does not depend on the flux, which the error of the flux indicates; `faint`
 * does. */
static void cells_go_missing_as_promised(void **unused) {
    (void)unused;
    enum { ROWS = 10000 };
    const enum catalogue_missing kinds[] = {CATALOGUE_RANDOM, CATALOGUE_FAINT};
    for (size_t k = 0; k < 2; k++) {
        struct catalogue catalogue = catalogue_of(4, 1.0, 1.0, kinds[k]);
        double cells = 0.0, faint = 0.0, rows_faint = 0.0, bright = 0.0, rows_bright = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            struct catalogue_row row = catalogue_next(&catalogue);
            double share = (double)missing_cells(&row) / SHAPES;
            bool is_faint = row.error[0] < 0.12;
            cells += share / ROWS;
            *(is_faint ? &faint : &bright) += share;
            *(is_faint ? &rows_faint : &rows_bright) += 1.0;
        }
        assert_near(cells, 0.3, 0.01);
        double more = faint / rows_faint - bright / rows_bright;
        double error = sqrt(0.3 * 0.7 / SHAPES * (1.0 / rows_faint + 1.0 / rows_bright));
        if (kinds[k] == CATALOGUE_RANDOM)
            assert_near(more, 0.0, 4.0 * error);
        else
            assert_true(more > 0.3);
    }
}

/* ---------------------------------------------------------------- calibration ----------------- */

/* Numbers of a row that a wrong probability would lean on, what `rival` says otherwise being one of
 * them; then one for each tenth of p. */
enum { LOOKS = 10, BINS = 10 };
static void look(const struct catalogue_row *row, double p, double rival,
                 double out[LOOKS + BINS]) {
    memset(out, 0, (LOOKS + BINS) * sizeof *out);
    out[0] = 1.0;
    out[1] = asinh(row->value[0] / row->error[0]);
    out[2] = log(row->error[0]);
    out[3] = isnan(row->value[1]) ? 0.0 : row->value[1] - 2.2;
    out[4] = isnan(row->value[2]) ? 0.0 : row->value[2] - 0.1;
    out[5] = isnan(row->value[3]) ? 0.0 : row->value[3] - 1.3;
    out[6] = fabs(row->value[4]) < 10.0;
    out[7] = (double)missing_cells(row);
    out[8] = p;
    out[9] = rival - p;
    out[LOOKS + (size_t)fmin(BINS * p, BINS - 1)] = 1.0;
}

/* If p is right, (1[y = c] - p_c) is uncorrelated with every observable of the row: the sum of
 * products with it is zero within its standard error. */
struct tally {
    double sum[3][LOOKS + BINS], variance[3][LOOKS + BINS], nll;
};

static void tally_add(struct tally *tally, const struct catalogue_row *row, const double p[3],
                      const double rival[3]) {
    assert_near(p[0] + p[1] + p[2], 1.0, 1e-12);
    tally->nll -= log(p[row->label]);
    for (size_t c = 0; c < 3; c++) {
        double seen[LOOKS + BINS];
        look(row, p[c], rival[c], seen);
        for (size_t k = 0; k < LOOKS + BINS; k++) {
            tally->sum[c][k] += ((row->label == (int32_t)c) - p[c]) * seen[k];
            tally->variance[c][k] += p[c] * (1.0 - p[c]) * seen[k] * seen[k];
        }
    }
}

/* The largest deviation in standard errors. Bins with few rows are skipped because their sums are
 * not normal. */
static double tally_worst(const struct tally *tally) {
    double worst = 0.0;
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < LOOKS + BINS; k++)
            if (tally->variance[c][k] > (k < LOOKS ? 0.0 : 5.0))
                worst = fmax(worst, fabs(tally->sum[c][k]) / sqrt(tally->variance[c][k]));
    return worst;
}

static struct tally tally_of(struct catalogue catalogue, size_t rows) {
    struct tally tally = {0};
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row = catalogue_next(&catalogue);
        double p[3];
        catalogue_bayes(&catalogue, &row, p);
        tally_add(&tally, &row, p, p);
    }
    return tally;
}

static void probabilities_are_the_truth(void **unused) {
    (void)unused;
    enum { ROWS = 3000 / FEWER };
    const double worse[] = {1.0, 3.0, 10.0}, noises[] = {1.0, 9.0};
    for (enum catalogue_missing missing = CATALOGUE_FEW; missing <= CATALOGUE_FAINT; missing++)
        for (size_t k = 0; k < 3; k++) {
            double noise = noises[(k + missing) % 2];
            struct tally tally =
                tally_of(catalogue_of(10 * missing + k, noise, worse[k], missing), ROWS);
            assert_true(tally_worst(&tally) < 4.0);
        }
}

/* Rows drawn from one catalogue with probabilities of another: the same test detects the
 * difference. */
static void assert_ignorance_shows(struct catalogue drawn, const struct catalogue *believed,
                                   size_t rows) {
    struct tally informed = {0}, ignorant = {0};
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row = catalogue_next(&drawn);
        double p[3], wrong[3];
        catalogue_bayes(&drawn, &row, p);
        catalogue_bayes(believed, &row, wrong);
        tally_add(&informed, &row, p, wrong);
        tally_add(&ignorant, &row, wrong, p);
    }
    assert_true(tally_worst(&informed) < 4.0);
    assert_true(tally_worst(&ignorant) > 5.0);
    assert_true(ignorant.nll > informed.nll);
}

/* A catalogue with such errors from the beginning: all is the same but what the listing tells. */
static void leaving_the_listing_out_is_noticed(void **unused) {
    (void)unused;
    struct catalogue worse = catalogue_of(5, 9.0, 10.0, CATALOGUE_FEW);
    struct catalogue unlisted = catalogue_of(5, 900.0, 1.0, CATALOGUE_FEW);
    assert_ignorance_shows(worse, &unlisted, 6000);
}

static void taking_faint_for_random_is_noticed(void **unused) {
    (void)unused;
    struct catalogue faint = catalogue_of(6, 1.0, 100.0, CATALOGUE_FAINT), random = faint;
    random.missing = CATALOGUE_RANDOM;
    assert_ignorance_shows(faint, &random, 6000);
}

/* Correlated and asymmetric errors and limits: the probabilities are right, and treating the errors
 * as plain ones is detected. */
static void odd_measurements_are_noticed(void **unused) {
    (void)unused;
    for (enum catalogue_measured kind = CATALOGUE_CORRELATED; kind <= CATALOGUE_LIMITS; kind++) {
        struct catalogue odd =
            catalogue_of(20 + kind, 4.0, kind == 2 ? 2.0 : 1.0, CATALOGUE_RANDOM);
        odd.measured = kind;
        struct catalogue plain = odd;
        plain.measured = CATALOGUE_PLAIN;
        assert_ignorance_shows(odd, &plain, 1500);
    }
}

/* For the same sources, worse measurements carry less information. */
static void worse_measurements_tell_less(void **unused) {
    (void)unused;
    enum { ROWS = 1000 };
    const double worse[] = {1.0, 3.0, 10.0, 100.0};
    for (enum catalogue_missing missing = CATALOGUE_FEW; missing <= CATALOGUE_FAINT; missing++) {
        double last = 0.0;
        for (size_t k = 0; k < 4; k++) {
            double nll = tally_of(catalogue_of(7, 1.0, worse[k], missing), ROWS).nll / ROWS;
            assert_true(nll > last + 0.01);
            last = nll;
        }
    }
}

/* ---------------------------------------------------------------- by drawing ------------------ */

/* The model once more, for p(class | row) from its definition: share, f, latitude; m_j, b_j, s_j.
 */
static const struct kind {
    double share, mean, deviation, at_plane, shape[SHAPES][3];
} kinds[3] = {
    {0.60, 0.35, 0.45, 0.0, {{2.25, -0.1, 0.25}, {0.08, 0.0, 0.07}, {1.65, 0.4, 0.4}}},
    {0.15, 0.60, 0.40, 0.8, {{2.00, 0.0, 0.30}, {0.40, 0.05, 0.15}, {0.95, 0.0, 0.12}}},
    {0.25, 0.10, 0.30, 0.0, {{2.30, 0.0, 0.15}, {0.05, 0.0, 0.05}, {0.95, 0.05, 0.12}}},
};
static const double shape_error[SHAPES] = {0.14, 0.09, 0.18};

static double density(double x, double mean, double deviation) {
    double z = (x - mean) / deviation;
    return exp(-0.5 * z * z) / deviation; /* constants cancel */
}

static double latitude_density(const struct kind *kind, double b) {
    double plane = exp(-fabs(b) / 8.0) / (16.0 * (1.0 - exp(-90.0 / 8.0)));
    return kind->at_plane * plane + (1.0 - kind->at_plane) * cos(b * PI / 180.0) * PI / 360.0;
}

/* Whether a source with that f happens to lose the very cells the row has lost. */
static bool loses_the_same(const struct catalogue_row *row, double f, uint64_t *state) {
    bool same, with_error, with_cell;
    do {
        same = true, with_error = false, with_cell = false;
        for (size_t j = FIRST; j < FIRST + SHAPES; j++) {
            bool cell = 0.08 + 0.3 * next_normal(state) < f, error = next_uniform(state) >= 0.04;
            same = same && cell == !isnan(row->value[j]);
            with_cell = with_cell || cell;
            with_error = with_error || (cell && error);
        }
    } while (with_cell && !with_error);
    return same;
}

/*
 * The weight of one draw of a source that may be behind the row. What is true, flux and x_j, is
 * drawn from one of two laws, whichever is narrower, and weighted with the other: the measurement,
 * or what is known without it, of the flux by its error and of x_j by f.
 */
static double draw_weight(const struct catalogue *catalogue, const struct catalogue_row *row,
                          const struct kind *kind, uint64_t *state) {
    double scale = catalogue->scale, K = catalogue->worse, e = row->error[0] / K, log_g = NAN;
    double log_e = log10(e / (0.12 * scale)), z = next_normal(state), flux, weight;
    if (row->value[0] > 4.0 * row->error[0]) {
        flux = row->value[0] + row->error[0] * z;
        weight = density(log_e, 0.5 * log10(flux), 0.15) / flux; /* of f, not of the flux */
    } else {
        flux = pow(10.0, 2.0 * (log_e + 0.15 * z));
        weight = density(row->value[0], flux, row->error[0]);
    }
    if (!(flux > 0.0))
        return 0.0;
    double f = log10(flux);
    weight *= density(f, kind->mean, kind->deviation);
    if (K > 1.0 && flux + e * next_normal(state) <= 4.0 * e)
        return 0.0; /* not listed */
    if (catalogue->missing == CATALOGUE_FAINT && !loses_the_same(row, f, state))
        return 0.0;
    for (size_t j = 0; j < SHAPES; j++)
        if (!isnan(row->error[FIRST + j]))
            log_g = log10(row->error[FIRST + j] / (shape_error[j] * K * scale));
    if (!isnan(log_g))
        weight *= density(log_g, -0.5 * f, 0.15);
    for (size_t j = 0; j < SHAPES; j++) {
        double error = shape_error[j] * K * scale * pow(10.0, log_g), seen = row->value[FIRST + j];
        double mean = kind->shape[j][0] + kind->shape[j][1] * (f - kind->mean);
        double deviation = kind->shape[j][2];
        if (isnan(seen))
            continue;
        if (error > deviation)
            weight *= density(seen, mean + deviation * next_normal(state), error);
        else
            weight *= density(seen + error * next_normal(state), mean, deviation);
    }
    return weight;
}

/* p of a row with standard errors. */
static void estimate(const struct catalogue *catalogue, const struct catalogue_row *row,
                     uint64_t *state, double p[3], double error[3]) {
    enum { DRAWS = 20000 };
    double mean[3], variance[3], total = 0.0;
    for (size_t c = 0; c < 3; c++) {
        double sum = 0.0, square = 0.0, factor = kinds[c].share;
        factor *= latitude_density(&kinds[c], row->value[CATALOGUE_LATITUDE]);
        for (size_t i = 0; i < DRAWS; i++) {
            double weight = factor * draw_weight(catalogue, row, &kinds[c], state);
            sum += weight;
            square += weight * weight;
        }
        mean[c] = sum / DRAWS;
        variance[c] = (square / DRAWS - mean[c] * mean[c]) / DRAWS;
        total += mean[c];
    }
    for (size_t c = 0; c < 3; c++) { /* p_c = mean_c / total, to first order in the errors */
        p[c] = mean[c] / total;
        error[c] = 0.0;
        for (size_t k = 0; k < 3; k++) {
            double slope = ((k == c) - p[c]) / total;
            error[c] += slope * slope * variance[k];
        }
        error[c] = sqrt(error[c]);
    }
}

static void probabilities_agree_with_draws(void **unused) {
    (void)unused;
    enum { ROWS = 5 / FEWER };
    const struct {
        double noise, worse;
        enum catalogue_missing missing;
    } cases[] = {{9.0, 1.0, CATALOGUE_FEW},     {1.0, 1.0, CATALOGUE_FAINT},
                 {1.0, 3.0, CATALOGUE_FEW},     {9.0, 3.0, CATALOGUE_FAINT},
                 {1.0, 10.0, CATALOGUE_RANDOM}, {1.0, 10.0, CATALOGUE_FAINT},
                 {9.0, 10.0, CATALOGUE_FEW}};
    uint64_t state = 31;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct catalogue catalogue =
            catalogue_of(k, cases[k].noise, cases[k].worse, cases[k].missing);
        for (size_t i = 0; i < ROWS; i++) {
            struct catalogue_row row;
            double p[3], expected[3], error[3];
            do { /* next to certainty there is little to compare */
                row = catalogue_next(&catalogue);
                catalogue_bayes(&catalogue, &row, p);
            } while (fmax(p[0], fmax(p[1], p[2])) > 0.95);
            estimate(&catalogue, &row, &state, expected, error);
            for (size_t c = 0; c < 3; c++) {
                assert_true(error[c] < 0.03);
                assert_near(p[c], expected[c], 4.0 * error[c]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_look_as_promised),
        cmocka_unit_test(rows_of_a_seed_stay),
        cmocka_unit_test(worse_rows_are_of_the_same_sources),
        cmocka_unit_test(cells_go_missing_as_promised),
        cmocka_unit_test(probabilities_are_the_truth),
        cmocka_unit_test(leaving_the_listing_out_is_noticed),
        cmocka_unit_test(taking_faint_for_random_is_noticed),
        cmocka_unit_test(odd_measurements_are_noticed),
        cmocka_unit_test(worse_measurements_tell_less),
        cmocka_unit_test(probabilities_agree_with_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
