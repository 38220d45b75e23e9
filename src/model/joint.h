/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_JOINT_H
#define NIMGP_MODEL_JOINT_H

/*
 * Mixtures of Gaussians over attributes and y, where y is a number: populations of
 * columns + 1 attributes, in standard units, without flags. Given a measurement x~ with noise V,
 * y is missing in it, and each mixture's p(y | x~) is a mixture of normal distributions,
 *
 *     shares   proportional to share_k N(x~; m_k, S_k + V),
 *     means    m_ky + S_kyx (S_kxx + V)^-1 (x~ - m_kx),
 *     variances S_kyy - S_kyx (S_kxx + V)^-1 S_kxy,
 *
 * exactly, for any noise, correlations and missing cells. The prediction is the mean of the
 * mixtures'. Derivation: docs/derivations/population.md.
 */

#include "nimgp.h"
#include "population/population.h"

struct nim_model;
struct model_reader;
struct model_writer;

enum { JOINT_MOST = 8 };

struct joint {
    size_t mixtures; /* 0: there are none */
    struct population mixture[JOINT_MOST];
};

void joint_free(struct joint *joint);

/* Whether a model's y can be predicted so. */
bool joint_serves(const struct nim_model *model);

/* Appends rows of a table, y with its error as the last attribute. */
bool joint_rows(const struct nim_model *model, const nim_data *data, struct population_rows *rows);

/* p(y | x~) of a row, in standard units, and memory to compute it. */
struct joint_work {
    struct conditioner conditioner[JOINT_MOST];
    struct population_rows one;      /* a row of the model's width */
    double *x, *noise, *shape;       /* its columns and y */
    double *part, *centre;           /* of one mixture */
    size_t count;                    /* of normal distributions */
    double *share, *mean, *variance; /* of each */
};

void joint_layout(struct joint_work *work, const struct nim_model *model, const struct joint *joint,
                  struct arena *arena);
void joint_look(const struct nim_model *model, const struct joint *joint, struct joint_work *work,
                const nim_data *data, size_t i);

/* log p(y) and P(Y <= y), y with this variance of its error. */
double joint_log_density(const struct joint_work *work, double y, double error);
double joint_cumulative(const struct joint_work *work, double y, double error);

/* Files. */
nim_status joint_save(struct model_writer *writer, const struct joint *joint, nim_error *error);
nim_status joint_load(const struct model_reader *reader, size_t columns, struct joint *joint);

#endif
