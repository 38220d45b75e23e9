/* SPDX-License-Identifier: Apache-2.0 */
#include "text/json_writer.h"

#include "text/ascii.h"
#include "text/number.h"
#include "text/utf8.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct json_writer json_start(FILE *file) {
    return (struct json_writer){.file = file};
}

struct json_writer json_start_compact(FILE *file) {
    return (struct json_writer){.file = file, .compact = true};
}

/* The error indicator of a file in memory is not to be relied on (memory_file.h). */
static void put(struct json_writer *json, const char *bytes, size_t size) {
    if (fwrite(bytes, 1, size, json->file) != size)
        json->failed = true;
}

static void put_text(struct json_writer *json, const char *text) {
    put(json, text, strlen(text));
}

static void put_code(struct json_writer *json, uint32_t code) {
    char text[16];
    snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    put_text(json, text);
}

static void put_character(struct json_writer *json, char c) {
    static const char special[] = "\"\\\b\f\n\r\t", escape[] = "\"\\bfnrt";
    const char *found = c ? strchr(special, c) : NULL;
    char text[8] = {c};
    if (found)
        snprintf(text, sizeof text, "\\%c", escape[found - special]);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
    put_text(json, text);
}

static void put_string(struct json_writer *json, const char *text, size_t length) {
    put_text(json, "\"");
    for (size_t i = 0; i < length;) {
        size_t bytes = utf8_length(text + i, length - i);
        if (bytes > 1 && is_control(text + i, bytes))
            put_code(json, utf8_code(text + i, bytes)); /* none is above U+FFFF */
        else if (bytes > 1)
            put(json, text + i, bytes);
        else if (bytes == 1)
            put_character(json, text[i]);
        else
            put_text(json, "\\ufffd");
        i += bytes ? bytes : 1;
    }
    put_text(json, "\"");
}

/* Comma and key before a value. */
static void lead(struct json_writer *json, const char *key) {
    if (json->started)
        put_text(json, json->compact ? "," : ", ");
    json->started = true;
    if (key) {
        put_string(json, key, strlen(key));
        put_text(json, json->compact ? ":" : ": ");
    }
}

static void end_line_at_top(struct json_writer *json) {
    if (json->depth)
        return;
    if (!json->compact)
        put_text(json, "\n");
    json->started = false;
}

static void open_level(struct json_writer *json, const char *key, char opening, char closing) {
    assert(json->depth < JSON_DEPTH);
    lead(json, key);
    put(json, &opening, 1);
    json->closing[json->depth++] = closing;
    json->started = false;
}

void json_object(struct json_writer *json, const char *key) {
    open_level(json, key, '{', '}');
}

void json_array(struct json_writer *json, const char *key) {
    open_level(json, key, '[', ']');
}

void json_close(struct json_writer *json) {
    assert(json->depth);
    put(json, &json->closing[--json->depth], 1);
    json->started = true;
    end_line_at_top(json);
}

static void put_raw(struct json_writer *json, const char *key, const char *text) {
    lead(json, key);
    put_text(json, text);
    end_line_at_top(json);
}

void json_bytes(struct json_writer *json, const char *key, const char *text, size_t length) {
    lead(json, key);
    put_string(json, text, length);
    end_line_at_top(json);
}

void json_text(struct json_writer *json, const char *key, const char *text) {
    if (text)
        json_bytes(json, key, text, strlen(text));
    else
        json_null(json, key);
}

void json_real(struct json_writer *json, const char *key, double value) {
    char text[NUMBER_TEXT];
    number_print(value, text);
    put_raw(json, key, isfinite(value) ? text : "null");
}

void json_whole(struct json_writer *json, const char *key, size_t value) {
    char text[NUMBER_TEXT];
    snprintf(text, sizeof text, "%zu", value);
    put_raw(json, key, text);
}

void json_bool(struct json_writer *json, const char *key, bool value) {
    put_raw(json, key, value ? "true" : "false");
}

void json_null(struct json_writer *json, const char *key) {
    put_raw(json, key, "null");
}

void json_vector(struct json_writer *json, const char *key, const double *value, size_t count) {
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_real(json, NULL, value[i]);
    json_close(json);
}

void json_matrix(struct json_writer *json, const char *key, const double *value, size_t rows,
                 size_t columns) {
    json_array(json, key);
    for (size_t i = 0; i < rows; i++)
        json_vector(json, NULL, value + i * columns, columns);
    json_close(json);
}

/* -?(0|[1-9][0-9]*): what JSON and tables write alike. */
static bool is_whole(const char *text) {
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    return digits && !text[digits] && (digits == 1 || text[0] != '0');
}

void json_cell(struct json_writer *json, const char *key, const char *text) {
    double number;
    if (!*text)
        json_null(json, key);
    else if (is_whole(text))
        put_raw(json, key, text);
    else if (number_parse(text, &number))
        json_real(json, key, number);
    else
        json_text(json, key, text);
}
