/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of predictions and of latent functions. */

#include "nimgp.h"

/*
 * The prediction for a row with these probabilities: the most probable class, the first of equals;
 * for labels, those with a probability above 1/2 as "a|b", empty if there are none.
 */
void predicted_name(const nim_model *model, const double *p, char *text);

/* The classes with a plausibility above `least`, as "a|b", empty if there are none; and the bytes
 * of the longest such set or prediction, with its terminator. */
size_t class_set_size(const nim_model *model);
void class_set_name(const nim_model *model, const double *plausibility, double least, char *text);

/* The name of a latent function: its class, if each class has one; otherwise "f", or "f1", ...
 */
enum { FUNCTION_NAME = 24 };
const char *function_name(const nim_model *model, size_t function, char text[FUNCTION_NAME]);
