/* SPDX-License-Identifier: Apache-2.0 */
#include "model/row_priors.h"

#include <string.h>

enum { MOST_KEPT = 1 << 22 }; /* numbers */

/* A row's part of each array. */
struct row_prior {
    double *value;
    size_t count;
};
enum { ARRAYS = 4 };

static void list_arrays(const struct row_priors *priors, size_t i, struct row_prior *array) {
    size_t d = priors->model->attributes, k = priors->gaussians;
    array[0] = (struct row_prior){priors->evidence + i, 1};
    array[1] = (struct row_prior){priors->share + i * k, k};
    array[2] = (struct row_prior){priors->centre + i * k * d, k * d};
    array[3] = (struct row_prior){priors->root + i * k * d * d, k * d * d};
}

static size_t kept_each(const struct row_priors *priors) {
    size_t d = priors->model->attributes;
    return 2 + priors->gaussians * (1 + d + d * d);
}

static void layout_workers(struct row_priors *priors, size_t workers, struct arena *arena) {
    size_t d = priors->model->attributes, k = priors->components;
    priors->conditioner = arena_bytes(arena, workers, sizeof *priors->conditioner);
    priors->apart = arena_bytes(arena, workers, sizeof *priors->apart);
    for (size_t w = 0; w < workers; w++) {
        conditioner_layout(ARENA_ELEMENT(priors->conditioner, w), &priors->model->population,
                           arena);
        double *apart = arena_doubles(arena, priors->merged ? k + k * d : 0);
        if (apart)
            priors->apart[w] = apart;
    }
}

void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool correlated,
                       bool merged, size_t rows, size_t kept, size_t workers, struct arena *arena) {
    size_t d = model->attributes;
    size_t components = correlated ? population_gaussians(&model->population) : 0;
    *priors = (struct row_priors){.model = model, .components = components};
    if (!components)
        return;
    priors->merged = merged;
    priors->gaussians = merged ? 1 : components;
    layout_workers(priors, workers, arena);
    priors->share = arena_doubles(arena, rows * priors->gaussians);
    priors->centre = arena_doubles(arena, rows * priors->gaussians * d);
    priors->root = arena_doubles(arena, rows * priors->gaussians * d * d);
    priors->evidence = arena_doubles(arena, rows);
    if (kept && kept <= MOST_KEPT / kept_each(priors))
        priors->kept = arena_doubles(arena, kept * kept_each(priors));
}

double row_prior(const struct nim_model *model, struct conditioner *conditioner,
                 const struct measurement *row, double *share, double *centre) {
    if (!model->population.components && !model->options.input->averages) {
        share[0] = 1.0;
        conditioner_measure(conditioner, row, centre);
        return 0.0;
    }
    return conditioner_take(conditioner, row, share, centre);
}

static void compute(struct row_priors *priors, const struct row_prior *array,
                    const struct measurement *row, size_t worker) {
    size_t d = priors->model->attributes, components = priors->components;
    struct conditioner *conditioner = &priors->conditioner[worker];
    double *share = priors->merged ? priors->apart[worker] : array[1].value;
    double *centre = priors->merged ? share + components : array[2].value;
    *array[0].value = row_prior(priors->model, conditioner, row, share, centre);
    if (priors->merged) {
        array[1].value[0] = 1.0;
        conditioner_merge(conditioner, share, centre, array[2].value, array[3].value);
    } else
        memcpy(array[3].value, conditioner->root, components * d * d * sizeof(double));
}

void row_priors_take(struct row_priors *priors, size_t i, size_t at, struct measurement row,
                     size_t worker) {
    struct row_prior array[ARRAYS];
    list_arrays(priors, i, array);
    const double *kept = priors->kept ? priors->kept + at * kept_each(priors) : NULL;
    if (!kept || *kept++ == 0.0) {
        compute(priors, array, &row, worker);
        return;
    }
    for (size_t a = 0; a < ARRAYS; kept += array[a++].count)
        memcpy(array[a].value, kept, array[a].count * sizeof *kept);
}

void row_priors_keep(const struct row_priors *priors, size_t rows, const size_t *at) {
    for (size_t i = 0; priors->kept && i < rows; i++) {
        double *kept = priors->kept + at[i] * kept_each(priors);
        struct row_prior array[ARRAYS];
        list_arrays(priors, i, array);
        if (*kept != 0.0)
            continue;
        *kept++ = 1.0;
        for (size_t a = 0; a < ARRAYS; kept += array[a++].count)
            memcpy(kept, array[a].value, array[a].count * sizeof *kept);
    }
}

struct input_prior row_priors_view(const struct row_priors *priors) {
    if (!priors->components)
        return (struct input_prior){0};
    return (struct input_prior){.components = priors->gaussians,
                                .share = priors->share,
                                .centre = priors->centre,
                                .root = priors->root,
                                .evidence = priors->evidence};
}
