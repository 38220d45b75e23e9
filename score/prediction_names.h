/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_PREDICTION_NAMES_H
#define SCORE_PREDICTION_NAMES_H

/* Names of what a model predicts and of what it is made of. */

#include "nimgp.h"

/* Bytes for the longest prediction there can be, with its terminator. */
size_t predicted_size(const nim_model *model);

/*
 * What is predicted of a row with these probabilities: the most probable class, the first of
 * equals; of labels, those more probable than not, as "a|b", empty where there is none.
 */
void predicted_name(const nim_model *model, const double *p, char *text);

/* The classes that are more plausible than `least`, as "a|b", empty where there is none; and bytes
 * for the longest such set, with its terminator. */
size_t class_set_size(const nim_model *model);
void class_set_name(const nim_model *model, const double *plausibility, double least, char *text);

/* Of a latent function: the class it stands for, where each class has one; else "f", or "f1", ...
 */
enum { FUNCTION_NAME = 24 };
const char *function_name(const nim_model *model, size_t function, char text[FUNCTION_NAME]);

#endif
