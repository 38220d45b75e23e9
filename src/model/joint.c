/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of a number from mixtures over attributes and y. */
#include "model/joint.h"

#include "math/special.h"
#include "math/vector.h"
#include "model/model_file.h"
#include "model/shapes.h"
#include "model/targets.h"
#include "rows/shape_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836
#define NOTHING 1e-10 /* a share that is left out */

void joint_free(struct joint *joint) {
    for (size_t m = 0; m < joint->mixtures; m++)
        population_free(&joint->mixture[m]);
    *joint = (struct joint){0};
}

bool joint_serves(const struct nim_model *model) {
    return model->options.likelihood->target == TARGET_NUMBER &&
           model->columns < POPULATION_MOST_ATTRIBUTES;
}

bool joint_rows(const struct nim_model *model, const nim_data *data, struct population_rows *rows) {
    size_t d = model->columns + 1;
    bool shaped = data_has_shapes(data);
    struct population_rows one;
    bool good = population_rows_create(rows, d, shaped, data->rows) &&
                population_rows_create(&one, model->attributes, shaped, 1);
    if (!good)
        return false;
    for (size_t i = 0; i < data->rows; i++) {
        double target[2];
        targets_take(model, data, 1, &i, target);
        measurement_of_columns(model, data, i, 1, &one, rows->x + i * d, rows->noise + i * d,
                               shaped ? rows->shape + i * shape_size(d) : NULL);
        rows->x[i * d + d - 1] = target[0];
        rows->noise[i * d + d - 1] = target[1];
        rows->weight[i] = data->weights ? data->weights[i] : 1.0;
    }
    rows->rows = data->rows;
    population_rows_free(&one);
    return true;
}

void joint_layout(struct joint_work *work, const struct nim_model *model, const struct joint *joint,
                  struct arena *arena) {
    size_t d = model->columns + 1, most = 0, all = 0;
    for (size_t m = 0; m < joint->mixtures; m++) {
        size_t components = joint->mixture[m].components;
        conditioner_layout(&work->conditioner[m], &joint->mixture[m], arena);
        most = components > most ? components : most;
        all += components;
    }
    work->one.x = arena_doubles(arena, model->attributes);
    work->one.noise = arena_doubles(arena, model->attributes);
    work->one.shape = arena_doubles(arena, shape_size(model->attributes));
    work->x = arena_doubles(arena, d);
    work->noise = arena_doubles(arena, d);
    work->shape = arena_doubles(arena, shape_size(d));
    work->part = arena_doubles(arena, most);
    work->centre = arena_doubles(arena, most * d);
    work->share = arena_doubles(arena, all);
    work->mean = arena_doubles(arena, all);
    work->variance = arena_doubles(arena, all);
}

void joint_look(const struct nim_model *model, const struct joint *joint, struct joint_work *work,
                const nim_data *data, size_t i) {
    size_t d = model->columns + 1;
    double *shape = data_has_shapes(data) ? work->shape : NULL, total = 0.0;
    struct measurement row = {work->x, work->noise, shape};
    measurement_of_columns(model, data, i, 1, &work->one, work->x, work->noise, shape);
    work->count = 0;
    for (size_t m = 0; m < joint->mixtures; m++) {
        struct conditioner *conditioner = &work->conditioner[m];
        conditioner_take(conditioner, &row, work->part, work->centre);
        for (size_t k = 0; k < joint->mixture[m].components; k++) {
            const double *root = conditioner->root + (k * d + d - 1) * d;
            if (work->part[k] < NOTHING)
                continue;
            total += work->share[work->count] = work->part[k];
            work->mean[work->count] = work->centre[k * d + d - 1];
            work->variance[work->count++] = dot(d, root, root);
        }
    }
    scale(work->count, 1.0 / total, work->share);
}

double joint_log_density(const struct joint_work *work, double y, double error) {
    double largest = -INFINITY, total = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < work->count; k++) {
            double variance = work->variance[k] + error, distance = y - work->mean[k];
            double value = log(work->share[k]) -
                           0.5 * (LOG_TWO_PI + log(variance) + distance * distance / variance);
            if (pass == 0)
                largest = fmax(largest, value);
            else if (largest > -INFINITY)
                total += exp(value - largest);
        }
    return largest + log(total);
}

double joint_cumulative(const struct joint_work *work, double y, double error) {
    double total = 0.0;
    for (size_t k = 0; k < work->count; k++)
        total += work->share[k] * normal_cdf((y - work->mean[k]) / sqrt(work->variance[k] + error));
    return total;
}

/* ---------------------------------------------------------------- files ----------------------- */

enum { ARRAYS = 3 };

static void arrays_of(size_t m, size_t components, size_t d, const struct population *mixture,
                      char name[ARRAYS][ARRAY_NAME], struct array array[ARRAYS]) {
    static const char *const part[ARRAYS] = {"share", "mean", "factor"};
    for (size_t k = 0; k < ARRAYS; k++)
        snprintf(name[k], ARRAY_NAME, "joint%zu.%s", m + 1, part[k]);
    array[0] = ARRAY(name[0], SHAPE(1, components), DBL_TRUE_MIN, 1.0, .values = mixture->share);
    array[1] = ARRAY(name[1], SHAPE(2, components, d), -DBL_MAX, DBL_MAX, .values = mixture->mean);
    array[2] =
        ARRAY(name[2], SHAPE(3, components, d, d), -DBL_MAX, DBL_MAX, .values = mixture->root);
}

nim_status joint_save(struct model_writer *writer, const struct joint *joint, nim_error *error) {
    char text[4 * JOINT_MOST + 1] = "", name[ARRAYS][ARRAY_NAME];
    struct array array[ARRAYS];
    for (size_t m = 0, used = 0; m < joint->mixtures; m++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", m ? " " : "",
                                 joint->mixture[m].components);
    bool good = !joint->mixtures || model_writer_text(writer, "", "joint", text);
    for (size_t m = 0; good && m < joint->mixtures; m++) {
        const struct population *mixture = &joint->mixture[m];
        arrays_of(m, mixture->components, mixture->attributes, mixture, name, array);
        for (size_t k = 0; good && k < ARRAYS; k++)
            good = model_writer_array(writer, "", &array[k], false);
    }
    return good ? NIM_OK
                : failure(error, NIM_OUT_OF_MEMORY, "%s: no memory to save a panel", writer->name);
}

static nim_status load_mixture(const struct model_reader *reader, size_t m, size_t components,
                               size_t d, struct population *mixture) {
    const struct population none = {0};
    char name[ARRAYS][ARRAY_NAME];
    struct array array[ARRAYS];
    const double *values[ARRAYS];
    nim_status status = NIM_OK;
    arrays_of(m, components, d, &none, name, array);
    for (size_t k = 0; status == NIM_OK && k < ARRAYS; k++)
        status = model_reader_array(reader, &array[k], &values[k]);
    if (status != NIM_OK)
        return status;
    if (!population_allocate(mixture, d, components))
        return failure(reader->error, NIM_OUT_OF_MEMORY, "%s: no memory for a panel", reader->name);
    arrays_of(m, components, d, mixture, name, array);
    for (size_t k = 0; k < ARRAYS; k++)
        array_write(&array[k], values[k]);
    mixture->learned = true;
    return NIM_OK;
}

nim_status joint_load(const struct model_reader *reader, size_t columns, struct joint *joint) {
    const char *text = model_reader_text(reader, "joint");
    nim_status status = NIM_OK;
    while (status == NIM_OK && text && *text) {
        size_t components = 0;
        for (; *text >= '0' && *text <= '9' && components <= POPULATION_MOST_JOINT; text++)
            components = 10 * components + (size_t)(*text - '0');
        bool ends = *text == '\0' || (*text == ' ' && text[1]);
        if (!ends || !components || components > POPULATION_MOST_JOINT ||
            joint->mixtures == JOINT_MOST)
            return model_reader_refuse(reader, "has a damaged", "joint");
        text += *text == ' ';
        status = load_mixture(reader, joint->mixtures, components, columns + 1,
                              &joint->mixture[joint->mixtures]);
        joint->mixtures += status == NIM_OK;
    }
    return status;
}
