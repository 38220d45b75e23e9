/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution p(x | x~) of the true inputs of a row, and points drawn from it. */
#include "predict/predictor.h"

#include "math/special.h"
#include "model/row_priors.h"

/* p(x | x~) = N(c, T) attribute by attribute: see input/noise_posterior.h. */
static void locate_apart(const struct nim_predictor *predictor, struct prediction_work *work,
                         const double *x, const double *noise) {
    const struct population *population = &predictor->model->population;
    for (size_t j = 0; j < predictor->model->attributes; j++) {
        double prior = population->variance[j], share = prior / (prior + noise[j]);
        double mean = population->mean[j];
        work->centre[j] = mean + share * (x[j] - mean);
        work->width[j] = sqrt(share * noise[j]);
    }
}

void predictor_locate(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t k) {
    size_t d = predictor->model->attributes;
    struct measurement row = measurement_at(d, work->row_x, work->row_noise,
                                            predictor->shaped ? work->row_shape : NULL, k);
    if (predictor->correlated)
        row_prior(predictor->model, &work->conditioner, &row, work->share, work->centre);
    else
        locate_apart(predictor, work, row.x, row.noise);
}

/* The component whose interval of the cumulative shares contains the point's last coordinate. */
static size_t component_of(const struct nim_predictor *predictor,
                           const struct prediction_work *work, const double *normal) {
    size_t components = predictor->model->population.components, k = 0;
    double u = components > 1 ? normal_cdf(normal[predictor->model->attributes]) : 0.0;
    while (k + 1 < components && (u -= work->share[k]) > 0.0)
        k++;
    return k;
}

void predictor_spread(const struct nim_predictor *predictor, struct prediction_work *work,
                      const double *normal, size_t count) {
    size_t d = predictor->model->attributes, stride = predictor->coordinates;
    for (size_t p = 0; p < count; p++, normal += stride) {
        double *x = work->x + p * d;
        if (predictor->correlated) {
            size_t k = component_of(predictor, work, normal);
            population_point(d, work->centre + k * d, work->conditioner.root + k * d * d, normal,
                             x);
        } else {
            for (size_t j = 0; j < d; j++)
                x[j] = work->centre[j] + work->width[j] * normal[j];
        }
    }
}
