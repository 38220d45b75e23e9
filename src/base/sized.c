/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <string.h>

/* How one of the structures is called and made: its bytes here, and the fewest it ever had. */
struct form {
    const char *name, *macro;
    size_t size, least;
};

/* `given` is not NULL and starts with its size. */
static nim_status take(void *ours, const void *given, const struct form *form, nim_error *error) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < form->least)
        return failure(error, NIM_INVALID_ARGUMENT, "%s.size is %zu: fill it in with %s(...)",
                       form->name, size, form->macro);
    size_t known = size < form->size ? size : form->size;
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i])
            return failure(error, NIM_INVALID_ARGUMENT,
                           "%s has members that nimgp %s does not know: the program was compiled "
                           "for a newer version",
                           form->name, NIM_VERSION);
    memset(ours, 0, form->size);
    memcpy(ours, given, known);
    memcpy(ours, &form->size, sizeof form->size);
    return NIM_OK;
}

nim_status take_data(nim_data *ours, const nim_data *given, nim_error *error) {
    static const struct form form = {"nim_data", "NIM_DATA", sizeof *ours,
                                     offsetof(nim_data, sigma)};
    if (!given)
        return failure(error, NIM_INVALID_ARGUMENT, "no data given");
    return take(ours, given, &form, error);
}

nim_status take_prediction(nim_prediction *ours, const nim_prediction *given, nim_error *error) {
    static const struct form form = {"nim_prediction", "NIM_PREDICTION", sizeof *ours,
                                     offsetof(nim_prediction, entropy)};
    if (!given)
        return failure(error, NIM_INVALID_ARGUMENT, "prediction is NULL");
    return take(ours, given, &form, error);
}

nim_status take_collectives(nim_collectives *ours, const nim_collectives *given, nim_error *error) {
    static const struct form form = {"nim_collectives", "NIM_COLLECTIVES", sizeof *ours,
                                     offsetof(nim_collectives, context) + sizeof(void *)};
    return take(ours, given, &form, error);
}

nim_status take_storage(nim_storage *ours, const nim_storage *given, nim_error *error) {
    static const struct form form = {"nim_storage", "NIM_STORAGE", sizeof *ours,
                                     offsetof(nim_storage, context) + sizeof(void *)};
    return take(ours, given, &form, error);
}
