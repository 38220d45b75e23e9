/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of public catalogues: each column is what catalogues.txt says. */
#define _POSIX_C_SOURCE 200809L
#include "measure/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_COLUMNS = 200, LONGEST_LINE = 512 };

/* What a column must be: the mark of its line, 'v' without one, 'e' for errors of another. */
struct catalogue {
    char title[LONGEST_LINE];
    size_t count;
    const char *name[MOST_COLUMNS];
    char kind[MOST_COLUMNS], *errors[MOST_COLUMNS];
};

static char *trimmed(char *text) {
    text += strspn(text, " ");
    for (size_t end = strlen(text); end && strchr(" \n", text[end - 1]); end--)
        text[end - 1] = '\0';
    return text;
}

static void add(struct catalogue *catalogue, const char *name, char kind, const char *errors) {
    for (size_t i = 0; i < catalogue->count; i++)
        if (strcmp(catalogue->name[i], name) == 0)
            return;
    assert_true(catalogue->count < MOST_COLUMNS);
    catalogue->name[catalogue->count] = strdup(name);
    catalogue->kind[catalogue->count] = kind;
    catalogue->errors[catalogue->count++] = strdup(errors);
}

static void add_errors(struct catalogue *catalogue, const char *sides) {
    char text[LONGEST_LINE];
    bool ends = *sides == '[';
    snprintf(text, sizeof text, "%.*s", (int)(strlen(sides) - 2 * ends), sides + ends);
    char *colon = strchr(text, ':');
    if (colon)
        *colon++ = '\0';
    add(catalogue, text, 'e', "");
    if (colon)
        add(catalogue, colon, 'e', "");
}

static void describe(const nim_names *names, const struct catalogue *catalogue, size_t column,
                     char *text, size_t size) {
    struct nim_sides sides;
    long also;
    nim_names_errors(names, column, NULL, &sides, &also);
    *text = '\0';
    if (sides.lower >= 0)
        snprintf(text, size, "%s%s%s%s%s", sides.ends ? "[" : "", catalogue->name[sides.lower],
                 sides.upper >= 0 ? ":" : "", sides.upper >= 0 ? catalogue->name[sides.upper] : "",
                 sides.ends ? "]" : "");
}

static void check(struct catalogue *catalogue) {
    static const bool is_text[MOST_COLUMNS];
    nim_names *names = nim_names_create(catalogue->name, is_text, catalogue->count);
    assert_non_null(names);
    for (size_t i = 0; i < catalogue->count; i++) {
        char kind = catalogue->kind[i], found[LONGEST_LINE];
        long of[2];
        bool value = nim_names_role(names, i, of) == NIM_VALUE;
        enum nim_column_hint hint = kind == '@'   ? NIM_POSITION
                                    : kind == '?' ? NIM_FLAG
                                                  : NIM_NO_HINT;
        bool measured = strchr("v@?", kind) != NULL;
        describe(names, catalogue, i, found, sizeof found);
        if (kind != '"' && (value != measured || strcmp(found, catalogue->errors[i]) != 0 ||
                            (measured && nim_names_hint(names, i) != hint)))
            fail_msg("[%s] %s: value %d, errors '%s', hint %d; expected '%c' and '%s'",
                     catalogue->title, catalogue->name[i], value, found,
                     (int)nim_names_hint(names, i), kind, catalogue->errors[i]);
    }
    nim_names_free(names);
    for (size_t i = 0; i < catalogue->count; i++) {
        free((char *)catalogue->name[i]);
        free(catalogue->errors[i]);
    }
    catalogue->count = 0;
}

static void read_line(struct catalogue *catalogue, char *line) {
    bool marked = strchr("!@?\"", *line) != NULL;
    char kind = marked ? *line : 'v', *rest = trimmed(line + marked), *equals = strstr(rest, " = ");
    if (equals) {
        *equals = '\0';
        add(catalogue, trimmed(rest), kind, trimmed(equals + 3));
        add_errors(catalogue, trimmed(equals + 3));
        return;
    }
    char *place;
    for (char *name = strtok_r(rest, ",", &place); name; name = strtok_r(NULL, ",", &place))
        add(catalogue, trimmed(name), kind, "");
}

static void test_catalogues(void **state) {
    (void)state;
    struct catalogue catalogue = {.count = 0};
    char line[LONGEST_LINE];
    size_t catalogues = 0;
    FILE *file = fopen(CATALOGUES, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *start = trimmed(line);
        if (!*start || *start == '#')
            continue;
        if (*start != '[') {
            read_line(&catalogue, start);
            continue;
        }
        check(&catalogue);
        snprintf(catalogue.title, sizeof catalogue.title, "%s", start);
        catalogues++;
    }
    check(&catalogue);
    fclose(file);
    assert_true(catalogues >= 30);
}

/* Names that only look like others. */
static void test_names(void **state) {
    (void)state;
    static const char *const errors[] = {"flux_err", "e_x",     "Unc_Flux_1_1", "j_cmsig",
                                         "sigradec", "POS_ERR", "TESS Mag err", "a_uncertainty"};
    static const char *const others[] = {
        "sigma", "error", "parallax_over_error", "significance", "Signif", "signal", "flux", "std"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!nim_name_says_error(errors[i]) || nim_name_says_error(others[i]))
            fail_msg("%s, %s", errors[i], others[i]);
    static const char *const identities[] = {"id", "obj_ID", "TIC ID", "kepid", "sourceId", "HIP"};
    static const char *const values[] = {"citric acid", "width", "grid", "idle", "hips", "tidal"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!nim_name_is_identity(identities[i]) || nim_name_is_identity(values[i]))
            fail_msg("%s, %s", identities[i], values[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_catalogues),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
