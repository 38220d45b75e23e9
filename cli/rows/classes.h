/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_CLASSES_H
#define CLI_ROWS_CLASSES_H

/* Names of classes, and the class of a label. */

#include "text/complaint.h"
#include "text/name_list.h"
#include "table/table.h"

#include <stdint.h>

enum { MOST_CLASSES = 10000, NO_CLASS = -1 };

struct classes {
    struct name_list name;
    size_t *sorted;          /* name.count: numbers of the names, in the order of their bytes */
    bool fold;               /* ignores case */
    bool closed;             /* labels of other names belong to no class */
    struct name_list member; /* further labels of classes, and of which */
    int32_t *of;
};

/* Classes of the given names in their order, closed. */
bool classes_fix(struct classes *classes, const struct name_list *names,
                 struct complaint *complaint);

/* Of a wish such as "planet=KP|CP": makes the labels behind the sign members of the class before
 * it. One that is a class or a member already is refused. */
bool classes_merge(struct classes *classes, const char *wish, struct complaint *complaint);

/* The class of a label; a new label becomes a new class or, if closed, NO_CLASS. False only if
 * there are too many classes or when out of memory. */
bool classes_of(struct classes *classes, struct span label, int32_t *class,
                struct complaint *complaint);

/* Sorts the names, numbers by value, otherwise by bytes, and renumbers the labels. */
bool classes_order(struct classes *classes, size_t rows, int32_t *label,
                   struct complaint *complaint);

void classes_free(struct classes *classes);

#endif
