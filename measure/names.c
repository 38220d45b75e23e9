/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/names.h"

#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- all columns ----------------- */

static void link_columns(nim_names *names) {
    size_t count = names->index.count;
    for (size_t i = 0; i < count; i++)
        names->first[i] = NO_NAME;
    for (size_t i = count; i-- > 0;) {
        long of = names->relation[i].of;
        if (of >= 0) {
            names->next[i] = names->first[of];
            names->first[of] = (long)i;
        }
    }
}

static bool is_side(const struct relation *relation) {
    return relation->role == NIM_ERRORS && relation->side != ONLY_SIDE;
}

static bool is_excluded(const bool *excluded, long column) {
    return excluded && excluded[column];
}

/* The other column of a pair, or NO_NAME: of the same family, or else x_low for x_up. */
static long find_twin(const nim_names *names, long column, const bool *excluded) {
    const struct relation *own = &names->relation[column];
    static const enum side other[] = {[LOWER_SIDE] = UPPER_SIDE,
                                      [UPPER_SIDE] = LOWER_SIDE,
                                      [LOWER_END] = UPPER_END,
                                      [UPPER_END] = LOWER_END};
    long found = NO_NAME;
    for (long i = names->first[own->of]; i >= 0; i = names->next[i]) {
        const struct relation *relation = &names->relation[i];
        if (!is_side(relation) || relation->side != other[own->side] || is_excluded(excluded, i))
            continue;
        if (relation->rank == own->rank)
            return i;
        if (found == NO_NAME && relation->rank < WITHOUT_WORD && own->rank < WITHOUT_WORD)
            found = i;
    }
    return found;
}

/* Sides without their counterpart: errors of one side if the name says error, otherwise values. */
static void judge_sides(nim_names *names) {
    size_t count = names->index.count;
    bool *alone = calloc(count + 1, sizeof *alone);
    for (size_t i = 0; alone && i < count; i++)
        alone[i] = is_side(&names->relation[i]) && find_twin(names, (long)i, NULL) == NO_NAME;
    for (size_t i = 0; alone && i < count; i++)
        if (alone[i]) {
            bool says = names->relation[i].rank < WITHOUT_WORD;
            names->relation[i].role = says ? NIM_ONE_SIDED : NIM_VALUE;
            names->relation[i].of = says ? names->relation[i].of : NO_NAME;
        }
    free(alone);
}

static bool has_only_errors(const nim_names *names, size_t column) {
    for (long i = names->first[column]; i >= 0; i = names->next[i])
        if (names->relation[i].role == NIM_ERRORS && names->relation[i].side == ONLY_SIDE)
            return true;
    return false;
}

/* SDSS: numbers of observations, by names that mean other things elsewhere. */
static bool is_observation(const nim_names *names, const char *name) {
    static const char *const beside[][2] = {
        {"run", "camcol"}, {"field", "camcol"}, {"mjd", "plate"}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (ascii_same(name, beside[i][0]) && name_index_find(&names->index, beside[i][1]) >= 0)
            return true;
    return false;
}

/* `d` and the name is too common a beginning of other words to count unless nothing else is there,
 * and that column has no errors of its own. */
static void judge_rest(nim_names *names, size_t column) {
    struct relation *relation = &names->relation[column];
    const char *name = names->index.name[column];
    long of;
    if (relation->role != NIM_VALUE)
        return;
    if (relation_is_delta(names, column, &of) && !has_only_errors(names, (size_t)of) &&
        !has_only_errors(names, column) && names->relation[of].role != NIM_ERRORS)
        *relation = (struct relation){NIM_ERRORS, ONLY_SIDE, of, NO_NAME, DELTA_RANK};
    else if (nim_name_says_error(name) && names->first[column] == NO_NAME)
        relation->role = NIM_ORPHAN;
    else if (nim_name_is_identity(name) || is_observation(names, name))
        relation->role = NIM_IDENTITY;
}

nim_names *nim_names_create(const char *const *name, const bool *is_text, size_t count) {
    nim_names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    names->is_text = is_text;
    names->relation = calloc(count + 1, sizeof *names->relation);
    names->first = calloc(count + 1, sizeof *names->first);
    names->next = calloc(count + 1, sizeof *names->next);
    if (!names->relation || !names->first || !names->next ||
        !name_index_build(&names->index, name, count)) {
        nim_names_free(names);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        names->relation[i] = relation_read(names, i);
    link_columns(names);
    judge_sides(names);
    link_columns(names);
    for (size_t i = 0; i < count; i++)
        judge_rest(names, i);
    link_columns(names);
    return names;
}

void nim_names_free(nim_names *names) {
    if (!names)
        return;
    name_index_free(&names->index);
    free(names->relation);
    free(names->first);
    free(names->next);
    free(names);
}

/* ---------------------------------------------------------------- answers --------------------- */

long nim_names_find(const nim_names *names, const char *wanted) {
    return name_index_find(&names->index, wanted);
}

enum nim_column_role nim_names_role(const nim_names *names, size_t column, long of[2]) {
    of[0] = names->relation[column].of;
    of[1] = names->relation[column].with;
    return names->relation[column].role;
}

/* The pair of the lowest family. */
static struct nim_sides find_pair(const nim_names *names, size_t column, const bool *excluded) {
    struct nim_sides sides = {NO_NAME, NO_NAME, 0};
    int best = 0;
    for (long i = names->first[column]; i >= 0; i = names->next[i]) {
        const struct relation *relation = &names->relation[i];
        bool lower = relation->side == LOWER_SIDE || relation->side == LOWER_END;
        if (!is_side(relation) || !lower || is_excluded(excluded, i) ||
            (sides.lower >= 0 && relation->rank >= best))
            continue;
        long twin = find_twin(names, i, excluded);
        if (twin < 0)
            continue;
        sides = (struct nim_sides){i, twin, relation->side == LOWER_END};
        best = relation->rank;
    }
    return sides;
}

/* The two columns of lowest rank that hold errors of both sides. */
static void find_only(const nim_names *names, size_t column, const bool *excluded, long found[2]) {
    found[0] = found[1] = NO_NAME;
    for (long i = names->first[column]; i >= 0; i = names->next[i]) {
        const struct relation *relation = names->relation;
        if (relation[i].role != NIM_ERRORS || relation[i].side != ONLY_SIDE ||
            is_excluded(excluded, i))
            continue;
        if (found[0] < 0 || relation[i].rank < relation[found[0]].rank) {
            found[1] = found[0];
            found[0] = i;
        } else if (found[1] < 0 || relation[i].rank < relation[found[1]].rank) {
            found[1] = i;
        }
    }
}

void nim_names_errors(const nim_names *names, size_t column, const bool *excluded,
                      struct nim_sides *sides, long *also) {
    struct nim_sides pair = find_pair(names, column, excluded);
    long found[2];
    find_only(names, column, excluded, found);
    bool both = pair.lower >= 0 && (found[0] < 0 || names->relation[found[0]].rank == DELTA_RANK);
    *also = both ? NO_NAME : found[1];
    *sides = both ? pair : (struct nim_sides){found[0], NO_NAME, 0};
}

void names_take_lengths(nim_names *names, const struct nim_sides *sides) {
    names->relation[sides->lower].side = LOWER_SIDE;
    names->relation[sides->upper].side = UPPER_SIDE;
}

long nim_names_limits(const nim_names *names, size_t column, const bool *excluded) {
    long found = NO_NAME;
    for (long i = names->first[column]; i >= 0; i = names->next[i])
        if (names->relation[i].role == NIM_LIMITS && !is_excluded(excluded, i) &&
            (found < 0 || names->relation[i].rank < names->relation[found].rank))
            found = i;
    return found;
}

/* The column whose name is this part of a text. */
static long find_part(const nim_names *names, const char *start, const char *end) {
    char name[LONGEST_NAME];
    size_t length = (size_t)(end - start);
    if (length >= sizeof name)
        return NO_NAME;
    memcpy(name, start, length);
    name[length] = '\0';
    return name_index_find(&names->index, name);
}

/* Names may hold colons themselves, so every one is tried. */
int nim_names_sides(const nim_names *names, const char *text, struct nim_sides *sides) {
    size_t length = strlen(text);
    *sides = (struct nim_sides){nim_names_find(names, text), NO_NAME, 0};
    if (sides->lower >= 0)
        return 1;
    sides->ends = length > 2 && text[0] == '[' && text[length - 1] == ']';
    const char *start = text + sides->ends, *end = text + length - sides->ends;
    for (const char *colon = start; colon < end; colon++)
        if (*colon == ':') {
            sides->lower = find_part(names, start, colon);
            sides->upper = find_part(names, colon + 1, end);
            if (sides->lower >= 0 && sides->upper >= 0)
                return 1;
        }
    *sides = (struct nim_sides){NO_NAME, NO_NAME, 0};
    return 0;
}
