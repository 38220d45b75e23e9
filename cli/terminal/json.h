/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_JSON_H
#define CLI_TERMINAL_JSON_H

/*
 * Writes JSON. Every call takes the key it stands under, NULL inside arrays and at the top.
 *
 *     struct json json = json_start(stdout);
 *     json_object(&json, NULL);
 *     json_real(&json, "nll", 0.31);
 *     json_array(&json, "classes");
 *     json_text(&json, NULL, "bll");
 *     json_close(&json);
 *     json_close(&json);   // the outermost: ends the line
 *
 * Numbers are the shortest that read back the same; NaN and infinities are null. Bytes that are not
 * UTF-8 become U+FFFD. Everything stands on one line, so that documents can be one a line.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

struct json {
    FILE *file;
    size_t depth;
    char closing[JSON_DEPTH]; /* '}' or ']' of each level */
    bool started;             /* something stands before: a comma is due */
};

struct json json_start(FILE *file);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_close(struct json *json);

void json_text(struct json *json, const char *key, const char *text); /* NULL: null */
void json_bytes(struct json *json, const char *key, const char *text, size_t length);
void json_real(struct json *json, const char *key, double value);
void json_whole(struct json *json, const char *key, size_t value);
void json_truth(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A table's cell of a column of numbers, with all its digits; null when it is empty. */
void json_cell(struct json *json, const char *key, const char *text);

/* rows x columns numbers as an array of arrays. */
void json_matrix(struct json *json, const char *key, const double *value, size_t rows,
                 size_t columns);
void json_vector(struct json *json, const char *key, const double *value, size_t count);

#endif
