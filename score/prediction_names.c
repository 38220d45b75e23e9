/* SPDX-License-Identifier: Apache-2.0 */
#include "score/prediction_names.h"

#include "score/predictions.h"

#include <stdio.h>
#include <string.h>

void predicted_name(const nim_model *model, const double *p, char *text) {
    if (predicts_of(nim_model_target(model)) == PREDICTS_LABELS) {
        class_set_name(model, p, 0.5, text);
        return;
    }
    const char *name = nim_model_class_name(model, most_probable(nim_model_classes(model), p));
    memcpy(text, name, strlen(name) + 1);
}

const char *function_name(const nim_model *model, size_t function, char text[FUNCTION_NAME]) {
    size_t functions = nim_model_functions(model);
    if (predicts_of(nim_model_target(model)) == PREDICTS_CLASS &&
        functions == nim_model_classes(model))
        return nim_model_class_name(model, function);
    if (functions == 1)
        return "f";
    snprintf(text, FUNCTION_NAME, "f%zu", function + 1);
    return text;
}

size_t class_set_size(const nim_model *model) {
    size_t size = 1;
    for (size_t c = 0; c < nim_model_classes(model); c++)
        size += strlen(nim_model_class_name(model, c)) + 1;
    return size;
}

void class_set_name(const nim_model *model, const double *plausibility, double least, char *text) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < nim_model_classes(model); c++)
        if (plausibility[c] > least)
            used += (size_t)sprintf(text + used, "%s%s", used ? "|" : "",
                                    nim_model_class_name(model, c));
}
