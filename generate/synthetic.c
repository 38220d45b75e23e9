/* SPDX-License-Identifier: Apache-2.0 */
#include "synthetic.h"

#include "latent.h"
#include "random.h"
#include "truncated.h"

#include <stdlib.h>
#include <string.h>

/* Points of the grid along each attribute. In one dimension they are blocks of a few, because
 * latent_cross_labels wants sums. */
enum { GRID = 400, LINE_BLOCKS = 200, LINE_FINE = 20, LINE = LINE_BLOCKS * LINE_FINE };

enum { DRAWS = 512, TRIES = 200 };

struct run {
    int32_t label;
    uint32_t end; /* one past its last point */
};

/* Labels of the grid: on every line along the last attribute a few runs of equal ones. */
struct grid {
    size_t lines, points; /* a line has that many points */
    struct run *run;
    size_t *first; /* lines + 1: where a line's runs begin */
};

struct synthetic {
    struct synthetic_settings settings;
    struct latent latent;
    double *point; /* dims: room for one true input */
    uint64_t state;
    uint64_t bayes_state; /* of the draws of true inputs: rows do not move for them */
    struct grid grid;     /* made when first asked for */
};

struct synthetic_settings synthetic_paper(uint64_t seed) {
    return (struct synthetic_settings){.seed = seed,
                                       .dims = 2,
                                       .classes = 3,
                                       .noise = 0.25,
                                       .half_width = 2.5,
                                       .lambda_square = 2.0};
}

struct synthetic_settings synthetic_toy(uint64_t seed) {
    return (struct synthetic_settings){.seed = seed,
                                       .dims = 1,
                                       .classes = 3,
                                       .noise = 0.1,
                                       .half_width = 3.0,
                                       .lambda_square = 1.0,
                                       .every_class = true};
}

/* ---------------------------------------------------------------- drawing --------------------- */

/* Whether each class has 15 % of its fair share of the line. */
static bool every_class_occurs(const struct synthetic *synthetic) {
    enum { LOOKS = 256 };
    const struct synthetic_settings *settings = &synthetic->settings;
    double x[LOOKS];
    int32_t label[LOOKS];
    for (size_t i = 0; i < LOOKS; i++)
        x[i] = settings->half_width * (2.0 * ((double)i + 0.5) / LOOKS - 1.0);
    latent_labels(&synthetic->latent, LOOKS, x, label);
    for (size_t c = 0; c < settings->classes; c++) {
        size_t count = 0;
        for (size_t i = 0; i < LOOKS; i++)
            count += label[i] == (int32_t)c;
        if ((double)(count * settings->classes) < 0.15 * LOOKS)
            return false;
    }
    return true;
}

struct synthetic *synthetic_create(const struct synthetic_settings *settings) {
    struct synthetic *synthetic = calloc(1, sizeof *synthetic);
    if (!synthetic)
        return NULL;
    synthetic->settings = *settings;
    synthetic->point = calloc(settings->dims, sizeof *synthetic->point);
    synthetic->state = settings->seed * 0x632be59bd9b4e019u + 1;
    synthetic->bayes_state = settings->seed * 0x9fb21c651e98df25u + 2;
    bool again = settings->every_class && settings->dims == 1;
    for (size_t i = 0; i == 0 || (again && i < TRIES); i++) {
        latent_free(&synthetic->latent);
        if (!synthetic->point || !latent_draw(&synthetic->latent, settings->dims, settings->classes,
                                              settings->lambda_square, &synthetic->state)) {
            synthetic_free(synthetic);
            return NULL;
        }
        again = again && !every_class_occurs(synthetic);
    }
    return synthetic;
}

void synthetic_free(struct synthetic *synthetic) {
    if (!synthetic)
        return;
    latent_free(&synthetic->latent);
    free(synthetic->point);
    free(synthetic->grid.run);
    free(synthetic->grid.first);
    free(synthetic);
}

void synthetic_draw(struct synthetic *synthetic, size_t rows, double *clean, double *x,
                    int32_t *labels) {
    const struct synthetic_settings *settings = &synthetic->settings;
    const size_t dims = settings->dims;
    for (size_t i = 0; i < rows; i++) {
        double *point = clean ? clean + i * dims : synthetic->point;
        for (size_t j = 0; j < dims; j++) {
            point[j] = settings->half_width * (2.0 * next_uniform(&synthetic->state) - 1.0);
            x[i * dims + j] = point[j] + sqrt(settings->noise) * next_normal(&synthetic->state);
        }
        labels[i] = latent_label(&synthetic->latent, point);
    }
}

/* ---------------------------------------------------------------- the grid -------------------- */

static double grid_point(size_t i, size_t points, double half_width) {
    return half_width * (2.0 * ((double)i + 0.5) / (double)points - 1.0);
}

/* One attribute: points of the line as the start of a block plus a place in it. */
static bool label_line(const struct synthetic *synthetic, int32_t *label) {
    double block[LINE_BLOCKS], fine[LINE_FINE], half_width = synthetic->settings.half_width;
    for (size_t i = 0; i < LINE_BLOCKS; i++)
        block[i] = grid_point(i * LINE_FINE, LINE, half_width);
    for (size_t i = 0; i < LINE_FINE; i++)
        fine[i] = 2.0 * half_width * (double)i / LINE;
    return latent_cross_labels(&synthetic->latent, LINE_BLOCKS, block, LINE_FINE, fine, label);
}

/* Two attributes: (x1, 0) + (0, x2). */
static bool label_square(const struct synthetic *synthetic, int32_t *label) {
    double a[2 * GRID] = {0}, b[2 * GRID] = {0};
    for (size_t i = 0; i < GRID; i++)
        a[2 * i] = b[2 * i + 1] = grid_point(i, GRID, synthetic->settings.half_width);
    return latent_cross_labels(&synthetic->latent, GRID, a, GRID, b, label);
}

static size_t find_runs(const struct grid *grid, const int32_t *label) {
    size_t count = 0;
    for (size_t line = 0; line < grid->lines; line++, label += grid->points) {
        grid->first[line] = count;
        for (size_t i = 0; i < grid->points; i++) {
            if (i == 0 || label[i] != label[i - 1])
                grid->run[count++].label = label[i];
            grid->run[count - 1].end = (uint32_t)(i + 1);
        }
    }
    grid->first[grid->lines] = count;
    return count;
}

static bool make_grid(struct synthetic *synthetic) {
    struct grid *grid = &synthetic->grid;
    if (grid->run)
        return true;
    bool line = synthetic->settings.dims == 1;
    grid->lines = line ? 1 : GRID;
    grid->points = line ? LINE : GRID;
    size_t cells = grid->lines * grid->points;
    int32_t *label = malloc(cells * sizeof *label);
    grid->run = malloc(cells * sizeof *grid->run);
    grid->first = malloc((grid->lines + 1) * sizeof *grid->first);
    bool good = label && grid->run && grid->first &&
                (line ? label_line(synthetic, label) : label_square(synthetic, label));
    if (good) {
        size_t runs = find_runs(grid, label);
        struct run *fewer = realloc(grid->run, runs * sizeof *fewer);
        grid->run = fewer ? fewer : grid->run;
    } else {
        free(grid->run);
        free(grid->first);
        *grid = (struct grid){0};
    }
    free(label);
    return good;
}

/* weight[i] = N(point i; x, V) up to a factor that makes the largest 1. */
static void weigh_points(const struct synthetic_settings *settings, size_t points, double x,
                         double *weight) {
    double step = 2.0 * settings->half_width / (double)points;
    double past = fmax(0.0, fabs(x) - settings->half_width + 0.5 * step), least = past * past;
    for (size_t i = 0; i < points; i++) {
        double distance = grid_point(i, points, settings->half_width) - x;
        weight[i] = exp(-0.5 * (distance * distance - least) / settings->noise);
    }
}

/* A line's runs count with what their points weigh together: differences of a running sum. */
static void weigh_grid(const struct synthetic *synthetic, const double *x, double *p) {
    const struct grid *grid = &synthetic->grid;
    double line_weight[GRID] = {1.0}, sum[LINE + 1] = {0.0}, total = 0.0;
    const size_t dims = synthetic->settings.dims, classes = synthetic->settings.classes;
    if (dims == 2)
        weigh_points(&synthetic->settings, GRID, x[0], line_weight);
    weigh_points(&synthetic->settings, grid->points, x[dims - 1], sum + 1);
    for (size_t i = 0; i < grid->points; i++)
        sum[i + 1] += sum[i];
    memset(p, 0, classes * sizeof *p);
    for (size_t line = 0; line < grid->lines; line++) {
        size_t start = 0;
        for (size_t r = grid->first[line]; r < grid->first[line + 1]; r++) {
            double weight = line_weight[line] * (sum[grid->run[r].end] - sum[start]);
            p[grid->run[r].label] += weight;
            total += weight;
            start = grid->run[r].end;
        }
    }
    for (size_t c = 0; c < classes; c++)
        p[c] /= total;
}

/* ---------------------------------------------------------------- draws ----------------------- */

/*
 * Draws of the true input given the noisy one: inside the box the attributes are independent. A
 * Latin hypercube: every attribute's draws lie one in each of DRAWS slices of equal probability.
 */
static void draw_inputs(const struct synthetic_settings *settings, const double *x, uint64_t *state,
                        double *drawn) {
    double deviation = sqrt(settings->noise), half_width = settings->half_width;
    for (size_t j = 0; j < settings->dims; j++, drawn += DRAWS) {
        for (size_t s = 0; s < DRAWS; s++) {
            double u = ((double)s + next_uniform(state)) / DRAWS;
            drawn[s] = truncated_quantile(u, x[j], deviation, -half_width, half_width);
        }
        for (size_t s = DRAWS - 1; s > 0; s--) {
            size_t other = next_bits(state) % (s + 1);
            double kept = drawn[s];
            drawn[s] = drawn[other];
            drawn[other] = kept;
        }
    }
}

static bool count_draws(struct synthetic *synthetic, size_t rows, const double *x, double *p) {
    const struct synthetic_settings *settings = &synthetic->settings;
    const size_t dims = settings->dims, classes = settings->classes;
    double *drawn = malloc(dims * DRAWS * sizeof *drawn);
    if (!drawn)
        return false;
    for (size_t i = 0; i < rows; i++) {
        int32_t label[DRAWS];
        draw_inputs(settings, x + i * dims, &synthetic->bayes_state, drawn);
        latent_labels(&synthetic->latent, DRAWS, drawn, label);
        for (size_t c = 0; c < classes; c++) {
            size_t count = 0;
            for (size_t s = 0; s < DRAWS; s++)
                count += label[s] == (int32_t)c;
            p[i * classes + c] = ((double)count + 0.5) / (DRAWS + 0.5 * (double)classes);
        }
    }
    free(drawn);
    return true;
}

/* ---------------------------------------------------------------- the optimum ----------------- */

static void label_rows(const struct synthetic *synthetic, size_t rows, const double *x, double *p) {
    const size_t dims = synthetic->settings.dims, classes = synthetic->settings.classes;
    memset(p, 0, rows * classes * sizeof *p);
    for (size_t i = 0; i < rows; i++)
        p[i * classes + (size_t)latent_label(&synthetic->latent, x + i * dims)] = 1.0;
}

size_t synthetic_draws(const struct synthetic *synthetic) {
    const struct synthetic_settings *settings = &synthetic->settings;
    double cell = 2.0 * settings->half_width / (settings->dims == 1 ? LINE : GRID);
    bool grid = settings->dims <= 2 && sqrt(settings->noise) >= 3.0 * cell;
    return grid || settings->noise == 0.0 ? 0 : DRAWS;
}

bool synthetic_bayes(struct synthetic *synthetic, size_t rows, const double *x, double *p) {
    const struct synthetic_settings *settings = &synthetic->settings;
    if (settings->noise == 0.0) {
        label_rows(synthetic, rows, x, p);
        return true;
    }
    if (synthetic_draws(synthetic))
        return count_draws(synthetic, rows, x, p);
    if (!make_grid(synthetic))
        return false;
    for (size_t i = 0; i < rows; i++)
        weigh_grid(synthetic, x + i * settings->dims, p + i * settings->classes);
    return true;
}
