/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <string.h>

/* How one of the structures is called and made: its bytes here, and the fewest it ever had. */
struct form {
    const char *name, *macro, *absent; /* absent: what is said of NULL */
    size_t size, least;
};

/* `given` starts with its size. */
static nim_status take(void *ours, const void *given, const struct form *form, nim_error *error) {
    size_t size;
    if (!given)
        return failure(error, NIM_INVALID_ARGUMENT, "%s", form->absent);
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

#define TAKE(type, macro, absent, least)                                                           \
    nim_status take_##type(nim_##type *ours, const nim_##type *given, nim_error *error) {          \
        static const struct form form = {"nim_" #type, macro, absent, sizeof *ours, least};        \
        return take(ours, given, &form, error);                                                    \
    }
#define END_OF(type, member) offsetof(type, member) + sizeof((type){0}.member)

TAKE(data, "NIM_DATA", "no data given", offsetof(nim_data, sigma))
TAKE(prediction, "NIM_PREDICTION", "prediction is NULL", offsetof(nim_prediction, entropy))
TAKE(collectives, "NIM_COLLECTIVES", "collectives is NULL", END_OF(nim_collectives, context))
TAKE(storage, "NIM_STORAGE", "storage is NULL", END_OF(nim_storage, context))
