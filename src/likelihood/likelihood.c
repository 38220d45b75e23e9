/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/likelihood.h"

#include <string.h>

const struct likelihood *const likelihood_list[] = {
#define ADDRESS(name) &likelihood_##name,
    LIKELIHOOD_LIST(ADDRESS)
#undef ADDRESS
        NULL,
};

const char *nim_target_name(nim_target target) {
    switch (target) {
#define TARGET_CASE(name, text)                                                                    \
    case NIM_TARGET_##name:                                                                        \
        return text;
        NIM_TARGET_LIST(TARGET_CASE)
#undef TARGET_CASE
    case NIM_TARGET_NONE:
        break;
    }
    return NULL;
}

nim_target nim_likelihood_target(const char *likelihood) {
    for (size_t i = 0; likelihood && likelihood_list[i]; i++)
        if (strcmp(likelihood_list[i]->name, likelihood) == 0)
            return (nim_target)likelihood_list[i]->target;
    return NIM_TARGET_NONE;
}

size_t likelihood_functions(const struct likelihood *likelihood, size_t classes, size_t wanted) {
    return likelihood->functions ? likelihood->functions(classes, wanted)
                                 : (likelihood->each_class ? classes : 1);
}

size_t likelihood_parameters(const struct likelihood *likelihood,
                             const struct likelihood_setting *setting) {
    return likelihood->parameters ? likelihood->parameters(setting) : likelihood->parameter_count;
}

size_t likelihood_scratch(const struct likelihood *likelihood,
                          const struct likelihood_setting *setting) {
    return likelihood->scratch ? likelihood->scratch(setting) : likelihood->scratch_count;
}

size_t likelihood_target_width(const struct likelihood *likelihood, size_t classes) {
    switch (likelihood->target) {
    case TARGET_LABELS:
        return classes;
    case TARGET_NUMBER:
    case TARGET_COUNT:
        return 2;
    default:
        return 1;
    }
}
