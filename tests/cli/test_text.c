/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, JSON, near misses and complaints of the program. */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal/exit_code.h"
#include "cli/terminal/library_error.h"
#include "text/json_writer.h"
#include "text/nearest.h"
#include "text/number.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---------------------------------------------------------------- numbers --------------------- */

/* Fewest digits that read back the same, found by trying them all. */
static int fewest_digits(double x) {
    char text[64];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        if (strtod(text, NULL) == x)
            return digits;
    }
    return 17;
}

static int digits_in(const char *text) {
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        if (*text == '0' && !count)
            continue; /* leading */
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros; /* trailing ones only hold places */
}

static void numbers_are_shortest_and_read_back(void **unused) {
    (void)unused;
    uint64_t state = 1;
    const double some[] = {0.1,
                           1e23,
                           5e-324,
                           DBL_MIN,
                           DBL_MAX,
                           1.0 / 3.0,
                           123456789012345680.0,
                           9007199254740993.0,
                           1e21,
                           -2.5e-7,
                           4.35,
                           0.3,
                           2.2250738585072011e-308};
    for (size_t i = 0; i < 20000; i++) {
        double x;
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = state ^ (state >> 29);
        if (i % 3 == 0) /* few digits */
            x = (double)(int64_t)(bits >> 40) / 1000.0;
        else
            memcpy(&x, &bits, sizeof x);
        if (i < sizeof some / sizeof *some)
            x = some[i];
        if (!isfinite(x))
            continue;
        char text[NUMBER_TEXT];
        double back = 0.0;
        number_print(x, text);
        assert_true(number_parse(text, &back));
        assert_true(back == x);
        if (x != 0.0)
            assert_int_equal(digits_in(text), fewest_digits(x));
    }
}

static void what_is_no_number(void **unused) {
    (void)unused;
    const char *const no[] = {"",      " ",  "x",   "1x",  "1 2", "nan", "inf", "-inf", "0x10",
                              "1e999", "e5", "1,5", "--1", ".",   "+",   "1e",  "1d5"};
    const char *const yes[] = {"1", " 1 ", "-1", "+1", ".5", "5.", "1e5", "1E-5", "-0.25e+3"};
    double x;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(number_parse(no[i], &x));
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_true(number_parse(yes[i], &x));
        assert_true(x == strtod(yes[i], NULL));
    }
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void expect_json(void (*write)(struct json_writer *), const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct json_writer json = json_start(file);
    write(&json);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void write_document(struct json_writer *json) {
    json_object(json, NULL);
    json_text(json, "name", "a \"b\" \\ \n\t\x01 \xc3\xa9 \xf0\x9f\x8c\x8d");
    json_text(json, "none", NULL);
    json_bytes(json, "k\"ey", "ab\0c", 4);
    json_real(json, "tenth", 0.1);
    json_real(json, "nan", NAN);
    json_real(json, "infinite", -INFINITY);
    json_whole(json, "rows", SIZE_MAX);
    json_bool(json, "yes", true);
    json_array(json, "empty");
    json_close(json);
    json_matrix(json, "matrix", (double[]){1, 2.5, -3e-300, 4}, 2, 2);
    json_object(json, "inner");
    json_close(json);
    json_close(json);
}

static void documents(void **unused) {
    (void)unused;
    expect_json(write_document,
                "{\"name\": \"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xc3\xa9 \xf0\x9f\x8c\x8d\", "
                "\"none\": null, \"k\\\"ey\": \"ab\\u0000c\", \"tenth\": 0.1, \"nan\": null, "
                "\"infinite\": null, \"rows\": 18446744073709551615, \"yes\": true, \"empty\": [], "
                "\"matrix\": [[1, 2.5], [-3e-300, 4]], \"inner\": {}}\n");
}

static void write_lines(struct json_writer *json) {
    for (size_t i = 0; i < 2; i++) {
        json_object(json, NULL);
        json_whole(json, "epoch", i);
        json_close(json);
    }
    json_null(json, NULL);
}

static void one_document_a_line(void **unused) {
    (void)unused;
    expect_json(write_lines, "{\"epoch\": 0}\n{\"epoch\": 1}\nnull\n");
}

/* Stray, cut off, overlong, a surrogate, beyond the last plane: each bad byte is replaced. */
static void write_broken(struct json_writer *json) {
    json_text(json, NULL, "a\x80z \xc3 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf5 \xf4\x90\x80\x80");
}

static void broken_text(void **unused) {
    (void)unused;
    expect_json(write_broken, "\"a\\ufffdz \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd "
                              "\\ufffd\\ufffd\\ufffd \\ufffd \\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

/* ---------------------------------------------------------------- near misses ----------------- */

static const char *nearest_of(const char *word, const char *const *list) {
    struct nearest nearest = {.word = word};
    for (; *list; list++)
        nearest_try(&nearest, *list);
    return nearest.found ? nearest.found : "";
}

static void near_misses(void **unused) {
    (void)unused;
    const char *const list[] = {"features", "format",   "errors",        "log",
                                "x1",       "Flux1000", "Period (days)", NULL};
    assert_string_equal(nearest_of("feature", list), "features");
    assert_string_equal(nearest_of("faetures", list), "features");
    assert_string_equal(nearest_of("fromat", list), "format");
    assert_string_equal(nearest_of("eror", list), "errors");
    assert_string_equal(nearest_of("flux100", list), "Flux1000");
    assert_string_equal(nearest_of("x2", list), "x1");
    assert_string_equal(nearest_of("period", list), "Period (days)");
    assert_string_equal(nearest_of("Per", list), "");
    assert_string_equal(nearest_of("quite", list), "");
    assert_string_equal(nearest_of("", list), "");
    char lengthy[200];
    memset(lengthy, 'f', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_string_equal(nearest_of(lengthy, list), "");
}

/* ---------------------------------------------------------------- complaints ------------------ */

static void complaints_are_one_line(void **unused) {
    (void)unused;
    struct complaint complaint;
    assert_false(complain(&complaint, BAD_INPUT, "%s:%d: bad", "a\nb\x7f", 3));
    assert_int_equal(complaint.kind, BAD_INPUT);
    assert_string_equal(complaint.text, "a?b?:3: bad");
    char lengthy[3 * sizeof complaint.text];
    for (size_t shift = 0; shift < 4; shift++) { /* cut at any byte of a character */
        memset(lengthy, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof lengthy; i += 3)
            memcpy(lengthy + i, "\xe2\x82\xac", 4);
        complain(&complaint, BAD_USAGE, "%s", lengthy);
        size_t length = strlen(complaint.text);
        assert_true(length < sizeof complaint.text);
        assert_string_equal(complaint.text + length - 3, "...");
        assert_int_equal((length - 3 - shift) % 3, 0);
    }
}

static void every_status_has_its_kind(void **unused) {
    (void)unused;
    const struct {
        nim_status status;
        enum complaint_kind kind;
    } expected[] = {{NIM_INVALID_ARGUMENT, BAD_USAGE}, {NIM_BAD_DATA, BAD_INPUT},
                    {NIM_BAD_FILE, BAD_INPUT},         {NIM_IO, BAD_INPUT},
                    {NIM_OUT_OF_MEMORY, BROKE_DOWN},   {NIM_NUMERICAL, BROKE_DOWN},
                    {NIM_CANCELLED, INTERRUPTED}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct complaint complaint;
        nim_error error = {.status = expected[i].status, .message = "words"};
        assert_false(complain_of(&complaint, &error));
        assert_int_equal(complaint.kind, expected[i].kind);
        assert_string_equal(complaint.text, "words");
        error.message[0] = '\0';
        complain_of(&complaint, &error);
        assert_string_equal(complaint.text, nim_status_text(expected[i].status));
    }
    assert_int_equal(exit_code_of(READER_GONE), 0);
    assert_int_equal(exit_code_of(BAD_USAGE), 1);
    assert_int_equal(exit_code_of(BAD_INPUT), 2);
    assert_int_equal(exit_code_of(BROKE_DOWN), 3);
    assert_int_equal(exit_code_of(INTERRUPTED), 130);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_shortest_and_read_back),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(documents),
        cmocka_unit_test(one_document_a_line),
        cmocka_unit_test(broken_text),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(complaints_are_one_line),
        cmocka_unit_test(every_status_has_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
