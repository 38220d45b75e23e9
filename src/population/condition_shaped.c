/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p(x | x~) for a measurement with a shape (measurement.h), as in condition.c: a Gaussian with mean
 * c and factor R is updated by one scalar after the other.
 *
 * A scalar is y = h x + noise. Let r = h R, and let p = r r' be the variance of h x. If the scalar
 * shifts the mean of h x by s and reduces its variance to q <= p, then
 *
 *     c += k s,   R -= k r (1 - sqrt(q / p)),   k = R r' / p.
 *
 * - An independent cell: h = e_j, noise V_j.
 * - Correlated cells with covariance L L': y = L^-1 x~, h the rows of L^-1, noise of variance 1.
 * - Asymmetric cells and limits are last, h = e_j: mean and variance of the product (tilt.c). With
 *   one of them the moments are exact. Several are updated in turn, each given the present
 *   approximations of the others, until nothing changes: expectation propagation (Minka, 2001).
 */
#include "math/vector.h"
#include "population/surprise.h"

#include <math.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836

/* As in condition.c. */
#define NOTHING 1e-13

/* Least share of an error's variance that is independent of the other errors. Correlations are
 * given with few digits, so errors may seem to be fully correlated. */
#define LEAST_OWN 1e-4

/* Least variance of a product, as a share of the variance before it. */
#define NARROWEST 1e-12

/* Asymmetric cells and limits are updated until none changes by more than this, in deviations. */
#define SETTLED 1e-4

/* The present state of one component. */
struct state {
    size_t d;
    double *centre, *root; /* d, d x d */
    double *row;           /* d: r */
    double *first;         /* d: variances of the attributes before any cell was added */
    double evidence;
    struct usual_surprise usual; /* of -evidence, see surprise.h */
};

/* Shifts h x by `shift` and reduces its variance p by the share `lost`; `kept` is the remaining
 * share. row holds r. 1 - sqrt(kept) is computed as lost / (1 + sqrt(kept)). */
static void move(struct state *state, double p, double shift, double lost, double kept) {
    double shrink = lost / (1.0 + sqrt(kept)) / p;
    for (size_t i = 0; i < state->d; i++) {
        double *root = state->root + i * state->d, along = dot(state->d, root, state->row);
        state->centre[i] += along * shift / p;
        add_scaled(state->d, -shrink * along, state->row, root);
    }
}

/* Adds y = h x + noise, which is `surprise` above its expectation. p: variance of h x. */
static void take_scalar(struct state *state, double p, double surprise, double noise) {
    double total = p + noise;
    state->evidence -= 0.5 * (LOG_TWO_PI + log(total) + surprise * surprise / total);
    expect_normal(&state->usual, total);
    if (p > 0.0)
        move(state, p, surprise * p / total, p / total, noise / total);
}

/* Sets r for cell j; returns p. */
static double look_at_cell(struct state *state, size_t j) {
    memcpy(state->row, state->root + j * state->d, state->d * sizeof(double));
    return dot(state->d, state->row, state->row);
}

static void take_plain(struct state *state, size_t j, double x, double noise) {
    double p = look_at_cell(state, j);
    if (p + noise > NOTHING * state->first[j])
        take_scalar(state, p, x - state->centre[j], noise);
    if (noise == 0.0) { /* x_j = x~_j without rounding */
        memset(state->root + j * state->d, 0, state->d * sizeof(double));
        state->centre[j] = x;
    }
}

/* ---------------------------------------------------------------- odd cells ------------------- */

/* Moments of N(centre, p) times the likelihood of cell j, which is asymmetric or a limit. */
static struct tilt tilt_cell(const struct measurement *row, size_t d, size_t j, double centre,
                             double p) {
    double side = shape_side(row->shape, d, j);
    struct tilt tilt = side != 0.0 ? tilt_limit(centre, p, row->x[j], row->noise[j], side)
                                   : tilt_lopsided(centre, p, row->x[j], sqrt(row->noise[j]),
                                                   shape_upper(row->shape, j));
    tilt.variance = fmin(fmax(tilt.variance, NARROWEST * p), p);
    return tilt;
}

/* Gives x_j this mean and this variance instead of p. */
static void move_cell(struct state *state, size_t j, double p, double mean, double variance) {
    move(state, p, mean - state->centre[j], 1.0 - variance / p, variance / p);
}

/* log of the integral of N(centre, p) exp(-precision x^2/2 + pull x). */
static double site_mass(double centre, double p, double precision, double pull) {
    double total = 1.0 + precision * p, moved = centre + p * pull;
    return 0.5 * ((moved * moved / total - centre * centre) / p - log(total));
}

/* Updates the site of cell j, given the sites of all others. Returns how far x_j moved. */
static double revise_site(struct state *state, const struct measurement *row, size_t j,
                          struct odd_site *site) {
    double p = look_at_cell(state, j), centre = state->centre[j];
    double left = 1.0 / p - site->precision;
    if (!(p > NOTHING * state->first[j]) || !(left > NOTHING / state->first[j]))
        return 0.0;
    site->spread = 1.0 / left;
    site->centre = (centre / p - site->pull) / left;
    struct tilt tilt = tilt_cell(row, state->d, j, site->centre, site->spread);
    site->precision = 1.0 / tilt.variance - left;
    site->pull = tilt.mean / tilt.variance - site->centre * left;
    site->log_mass = tilt.log_mass;
    move_cell(state, j, p, tilt.mean, tilt.variance);
    return fmax(fabs(tilt.mean - centre) / sqrt(p), fabs(tilt.variance / p - 1.0));
}

/* Adds the expected surprise of cell j under N(centre, p). A limit that is nearly certain carries
 * no information and counts as no cell. */
static void expect_odd(struct usual_surprise *usual, const struct measurement *row, size_t d,
                       size_t j, double centre, double p) {
    double side = shape_side(row->shape, d, j);
    if (side == 0.0) {
        expect_normal(
            usual,
            p + tilt_alone(row->x[j], sqrt(row->noise[j]), shape_upper(row->shape, j)).variance);
        return;
    }
    double likely = exp(tilt_limit(centre, p, row->x[j], row->noise[j], side).log_mass);
    double unlikely = exp(tilt_limit(centre, p, row->x[j], row->noise[j], -side).log_mass);
    usual->surprise -= likely > 0.0 ? likely * log(likely) : 0.0;
    usual->surprise -= unlikely > 0.0 ? unlikely * log(unlikely) : 0.0;
    usual->cells += unlikely;
}

/* The evidence: the product of the sites' own factors and of the integral of the Gaussian `before`
 * times all sites, one after the other. */
static void gather_evidence(struct state *state, const struct measurement *row, size_t count,
                            const size_t *cell, const struct odd_site *site, const double *before) {
    size_t d = state->d;
    memcpy(state->centre, before, d * sizeof(double));
    memcpy(state->root, before + d, d * d * sizeof(double));
    for (size_t a = 0; a < count; a++) {
        double p = look_at_cell(state, cell[a]), centre = state->centre[cell[a]];
        if (!(site[a].spread > 0.0) || !(p > 0.0))
            continue;
        double total = 1.0 + site[a].precision * p;
        state->evidence +=
            site[a].log_mass -
            site_mass(site[a].centre, site[a].spread, site[a].precision, site[a].pull) +
            site_mass(centre, p, site[a].precision, site[a].pull);
        expect_odd(&state->usual, row, d, cell[a], centre, p);
        move_cell(state, cell[a], p, (centre + p * site[a].pull) / total, p / total);
    }
}

static void take_odd(struct state *state, const struct measurement *row, size_t count,
                     const struct conditioner_shapes *shapes) {
    size_t d = state->d, most = shapes->sweeps;
    const size_t *cell = shapes->odd;
    struct odd_site *site = shapes->site;
    double *before = shapes->before;
    double moved = INFINITY;
    memcpy(before, state->centre, d * sizeof(double));
    memcpy(before + d, state->root, d * d * sizeof(double));
    memset(site, 0, count * sizeof *site);
    for (size_t sweep = 0; sweep < (count > 1 ? most : 1) && moved > SETTLED; sweep++) {
        moved = 0.0;
        for (size_t a = 0; a < count; a++)
            moved = fmax(moved, revise_site(state, row, cell[a], &site[a]));
    }
    if (count)
        gather_evidence(state, row, count, cell, site, before);
}

/* ---------------------------------------------------------------- correlated cells ------------ */

bool shape_is_tilted(const struct measurement *row, size_t d, size_t j) {
    return row->shape && isfinite(row->noise[j]) &&
           (shape_upper(row->shape, j) > 0.0 || shape_side(row->shape, d, j) != 0.0);
}

/* Whether the error of cell j is correlated with another. */
static bool is_correlated(const struct measurement *row, size_t d, size_t j) {
    for (size_t i = 0; i < d; i++)
        if (i != j && shape_correlation(row->shape, d, i > j ? i : j, i > j ? j : i) != 0.0)
            return true;
    return false;
}

/* The normal approximation of a cell. */
static struct tilt as_normal(const struct measurement *row, size_t j) {
    double upper = shape_upper(row->shape, j);
    return upper > 0.0 ? tilt_alone(row->x[j], sqrt(row->noise[j]), upper)
                       : (struct tilt){.mean = row->x[j], .variance = row->noise[j]};
}

size_t conditioner_whiten(const struct measurement *row, size_t d, size_t *cell, double *factor,
                          double *h, double *y) {
    size_t count = 0;
    for (size_t j = 0; j < d; j++)
        if (is_correlated(row, d, j))
            cell[count++] = j;
    for (size_t a = 0; a < count; a++) {
        struct tilt own = as_normal(row, cell[a]);
        double *line = factor + a * d, rest = own.variance;
        memset(h + a * d, 0, d * sizeof(double));
        h[a * d + cell[a]] = 1.0;
        y[a] = own.mean;
        for (size_t b = 0; b < a; b++) {
            double covariance = shape_correlation(row->shape, d, cell[a], cell[b]) *
                                sqrt(own.variance * as_normal(row, cell[b]).variance);
            line[b] = (covariance - dot(b, line, factor + b * d)) / factor[b * d + b];
            rest -= line[b] * line[b];
            add_scaled(d, -line[b], h + b * d, h + a * d);
            y[a] -= line[b] * y[b];
        }
        line[a] = sqrt(fmax(rest, LEAST_OWN * own.variance));
        scale(d, 1.0 / line[a], h + a * d);
        y[a] /= line[a];
    }
    return count;
}

/* Adds scalars with unit noise. Row a of h and y[a] are from conditioner_whiten. The diagonal of
 * factor converts their density to that of x~. */
static void take_whitened(struct state *state, size_t count, const double *factor, const double *h,
                          const double *y) {
    size_t d = state->d;
    for (size_t a = 0; a < count; a++) {
        memset(state->row, 0, d * sizeof(double));
        for (size_t j = 0; j < d; j++)
            add_scaled(d, h[a * d + j], state->root + j * d, state->row);
        double expected = dot(d, h + a * d, state->centre);
        take_scalar(state, dot(d, state->row, state->row), y[a] - expected, 1.0);
        state->evidence -= log(factor[a * d + a]);
        state->usual.surprise += log(factor[a * d + a]);
    }
}

void conditioner_measure(struct conditioner *conditioner, const struct measurement *row,
                         double *centre) {
    size_t d = conditioner->population->attributes;
    struct conditioner_shapes *shapes = &conditioner->shapes;
    double *root = conditioner->root;
    size_t count = conditioner_whiten(row, d, shapes->cell, shapes->factor, shapes->h, shapes->y);
    memset(root, 0, d * d * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        centre[j] = row->x[j];
        root[j * d + j] = sqrt(row->noise[j]);
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++)
            root[shapes->cell[a] * d + shapes->cell[b]] = shapes->factor[a * d + b];
    memcpy(conditioner->noise, row->noise, d * sizeof(double));
    conditioner->filled = conditioner->multiplied = false;
}

/* ---------------------------------------------------------------- a row ----------------------- */

/* Lists the asymmetric cells and limits that are not among the correlated cells. */
static size_t find_odd(const struct measurement *row, size_t d, size_t correlated,
                       const size_t *cell, size_t *odd) {
    size_t count = 0;
    for (size_t j = 0, a = 0; j < d; j++) {
        bool whitened = a < correlated && cell[a] == j;
        a += whitened;
        if (!whitened && shape_is_tilted(row, d, j))
            odd[count++] = j;
    }
    return count;
}

static double take_component(struct conditioner *conditioner, size_t k,
                             const struct measurement *row, size_t correlated, size_t odd,
                             double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes;
    struct conditioner_shapes *shapes = &conditioner->shapes;
    struct state state = {.d = d,
                          .centre = centre,
                          .root = conditioner->root + k * d * d,
                          .row = conditioner->work,
                          .first = conditioner->work + d};
    population_component(population, k, centre, state.root);
    for (size_t j = 0; j < d; j++)
        state.first[j] = dot(d, state.root + j * d, state.root + j * d);
    for (size_t j = 0, a = 0; j < d; j++) {
        bool whitened = a < correlated && shapes->cell[a] == j;
        a += whitened;
        if (!whitened && isfinite(row->noise[j]) && !shape_is_tilted(row, d, j))
            take_plain(&state, j, row->x[j], row->noise[j]);
    }
    take_whitened(&state, correlated, shapes->factor, shapes->h, shapes->y);
    take_odd(&state, row, odd, shapes);
    shapes->usual[k] = state.usual;
    return state.evidence;
}

double conditioner_take_shaped(struct conditioner *conditioner, const struct measurement *row,
                               double *share, double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes, components = population_gaussians(population);
    struct conditioner_shapes *shapes = &conditioner->shapes;
    size_t correlated =
        conditioner_whiten(row, d, shapes->cell, shapes->factor, shapes->h, shapes->y);
    size_t odd = find_odd(row, d, correlated, shapes->cell, shapes->odd);
    for (size_t k = 0; k < components; k++)
        share[k] = population_log_share(population, k) +
                   take_component(conditioner, k, row, correlated, odd, centre + k * d);
    memcpy(conditioner->noise, row->noise, d * sizeof(double));
    conditioner->filled = false; /* R is valid only for this row */
    conditioner->multiplied = false;
    return conditioner_share(components, share);
}
