/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/classes.h"

#include "text/ascii.h"
#include "text/number.h"

#include <stdlib.h>
#include <string.h>

/* As by strcmp, one of the two not terminated; in lower case when `fold`. */
static int compare(struct span label, const char *name, bool fold) {
    for (size_t i = 0; i < label.length; i++) {
        char a = label.text[i], b = name[i];
        if (fold) {
            a = ascii_lower(a);
            b = ascii_lower(b);
        }
        if (a != b || !b)
            return (unsigned char)a < (unsigned char)b ? -1 : 1;
    }
    return name[label.length] ? -1 : 0;
}

/* The position of the label in `sorted`, or where it would be inserted. */
static size_t find(const struct classes *classes, struct span label, bool *found) {
    size_t low = 0, high = classes->name.count;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = compare(label, classes->name.item[classes->sorted[middle]], classes->fold);
        *found = order == 0;
        if (order == 0)
            low = middle;
        else if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool add(struct classes *classes, struct span label, size_t place,
                struct complaint *complaint) {
    size_t count = classes->name.count;
    if (count == MOST_CLASSES)
        return complain(complaint, BAD_INPUT, "more than %d different labels", MOST_CLASSES);
    size_t *sorted = realloc(classes->sorted, (count + 1) * sizeof *sorted);
    if (!sorted)
        return complain_of_memory(complaint);
    classes->sorted = sorted;
    if (!name_list_add(&classes->name, label.text, label.length, complaint))
        return false;
    memmove(sorted + place + 1, sorted + place, (count - place) * sizeof *sorted);
    sorted[place] = count;
    return true;
}

bool classes_fix(struct classes *classes, const struct name_list *names,
                 struct complaint *complaint) {
    for (size_t i = 0; i < names->count; i++) {
        struct span name = {names->item[i], strlen(names->item[i])};
        bool found;
        size_t place = find(classes, name, &found);
        if (found)
            return complain(complaint, BAD_USAGE, "class '%s' is given twice", names->item[i]);
        if (!add(classes, name, place, complaint))
            return false;
    }
    classes->closed = true;
    return true;
}

/* The class that a label was made a member of, or NO_CLASS. */
static int32_t class_of_member(const struct classes *classes, struct span label) {
    for (size_t i = 0; i < classes->member.count; i++)
        if (compare(label, classes->member.item[i], classes->fold) == 0)
            return classes->of[i];
    return NO_CLASS;
}

static bool add_member(struct classes *classes, struct span label, int32_t class,
                       struct complaint *complaint) {
    bool found;
    size_t place = find(classes, label, &found);
    if ((found && classes->sorted[place] != (size_t) class) ||
        class_of_member(classes, label) != NO_CLASS)
        return complain(complaint, BAD_USAGE, "--classes: '%.*s' is given twice", (int)label.length,
                        label.text);
    int32_t *of = realloc(classes->of, (classes->member.count + 1) * sizeof *of);
    if (!of)
        return complain_of_memory(complaint);
    classes->of = of;
    of[classes->member.count] = class;
    return name_list_add(&classes->member, label.text, label.length, complaint);
}

bool classes_merge(struct classes *classes, const char *wish, struct complaint *complaint) {
    const char *sign = strchr(wish, '=');
    bool found, fine = true;
    size_t place = find(classes, (struct span){wish, (size_t)(sign - wish)}, &found);
    for (const char *next = sign; found && fine && *next;) {
        const char *label = next + 1;
        next = label + strcspn(label, "|");
        fine = next > label ? add_member(classes, (struct span){label, (size_t)(next - label)},
                                         (int32_t)classes->sorted[place], complaint)
                            : complain(complaint, BAD_USAGE, "--classes: '%s': empty label", wish);
    }
    return fine;
}

bool classes_of(struct classes *classes, struct span label, int32_t *class,
                struct complaint *complaint) {
    bool found;
    size_t place = find(classes, label, &found);
    *class = found ? NO_CLASS : class_of_member(classes, label);
    if (*class != NO_CLASS)
        return true;
    if (!found && classes->closed)
        return true;
    if (!found) {
        if (!add(classes, label, place, complaint))
            return false;
        char *name = classes->name.item[classes->name.count - 1];
        for (; classes->fold && *name; name++)
            *name = ascii_lower(*name);
    }
    *class = (int32_t)classes->sorted[place];
    return true;
}

struct numbered {
    double number;
    size_t class;
};

static int by_number(const void *left, const void *right) {
    const struct numbered *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->class < b->class ? -1 : a->class > b->class;
}

/* The classes by value if every name is a number, otherwise in the order of `sorted`. */
static void rank_names(const struct classes *classes, struct numbered *order) {
    size_t count = classes->name.count;
    bool numbers = true;
    for (size_t i = 0; i < count; i++) {
        order[i].class = classes->sorted[i];
        numbers = numbers && number_parse(classes->name.item[order[i].class], &order[i].number);
    }
    if (numbers)
        qsort(order, count, sizeof *order, by_number);
}

bool classes_order(struct classes *classes, size_t rows, int32_t *label,
                   struct complaint *complaint) {
    size_t count = classes->name.count;
    struct numbered *order = calloc(count + 1, sizeof *order);
    char **item = calloc(count + 1, sizeof *item);
    size_t *rank = calloc(count + 1, sizeof *rank);
    bool fine = order && item && rank;
    if (fine) {
        rank_names(classes, order);
        for (size_t i = 0; i < count; i++) {
            item[i] = classes->name.item[order[i].class];
            rank[order[i].class] = i;
        }
        for (size_t i = 0; i < count; i++) {
            classes->name.item[i] = item[i];
            classes->sorted[i] = rank[classes->sorted[i]];
        }
        for (size_t i = 0; i < rows; i++)
            label[i] = (int32_t)rank[label[i]];
    }
    free(order);
    free(item);
    free(rank);
    return fine || complain_of_memory(complaint);
}

void classes_free(struct classes *classes) {
    name_list_free(&classes->name);
    name_list_free(&classes->member);
    free(classes->sorted);
    free(classes->of);
    *classes = (struct classes){0};
}
