/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue.h"

#include "measured.h"
#include "random.h"

#include <stdbool.h>

/* Spectral index, curvature, variability: attributes FIRST .. FIRST + SHAPES - 1. */
enum { FIRST = 1, SHAPES = 3 };

const char *const catalogue_class[] = {"agn", "pulsar", "starburst"};
const char *const catalogue_attribute[] = {"flux", "spectral_index", "curvature", "variability",
                                           "latitude"};
const char *const catalogue_unit[] = {"1e-12 erg/cm2/s", NULL, NULL, NULL, "deg"};

static const struct population {
    double share;
    double mean, deviation; /* of f */
    struct shape {
        double mean, slope, deviation; /* m_j, b_j, s_j */
    } shape[SHAPES];
    double at_plane; /* share that lies within some degrees of it; the rest is isotropic */
} population[CATALOGUE_CLASSES] = {
    {0.60, 0.35, 0.45, {{2.25, -0.1, 0.25}, {0.08, 0.0, 0.07}, {1.65, 0.4, 0.4}}, 0.0},
    {0.15, 0.60, 0.40, {{2.00, 0.0, 0.30}, {0.40, 0.05, 0.15}, {0.95, 0.0, 0.12}}, 0.8},
    {0.25, 0.10, 0.30, {{2.30, 0.0, 0.15}, {0.05, 0.0, 0.05}, {0.95, 0.05, 0.12}}, 0.0},
};

#define FLUX_ERROR 0.12                                       /* 10^a_F */
static const double shape_error[SHAPES] = {0.14, 0.09, 0.18}; /* k_j */

#define TAU 0.15        /* scatter of the errors, dex */
#define THRESHOLD 4.0   /* F~ / e_F of the faintest that is listed */
#define PLANE_SCALE 8.0 /* degrees: density exp(-|b| / scale) */
#define ERROR_MISSING 0.04

/* Probability that a cell of CATALOGUE_FAINT is missing: one half at this f, and how fast it falls.
 */
#define FAINT 0.08
#define FAINT_WIDTH 0.3

/* ---------------------------------------------------------------- drawing --------------------- */

struct catalogue catalogue_create(uint64_t seed, double noise) {
    return (struct catalogue){.state = seed * 0xd6e8feb86659fd93u + 3,
                              .again = seed * 0x9fb21c651e98df25u + 5,
                              .odd = seed * 0xa24baed4963ee407u + 7,
                              .scale = sqrt(noise),
                              .worse = 1.0,
                              .missing = CATALOGUE_FEW};
}

static int32_t draw_class(uint64_t *state) {
    double u = next_uniform(state);
    int32_t label = 0;
    while (label + 1 < CATALOGUE_CLASSES && (u -= population[label].share) > 0.0)
        label++;
    return label;
}

static double draw_latitude(const struct population *from, uint64_t *state) {
    if (next_uniform(state) >= from->at_plane)
        return asin(2.0 * next_uniform(state) - 1.0) * (180.0 / PI);
    double side = next_uniform(state) < 0.5 ? -1.0 : 1.0;
    double within = 1.0 - exp(-90.0 / PLANE_SCALE);
    return -side * PLANE_SCALE * log(1.0 - within * next_uniform(state));
}

static double power_of_ten(double exponent) {
    return exp(exponent * 2.30258509299404568402);
}

static double share_below(double z) {
    return 0.5 * erfc(-z * sqrt(0.5));
}

/* A source as measured, and as it is. */
struct source {
    struct catalogue_row row;
    double f, truth[CATALOGUE_LATITUDE]; /* of what has errors */
};

/* Whether or not it can be seen; nothing is missing yet. */
static struct source draw_source(struct catalogue *catalogue) {
    uint64_t *state = &catalogue->state;
    struct source source = {.row.label = draw_class(state)};
    struct catalogue_row *row = &source.row;
    const struct population *from = &population[row->label];
    double f = source.f = from->mean + from->deviation * next_normal(state);
    row->error[CATALOGUE_FLUX] =
        catalogue->scale * FLUX_ERROR * power_of_ten(0.5 * f + TAU * next_normal(state));
    source.truth[CATALOGUE_FLUX] = power_of_ten(f);
    row->value[CATALOGUE_FLUX] =
        source.truth[CATALOGUE_FLUX] + row->error[CATALOGUE_FLUX] * next_normal(state);
    double g = catalogue->scale * power_of_ten(-0.5 * f + TAU * next_normal(state));
    for (size_t j = 0; j < SHAPES; j++) {
        const struct shape *shape = &from->shape[j];
        double x = shape->mean + shape->slope * (f - from->mean);
        x += shape->deviation * next_normal(state);
        source.truth[FIRST + j] = x;
        row->error[FIRST + j] = shape_error[j] * g;
        row->value[FIRST + j] = x + row->error[FIRST + j] * next_normal(state);
    }
    for (size_t j = 0; j < CATALOGUE_LATITUDE; j++)
        row->upper[j] = row->error[j];
    row->value[CATALOGUE_LATITUDE] = draw_latitude(from, state);
    row->error[CATALOGUE_LATITUDE] = NAN;
    return source;
}

static void measure_anew(struct catalogue *catalogue, struct source *source) {
    for (size_t j = 0; j < CATALOGUE_LATITUDE; j++) {
        double error = source->row.upper[j] = source->row.error[j] *= catalogue->worse;
        source->row.value[j] = source->truth[j] + error * next_normal(&catalogue->again);
    }
}

/* p, of a source with that f. */
static double cell_missing(enum catalogue_missing kind, double f) {
    switch (kind) {
    case CATALOGUE_RANDOM:
        return 0.3;
    case CATALOGUE_FAINT:
        return share_below((FAINT - f) / FAINT_WIDTH);
    default:
        return 0.05;
    }
}

/* q */
static double error_missing(const struct catalogue *catalogue) {
    return catalogue->measured == CATALOGUE_LOPSIDED ? 0.0 : ERROR_MISSING;
}

static bool some_error_left(const struct catalogue_row *row) {
    bool measured = false;
    for (size_t j = FIRST; j < FIRST + SHAPES; j++) {
        if (!isnan(row->error[j]))
            return true;
        measured = measured || !isnan(row->value[j]);
    }
    return !measured;
}

/* Takes cells and errors away; tries again when no error was left. */
static struct catalogue_row lose_some(const struct catalogue_row *whole, double missing,
                                      double error_missing, uint64_t *state) {
    struct catalogue_row row;
    do {
        row = *whole;
        for (size_t j = FIRST; j < FIRST + SHAPES; j++) {
            double cell = next_uniform(state), error = next_uniform(state);
            if (cell < missing) {
                row.value[j] = NAN;
                row.limit[j] = 0;
            }
            if (cell < missing || error < error_missing)
                row.error[j] = row.upper[j] = NAN;
        }
    } while (!some_error_left(&row));
    return row;
}

struct catalogue_row catalogue_next(struct catalogue *catalogue) {
    struct source source;
    do
        source = draw_source(catalogue);
    while (!(source.row.value[CATALOGUE_FLUX] > THRESHOLD * source.row.error[CATALOGUE_FLUX]));
    if (catalogue->worse != 1.0)
        measure_anew(catalogue, &source);
    measured_draw(catalogue->measured, source.truth + FIRST, &source.row, &catalogue->odd);
    return lose_some(&source.row, cell_missing(catalogue->missing, source.f),
                     error_missing(catalogue), &catalogue->state);
}

/* ---------------------------------------------------------------- the optimum ----------------- */

static double latitude_density(const struct population *from, double latitude) {
    double isotropic = cos(latitude * (PI / 180.0)) * (PI / 360.0);
    double plane =
        exp(-fabs(latitude) / PLANE_SCALE) / (2.0 * PLANE_SCALE * (1.0 - exp(-90.0 / PLANE_SCALE)));
    return from->at_plane * plane + (1.0 - from->at_plane) * isotropic;
}

/* Of listed errors to those of a catalogue without factors. */
static double error_scale(const struct catalogue *catalogue) {
    return catalogue->scale * catalogue->worse;
}

/* log10 of g / scale, from any error that is left; NaN when there is none. */
static double common_error(const struct catalogue *catalogue, const struct catalogue_row *row) {
    for (size_t j = 0; j < SHAPES; j++)
        if (!isnan(row->error[FIRST + j])) {
            bool lopsided = catalogue->measured == CATALOGUE_LOPSIDED;
            double lower = row->error[FIRST + j];
            double error = lopsided ? sqrt(lower * row->upper[FIRST + j]) : lower;
            return log10(error / (shape_error[j] * error_scale(catalogue)));
        }
    return NAN;
}

/* log P(listed | f, e_F), where that was decided by a measurement that is not seen. */
static double log_listed(const struct catalogue *catalogue, const struct catalogue_row *row,
                         double f) {
    if (catalogue->worse == 1.0)
        return 0.0;
    double e_F = row->error[CATALOGUE_FLUX] / catalogue->worse;
    return log(share_below(power_of_ten(f) / e_F - THRESHOLD));
}

/* log P(these cells are missing | f), without constants. */
static double log_missing(const struct catalogue *catalogue, const struct catalogue_row *row,
                          double f) {
    if (catalogue->missing != CATALOGUE_FAINT)
        return 0.0;
    double gone = cell_missing(CATALOGUE_FAINT, f);
    double there = share_below((f - FAINT) / FAINT_WIDTH); /* 1 - gone, accurately */
    double without = gone + there * error_missing(catalogue);
    double sum = -log1p(gone * gone * gone - without * without * without);
    for (size_t j = FIRST; j < FIRST + SHAPES; j++)
        sum += log(isnan(row->value[j]) ? gone : there);
    return sum;
}

/* log p(measurements of a source, f | class), without the latitude. */
static double log_joint(const struct catalogue *catalogue, const struct catalogue_row *row,
                        const struct population *from, double common, double f) {
    double flux_error = row->error[CATALOGUE_FLUX];
    double sum = log_normal(f, from->mean, from->deviation * from->deviation);
    sum += log_normal(row->value[CATALOGUE_FLUX], power_of_ten(f), flux_error * flux_error);
    sum +=
        log_normal(log10(flux_error / (FLUX_ERROR * error_scale(catalogue))), 0.5 * f, TAU * TAU);
    sum += log_listed(catalogue, row, f) + log_missing(catalogue, row, f);
    if (isnan(common))
        return sum;
    sum += log_normal(common, -0.5 * f, TAU * TAU);
    double g = error_scale(catalogue) * power_of_ten(common);
    double mean[SHAPES], variance[SHAPES], error[SHAPES];
    for (size_t j = 0; j < SHAPES; j++) {
        const struct shape *shape = &from->shape[j];
        mean[j] = shape->mean + shape->slope * (f - from->mean);
        variance[j] = shape->deviation * shape->deviation;
        error[j] = shape_error[j] * g;
    }
    return sum + measured_log_density(catalogue->measured, row, mean, variance, error);
}

/* Where the flux can be: eight errors around what was measured, and eight deviations of the class.
 */
static void range_of(const struct catalogue_row *row, const struct population *from, double *low,
                     double *high) {
    double flux = row->value[CATALOGUE_FLUX], reach = 8.0 * row->error[CATALOGUE_FLUX];
    *low = from->mean - 8.0 * from->deviation;
    *high = from->mean + 8.0 * from->deviation;
    if (flux - reach > power_of_ten(*low))
        *low = fmin(log10(flux - reach), *high);
    if (flux + reach < power_of_ten(*high))
        *high = fmax(log10(flux + reach), *low);
}

/* log of the integral over f: the trapezoidal rule, which is as good as exact for a smooth bump. */
static double log_evidence(const struct catalogue *catalogue, const struct catalogue_row *row,
                           const struct population *from, double common) {
    enum { NODES = 512 };
    double low, high, node[NODES], most = -INFINITY, sum = 0.0;
    range_of(row, from, &low, &high);
    double step = (high - low) / (NODES - 1);
    for (size_t i = 0; i < NODES; i++) {
        node[i] = log_joint(catalogue, row, from, common, low + (double)i * step);
        most = fmax(most, node[i]);
    }
    for (size_t i = 0; i < NODES; i++)
        sum += exp(node[i] - most);
    return most + log(sum) + log(step);
}

void catalogue_bayes(const struct catalogue *catalogue, const struct catalogue_row *row,
                     double p[CATALOGUE_CLASSES]) {
    double common = common_error(catalogue, row), most = -INFINITY, sum = 0.0;
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++) {
        const struct population *from = &population[c];
        p[c] = log(from->share * latitude_density(from, row->value[CATALOGUE_LATITUDE])) +
               log_evidence(catalogue, row, from, common);
        most = fmax(most, p[c]);
    }
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++)
        sum += p[c] = exp(p[c] - most);
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++)
        p[c] /= sum;
}
