/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/ladder.h"

#include "math/lattice.h"
#include "math/vector.h"
#include "predict/predictor.h"

#include <string.h>

/* Number of pairs in the lattice of each level; twice the number plus one is a prime. The lowest
 * level has no lattice; it consists of the centre and a pair of points along each direction. */
static const size_t lattice_size[LADDER_LEVELS] = {0,   14,  20,  30,  44,  63,  90,
                                                   128, 183, 260, 369, 524, 1026};

static size_t level_pairs(size_t level, size_t rank) {
    return level ? lattice_size[level] : rank + 1;
}

/* Components whose total share is less than this times the tolerance are omitted. */
#define NEGLIGIBLE 0.25

/* Components whose total share is less than this times the tolerance are evaluated only at their
 * centres. */
#define FAINT 1.0

/* Rows farther than this from the mean, in deviations, need double precision. */
#define FAR_OUT 1e4

/* Directions whose total share of a row's spread is less than this times the tolerance are
 * omitted. */
#define UNSEEN 1.5

/* Largest standard deviation of the error of the average, divided by the tolerance. */
#define SAFETY 0.5

/* Functions are smooth if their means at the inducing inputs vary by at most this many posterior
 * deviations. Beyond that the error grows with the power ROUGH_POWER, up to the factor ROUGHEST. */
#define SMOOTH 3.0
#define ROUGH_POWER 6.0
#define ROUGHEST 8.0

/* Least pairs of a level, times the roughness, unless the functions are smooth. */
#define ROUGH_PAIRS 20.0

bool ladder_serves(const struct nim_model *model) {
    return model->options.input->averages && model->options.points == 0;
}

static size_t components_of(const struct nim_model *model) {
    return model->population.components ? model->population.components : 1;
}

void ladder_layout(struct ladder *ladder, const struct nim_model *model, struct arena *arena) {
    ladder->coordinates = model->columns;
    for (size_t level = 1; level < LADDER_LEVELS; level++)
        ladder->normal[level] = arena_doubles(arena, lattice_size[level] * ladder->coordinates);
    ladder->slope = arena_doubles(arena, model->attributes);
}

bool ladder_fill(struct nim_predictor *predictor) {
    const struct nim_model *model = predictor->model;
    struct ladder *ladder = &predictor->ladder;
    struct random_key key = {model->options.seed, STREAM_LATTICE};
    bool enough = true;
    for (size_t level = 1; enough && level < LADDER_LEVELS; level++)
        enough =
            lattice_pairs(key, lattice_size[level], ladder->coordinates, ladder->normal[level]);
    return enough;
}

/*
 * Adds the variance of function c's mean over its inducing inputs to *signal, and the average of
 * its posterior variance there to *noise. At the inducing inputs f = L_K w, so that its mean is L_K
 * m and its covariance L_K L L' L_K'.
 */
static void add_signal_and_noise(const struct nim_predictor *predictor, size_t c, double *signal,
                                 double *noise) {
    const struct gp_factor *factor = &predictor->factor[c];
    const double *mean_of_w = gp_mean(factor, &predictor->model->gp, &predictor->theta[c]);
    size_t m = predictor->model->inducing;
    double *row = factor->work; /* of L_K L */
    double sum = 0.0, square = 0.0, variance = 0.0;
    for (size_t i = 0; i < m; i++) {
        const double *root = factor->root + i * m;
        double mean = dot(i + 1, root, mean_of_w);
        memset(row, 0, (i + 1) * sizeof(double));
        for (size_t j = 0; j <= i; j++)
            add_scaled(j + 1, root[j], factor->l + j * m, row);
        sum += mean;
        square += mean * mean;
        variance += dot(i + 1, row, row);
    }
    *signal += (square - sum * sum / (double)m) / (double)m;
    *noise += variance / (double)m;
}

/*
 * How much larger errors are than with smooth probabilities. The surer the functions are, the
 * steeper probabilities rise where classes meet. Measured, see docs/derivations/prediction.md.
 */
static double roughness_of(const struct nim_predictor *predictor) {
    double signal = 0.0, noise = 0.0;
    for (size_t c = 0; c < predictor->model->functions; c++)
        add_signal_and_noise(predictor, c, &signal, &noise);
    double ratio = sqrt(signal / noise) / SMOOTH;
    return ratio <= 1.0 ? 1.0 : fmin(pow(ratio, ROUGH_POWER), ROUGHEST);
}

void ladder_weigh(struct nim_predictor *predictor) {
    const struct nim_model *model = predictor->model;
    struct ladder *ladder = &predictor->ladder;
    memset(ladder->slope, 0, model->attributes * sizeof(double));
    for (size_t c = 0; c < model->functions; c++)
        for (size_t t = 0; t < model->gp.kernel->terms; t++) {
            const struct gp_factor_term *term = &predictor->factor[c].term[t];
            add_scaled(model->attributes, term->variance, term->inverse_square, ladder->slope);
        }
    ladder->roughness = roughness_of(predictor);
}

void ladder_work_layout(struct ladder_work *work, const struct nim_model *model,
                        struct arena *arena) {
    size_t d = model->attributes, climbs = LADDER_ROWS * components_of(model);
    for (size_t level = 0; level < LADDER_LEVELS; level++)
        for (size_t slot = 0; slot <= LADDER_RANKS && slot <= d; slot++) {
            size_t rank = slot ? slot : d, pairs = level_pairs(level, rank);
            work->level[level][slot] = (struct ladder_pairs){
                .point = arena_doubles(arena, pairs * rank), .weight = arena_doubles(arena, pairs)};
        }
    work->climb = arena_bytes(arena, climbs, sizeof *work->climb);
    work->stretch = arena_bytes(arena, TILE, sizeof *work->stretch);
    work->shift = arena_doubles(arena, TILE * d);
    work->weight = arena_doubles(arena, TILE);
    work->scratch = arena_doubles(arena, d * d);
    for (size_t i = 0; i < climbs; i++) {
        struct climb *climb = ARENA_ELEMENT(work->climb, i);
        climb->centre = arena_doubles(arena, d);
        climb->root = arena_doubles(arena, d * d);
        climb->sum = arena_doubles(arena, predictor_sums(model));
        climb->square = arena_doubles(arena, model->classes);
    }
}

/* ---------------------------------------------------------------- rows and their components --- */

/* The attribute with the largest remaining variance in the columns from `rank` on, weighted by
 * slope. `left` is set to the sum over all attributes. */
static size_t most_left(size_t d, const double *slope, const double *root, size_t rank,
                        double *left) {
    size_t best = 0;
    double most = -1.0;
    *left = 0.0;
    for (size_t j = 0; j < d; j++) {
        const double *row = root + j * d + rank;
        double own = slope[j] * dot(d - rank, row, row);
        *left += own;
        if (own > most) {
            most = own;
            best = j;
        }
    }
    return best;
}

/* Rotates xi by Householder reflections so that the first columns of root contain nearly all of the
 * row's variance, weighted by slope. axis: d. Returns how many columns that takes. */
static size_t compress(size_t d, const double *slope, double unseen, double *root, double *axis) {
    double all = 0.0, left = 0.0;
    for (size_t rank = 0; rank < d; rank++) {
        size_t j = most_left(d, slope, root, rank, &left);
        all = rank == 0 ? left : all;
        if (!(left > unseen * all))
            return rank;
        size_t width = d - rank;
        double *first = root + rank, *row = first + j * d;
        memcpy(axis, row, width * sizeof(double));
        axis[0] += copysign(sqrt(dot(width, row, row)), row[0]);
        double square = dot(width, axis, axis);
        for (size_t i = 0; square > 0.0 && i < d; i++)
            add_scaled(width, -2.0 * dot(width, axis, first + i * d) / square, axis, first + i * d);
    }
    return d;
}

static void start_level(const struct nim_model *model, struct climb *climb, size_t level) {
    climb->level = level;
    climb->done = 0;
    climb->complete = false;
    memset(climb->sum, 0, predictor_sums(model) * sizeof(double));
    memset(climb->square, 0, model->classes * sizeof(double));
}

/* Starts component k of row `row`. A component of small share is evaluated only at its centre. */
static void begin_climb(const struct nim_predictor *predictor, struct prediction_work *work,
                        size_t row, size_t k, double share, bool faint) {
    const struct nim_model *model = predictor->model;
    size_t d = model->attributes;
    struct climb *climb = &work->ladder.climb[work->ladder.climbs++];
    climb->row = row;
    climb->share = share;
    climb->part = 1.0;
    memcpy(climb->centre, work->centre + k * d, d * sizeof(double));
    if (predictor->correlated) {
        memcpy(climb->root, work->conditioner.root + k * d * d, d * d * sizeof(double));
    } else {
        memset(climb->root, 0, d * d * sizeof(double));
        for (size_t j = 0; j < d; j++)
            climb->root[j * d + j] = work->width[j];
    }
    climb->rank = faint ? 0
                        : compress(d, predictor->ladder.slope, UNSEEN * model->options.tolerance,
                                   climb->root, work->ladder.scratch);
    climb->exact = climb->rank == 0 && !faint;
    for (size_t j = 0; j < d; j++)
        climb->exact = climb->exact || !(fabs(climb->centre[j]) < FAR_OUT);
    start_level(model, climb, 0);
}

/* The largest share of an omitted component: all components up to it have a total share of less
 * than `negligible`. */
static double left_out(size_t components, const double *share, double negligible) {
    double limit = -1.0;
    for (;;) {
        double next = INFINITY, total = 0.0;
        for (size_t k = 0; k < components; k++)
            next = share[k] > limit ? fmin(next, share[k]) : next;
        for (size_t k = 0; k < components; k++)
            total += share[k] <= next ? share[k] : 0.0;
        if (!(total < negligible))
            return limit;
        limit = next;
    }
}

/*
 * Divides the tolerance of a row among its components. They use the same lattices and similar
 * functions, so their errors add up. With n pairs the error of a component is about share / n. The
 * total number of pairs is least if the parts are proportional to the square root of the share.
 */
static void share_out(struct climb *climb, size_t count) {
    double total = 0.0;
    for (size_t i = 0; i < count; i++)
        total += climb[i].part = sqrt(climb[i].share);
    for (size_t i = 0; i < count; i++)
        climb[i].part /= total;
}

static void begin_row(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t row) {
    const struct nim_model *model = predictor->model;
    size_t components = components_of(model);
    predictor_locate(predictor, work, row);
    if (components == 1) {
        begin_climb(predictor, work, row, 0, 1.0, false);
        return;
    }
    double limit = left_out(components, work->share, NEGLIGIBLE * model->options.tolerance);
    double faint = left_out(components, work->share, FAINT * model->options.tolerance), kept = 0.0;
    for (size_t k = 0; k < components; k++)
        kept += work->share[k] > limit ? work->share[k] : 0.0;
    size_t first = work->ladder.climbs;
    for (size_t k = 0; k < components; k++)
        if (work->share[k] > limit)
            begin_climb(predictor, work, row, k, work->share[k] / kept, !(work->share[k] > faint));
    share_out(work->ladder.climb + first, work->ladder.climbs - first);
}

/* ---------------------------------------------------------------- points through tiles -------- */

static size_t pairs_of(const struct climb *climb) {
    return climb->rank ? level_pairs(climb->level, climb->rank) : 1;
}

/* A row without noise is one point, and has no mirror image. */
static size_t images_of(const struct climb *climb) {
    return climb->rank ? 2 : 1;
}

/* The lowest level: the centre, and a pair of points along each direction. It is exact for
 * polynomials up to the third degree. */
static void pairs_along(size_t rank, double *point, double *weight) {
    memset(point, 0, (rank + 1) * rank * sizeof(double));
    for (size_t i = 0; i <= rank; i++)
        weight[i] = 1.0 / (double)(rank + 1);
    for (size_t i = 0; i < rank; i++)
        point[(i + 1) * rank + i] = sqrt((double)(rank + 1));
}

/* The pairs of a climb's level, which are computed when first used. */
static const struct ladder_pairs *pairs_at_hand(const struct nim_predictor *predictor,
                                                struct ladder_work *work,
                                                const struct climb *climb) {
    size_t level = climb->level, rank = climb->rank;
    struct ladder_pairs *pairs = &work->level[level][rank <= LADDER_RANKS ? rank : 0];
    if (pairs->rank == rank)
        return pairs;
    if (level)
        mirrored_pairs(lattice_size[level], predictor->ladder.coordinates,
                       predictor->ladder.normal[level], rank, pairs->point, pairs->weight,
                       work->scratch);
    else
        pairs_along(rank, pairs->point, pairs->weight);
    pairs->rank = rank;
    return pairs;
}

/* Puts the next `pairs` pairs of a climb into the tile. */
static void place_pairs(const struct nim_predictor *predictor, struct prediction_work *work,
                        struct climb *climb, size_t pairs) {
    struct ladder_work *ladder = &work->ladder;
    size_t d = predictor->model->attributes, rank = climb->rank;
    double *x = work->x + ladder->filled * d;
    const struct ladder_pairs *level = pairs_at_hand(predictor, ladder, climb);
    gemm(PLAIN, TRANSPOSED, pairs, d, rank, 1.0, level->point + climb->done * rank, rank,
         climb->root, d, 0.0, ladder->shift, d, work->scratch);
    memcpy(ladder->weight + ladder->filled, level->weight + climb->done, pairs * sizeof(double));
    for (size_t image = 0; image < images_of(climb); image++)
        for (size_t p = 0; p < pairs; p++, x += d) {
            memcpy(x, climb->centre, d * sizeof(double));
            add_scaled(d, image ? -1.0 : 1.0, ladder->shift + p * d, x);
        }
    ladder->stretch[ladder->stretches++] =
        (struct ladder_stretch){.climb = climb, .at = ladder->filled, .pairs = pairs};
    ladder->filled += pairs * images_of(climb);
}

/* Adds points of the tile to the sums of their climb. */
static void collect(const struct nim_predictor *predictor, struct prediction_work *work,
                    const struct ladder_stretch *stretch) {
    struct climb *climb = stretch->climb;
    size_t classes = predictor->model->classes;
    for (size_t at = stretch->at; at < stretch->at + stretch->pairs; at++) {
        size_t mirrored = at + stretch->pairs;
        if (climb->rank == 0) {
            predictor_add_point(predictor, work, at, 1.0, climb->sum);
            continue;
        }
        double share = work->ladder.weight[at];
        predictor_add_point(predictor, work, at, 0.5 * share, climb->sum);
        predictor_add_point(predictor, work, mirrored, 0.5 * share, climb->sum);
        for (size_t c = 0; c < classes; c++) {
            double mean = 0.5 * (work->probability[at * classes + c] +
                                 work->probability[mirrored * classes + c]);
            climb->square[c] += share * mean * mean;
        }
    }
    climb->done += stretch->pairs;
}

static void empty_tile(const struct nim_predictor *predictor, struct prediction_work *work) {
    struct ladder_work *ladder = &work->ladder;
    if (ladder->filled)
        predictor_look(predictor, work, ladder->filled);
    for (size_t i = 0; i < ladder->stretches; i++)
        collect(predictor, work, &ladder->stretch[i]);
    ladder->filled = ladder->stretches = 0;
}

/* Evaluates all points of a climb's level. The last ones may stay in the tile until it is full. */
static void look_around(const struct nim_predictor *predictor, struct prediction_work *work,
                        struct climb *climb) {
    size_t placed = 0, wanted = pairs_of(climb);
    while (placed < wanted) {
        size_t room = (TILE - work->ladder.filled) / images_of(climb), left = wanted - placed;
        size_t pairs = left < room ? left : room;
        if (pairs)
            place_pairs(predictor, work, climb, pairs);
        else
            empty_tile(predictor, work);
        placed += pairs;
    }
}

/* ---------------------------------------------------------------- how high -------------------- */

/* The standard deviation of the error of the average over a level's pairs, in units of the
 * deviation of the pairs, for smooth probabilities. Measured, see docs/derivations/prediction.md.
 */
static double error_at(size_t level) {
    if (level == 0)
        return 0.4;
    double pairs = (double)lattice_size[level], few = 12.0 / pairs;
    return 0.75 * pow(pairs, -1.15) * (1.0 + few * few);
}

/* The largest deviation, over classes, of the mean probability of a pair. */
static double deviation_of_pairs(const struct nim_predictor *predictor, const struct climb *climb) {
    const double *mean = predictor_probability_sum(predictor, climb->sum);
    double largest = 0.0;
    for (size_t c = 0; c < predictor->model->classes; c++)
        largest = fmax(largest, climb->square[c] - mean[c] * mean[c]);
    return sqrt(largest);
}

/* Whether a level has too few pairs for this climb, whatever they show. Where probabilities are
 * steep, few pairs may all miss a class. */
static bool has_few_pairs(const struct nim_predictor *predictor, const struct climb *climb,
                          size_t level) {
    double roughness = predictor->ladder.roughness;
    return (level && lattice_size[level] < 2 * climb->rank) ||
           (roughness > 1.0 && (double)lattice_size[level] < ROUGH_PAIRS * roughness);
}

/* Decides whether a climb is complete; if not, sets the level that it needs. */
static void decide(const struct nim_predictor *predictor, struct climb *climb) {
    const struct nim_model *model = predictor->model;
    size_t level = climb->level;
    climb->complete = true;
    if (climb->rank == 0)
        return;
    double deviation =
        climb->share * predictor->ladder.roughness * deviation_of_pairs(predictor, climb);
    double allowed =
        SAFETY * climb->part * model->options.tolerance * fmin(1.0, model->temperature);
    while (level + 1 < LADDER_LEVELS &&
           (deviation * error_at(level) > allowed || has_few_pairs(predictor, climb, level)))
        level++;
    if (level > climb->level)
        start_level(model, climb, level);
}

/* The rows' averages over their components. */
static void write_rows(const struct nim_predictor *predictor, struct prediction_work *work,
                       size_t count) {
    const struct ladder_work *ladder = &work->ladder;
    size_t sums = predictor_sums(predictor->model), i = 0;
    for (size_t row = 0; row < count; row++) {
        memset(work->sum, 0, sums * sizeof(double));
        for (; i < ladder->climbs && ladder->climb[i].row == row; i++)
            add_scaled(sums, ladder->climb[i].share, ladder->climb[i].sum, work->sum);
        predictor_write_row(predictor, work, work->row[row], 1);
    }
}

/* Evaluates the climbs that are not complete: those in double precision if exact, otherwise the
 * rest. */
static void look_at_all(const struct nim_predictor *predictor, struct prediction_work *work,
                        bool exact) {
    struct ladder_work *ladder = &work->ladder;
    work->coarse = !exact && predictor->model->options.tolerance >= QUICK_FROM;
    for (size_t i = 0; i < ladder->climbs; i++)
        if (!ladder->climb[i].complete && ladder->climb[i].exact == exact)
            look_around(predictor, work, &ladder->climb[i]);
    empty_tile(predictor, work);
    work->coarse = false;
}

void ladder_predict(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count) {
    struct ladder_work *ladder = &work->ladder;
    ladder->climbs = ladder->filled = ladder->stretches = 0;
    for (size_t row = 0; row < count; row++)
        begin_row(predictor, work, row);
    for (bool climbing = true; climbing;) {
        climbing = false;
        look_at_all(predictor, work, true);
        look_at_all(predictor, work, false);
        for (size_t i = 0; i < ladder->climbs; i++) {
            if (!ladder->climb[i].complete)
                decide(predictor, &ladder->climb[i]);
            climbing = climbing || !ladder->climb[i].complete;
        }
    }
    write_rows(predictor, work, count);
}
