/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/class_weights.h"

#include "text/ascii.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void balance(const struct training_table *training, double *weight) {
    size_t classes = training->input.target.classes.name.count;
    for (size_t c = 0; c < classes; c++)
        weight[c] =
            (double)training->set.rows / ((double)classes * (double)training->class_rows[c]);
}

/* "a=2". A name may hold equals signs; a number does not. */
static bool read_pair(const struct training_table *training, const char *pair, double *weight,
                      struct complaint *complaint) {
    const struct name_list *name = &training->input.target.classes.name;
    const char *equals = strrchr(pair, '=');
    double value = 0.0;
    if (!equals || !number_parse(equals + 1, &value) || !(value >= 0.0) || isinf(value))
        return complain(complaint, BAD_USAGE,
                        "--class-weight: '%s' is not CLASS=X with a number X that is not negative",
                        pair);
    for (size_t c = 0; c < name->count; c++)
        if (strlen(name->item[c]) == (size_t)(equals - pair) &&
            strncmp(name->item[c], pair, (size_t)(equals - pair)) == 0) {
            weight[c] = value;
            return true;
        }
    char known[256];
    name_list_show(name, 8, known, sizeof known);
    return complain(complaint, BAD_INPUT,
                    "--class-weight: '%s': %s has no such class; the classes are %s", pair,
                    table_path(training->input.table), known);
}

bool class_weights_apply(struct training_table *training, const char *wish,
                         struct complaint *complaint) {
    size_t classes = training->input.target.classes.name.count;
    struct name_list pairs = {0};
    if (!wish)
        return true;
    if (!training->set.targets.classed)
        return complain(complaint, BAD_USAGE, "fit: --class-weight is for classes and levels");
    double *weight = malloc((classes + 1) * sizeof *weight);
    bool balanced = ascii_same(wish, "balanced");
    bool fine = weight || complain_of_memory(complaint);
    for (size_t c = 0; fine && c < classes; c++)
        weight[c] = 1.0;
    if (fine && balanced)
        balance(training, weight);
    else if (fine)
        fine = name_list_split(&pairs, wish, "--class-weight", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++)
        fine = read_pair(training, pairs.item[i], weight, complaint);
    if (fine && !training_set_weigh(&training->set, weight))
        fine = complain_of_memory(complaint);
    name_list_free(&pairs);
    free(weight);
    return fine;
}
