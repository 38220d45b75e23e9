/* SPDX-License-Identifier: Apache-2.0 */
#include "model/row_priors.h"

#include <string.h>

void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool correlated,
                       bool merged, size_t rows, size_t workers, struct arena *arena) {
    size_t d = model->attributes;
    size_t components = correlated ? population_gaussians(&model->population) : 0;
    *priors = (struct row_priors){.model = model, .components = components};
    if (!components)
        return;
    priors->conditioner = arena_bytes(arena, workers, sizeof *priors->conditioner);
    for (size_t w = 0; w < workers; w++)
        conditioner_layout(ARENA_ELEMENT(priors->conditioner, w), &model->population, arena);
    priors->share = arena_doubles(arena, rows * components);
    priors->centre = arena_doubles(arena, rows * components * d);
    priors->evidence = arena_doubles(arena, rows);
    if (merged) {
        priors->merged_centre = arena_doubles(arena, rows * d);
        priors->merged_root = arena_doubles(arena, rows * d * d);
    } else {
        priors->root = arena_doubles(arena, rows * components * d * d);
    }
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

void row_priors_take(struct row_priors *priors, size_t i, struct measurement row, size_t worker) {
    size_t d = priors->model->attributes, components = priors->components;
    struct conditioner *conditioner = &priors->conditioner[worker];
    double *share = priors->share + i * components, *centre = priors->centre + i * components * d;
    priors->evidence[i] = row_prior(priors->model, conditioner, &row, share, centre);
    if (priors->merged_root)
        conditioner_merge(conditioner, share, centre, priors->merged_centre + i * d,
                          priors->merged_root + i * d * d);
    else
        memcpy(priors->root + i * components * d * d, conditioner->root,
               components * d * d * sizeof(double));
}

struct input_prior row_priors_view(const struct row_priors *priors) {
    bool merged = priors->merged_root != NULL;
    if (!priors->components)
        return (struct input_prior){0};
    return (struct input_prior){.components = merged ? 1 : priors->components,
                                .share = priors->share,
                                .centre = merged ? priors->merged_centre : priors->centre,
                                .root = merged ? priors->merged_root : priors->root,
                                .evidence = priors->evidence};
}
