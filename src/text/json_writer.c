/* SPDX-License-Identifier: Apache-2.0 */
#include "text/json_writer.h"

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

static void put_character(FILE *file, char c) {
    static const char special[] = "\"\\\b\f\n\r\t", escape[] = "\"\\bfnrt";
    const char *found = c ? strchr(special, c) : NULL;
    if (found)
        fprintf(file, "\\%c", escape[found - special]);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        fprintf(file, "\\u%04x", (unsigned)c);
    else
        fputc(c, file);
}

static void put_string(FILE *file, const char *text, size_t length) {
    fputc('"', file);
    for (size_t i = 0; i < length;) {
        size_t bytes = utf8_length(text + i, length - i);
        if (bytes > 1)
            fwrite(text + i, 1, bytes, file);
        else if (bytes == 1)
            put_character(file, text[i]);
        else
            fputs("\\ufffd", file);
        i += bytes ? bytes : 1;
    }
    fputc('"', file);
}

/* Comma and key before a value. */
static void lead(struct json_writer *json, const char *key) {
    if (json->started)
        fputs(json->compact ? "," : ", ", json->file);
    json->started = true;
    if (key) {
        put_string(json->file, key, strlen(key));
        fputs(json->compact ? ":" : ": ", json->file);
    }
}

static void end_line_at_top(struct json_writer *json) {
    if (json->depth)
        return;
    if (!json->compact)
        fputc('\n', json->file);
    json->started = false;
}

static void open_level(struct json_writer *json, const char *key, char opening, char closing) {
    assert(json->depth < JSON_DEPTH);
    lead(json, key);
    fputc(opening, json->file);
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
    fputc(json->closing[--json->depth], json->file);
    json->started = true;
    end_line_at_top(json);
}

static void put_raw(struct json_writer *json, const char *key, const char *text) {
    lead(json, key);
    fputs(text, json->file);
    end_line_at_top(json);
}

void json_bytes(struct json_writer *json, const char *key, const char *text, size_t length) {
    lead(json, key);
    put_string(json->file, text, length);
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
