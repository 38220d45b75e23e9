/* SPDX-License-Identifier: Apache-2.0 */
#include "text/name_list.h"

#include "text/ascii.h"
#include "text/growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool name_list_add(struct name_list *list, const char *text, size_t length,
                   struct complaint *complaint) {
    char *copy = malloc(length + 1);
    char **item = grow_by_one(list->item, list->count, sizeof *item);
    if (item)
        list->item = item;
    if (!copy || !item) {
        free(copy);
        return complain_of_memory(complaint);
    }
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    item[list->count++] = copy;
    return true;
}

/* A quoted name from behind its opening quote into `name`; where it ends, or NULL without an end.
 */
static const char *unquote(const char *text, char *name, size_t *length) {
    for (*length = 0; *text; name[(*length)++] = *text++) {
        if (*text != '"')
            continue;
        if (*++text != '"')
            return text;
    }
    return NULL;
}

/* An unquoted name up to the next comma, without the blanks behind it. */
static const char *take(const char *text, char *name, size_t *length) {
    *length = 0;
    while (*text && *text != ',')
        name[(*length)++] = *text++;
    while (*length && ascii_blank(name[*length - 1]))
        (*length)--;
    return text;
}

bool name_list_split(struct name_list *list, const char *text, const char *what,
                     struct complaint *complaint) {
    char *name = malloc(strlen(text) + 1);
    if (!name)
        return complain_of_memory(complaint);
    bool fine = true;
    for (const char *rest = text; fine; rest++) {
        size_t length;
        while (ascii_blank(*rest))
            rest++;
        bool quoted = *rest == '"';
        rest = quoted ? unquote(rest + 1, name, &length) : take(rest, name, &length);
        while (rest && ascii_blank(*rest))
            rest++;
        if (!rest || (*rest && *rest != ','))
            fine = complain(complaint, BAD_USAGE, "%s: '%s': expected a comma after the quotes",
                            what, text);
        else if (!length && !quoted)
            fine = complain(complaint, BAD_USAGE, "%s: '%s': a name is empty", what, text);
        else
            fine = name_list_add(list, name, length, complaint);
        if (!fine || !*rest)
            break;
    }
    free(name);
    return fine;
}

static bool needs_quotes(const char *name) {
    size_t length = strlen(name);
    return !length || strpbrk(name, ",\"") || ascii_blank(name[0]) || ascii_blank(name[length - 1]);
}

static char *write_item(char *out, const char *name) {
    bool quotes = needs_quotes(name);
    if (quotes)
        *out++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *out++ = '"';
        *out++ = *name;
    }
    if (quotes)
        *out++ = '"';
    return out;
}

char *name_list_join(const struct name_list *list) {
    size_t size = 1;
    for (size_t i = 0; i < list->count; i++)
        size += 2 * strlen(list->item[i]) + 3;
    char *text = malloc(size), *out = text;
    for (size_t i = 0; text && i < list->count; i++) {
        if (i)
            *out++ = ',';
        out = write_item(out, list->item[i]);
    }
    if (text)
        *out = '\0';
    return text;
}

void name_list_show(const struct name_list *list, size_t most, char *text, size_t size) {
    enum { TAIL = 32 }; /* room for the number of those that follow */
    size_t used = 0, i = 0;
    text[0] = '\0';
    for (; i < list->count && i < most; i++) {
        size_t length = strlen(list->item[i]) + 2;
        if (used + length + TAIL > size)
            break;
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", list->item[i]);
    }
    if (i < list->count)
        snprintf(text + used, size - used, "%s... %zu more", i ? ", " : "", list->count - i);
}

bool name_list_has(const struct name_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i], name) == 0)
            return true;
    return false;
}

void name_list_free(struct name_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct name_list){0};
}
