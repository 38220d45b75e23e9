/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes JSON. Every call takes the key of the element, or NULL inside arrays and at the top.
 *
 *     struct json_writer json = json_start(stdout);
 *     json_object(&json, NULL);
 *     json_real(&json, "nll", 0.31);
 *     json_array(&json, "classes");
 *     json_text(&json, NULL, "bll");
 *     json_close(&json);
 *     json_close(&json);   // the outermost: ends the line
 *
 * Numbers are the shortest that read back the same; NaN and infinities are null. Bytes that are not
 * UTF-8 become U+FFFD. A document is one line.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

struct json_writer {
    FILE *file;
    size_t depth;
    char closing[JSON_DEPTH]; /* '}' or ']' of each level */
    bool compact;             /* without blanks and newlines */
    bool started;             /* an element was written: the next needs a comma */
    bool failed;              /* a write failed */
};

/* With blanks and a newline after each document, or without. */
struct json_writer json_start(FILE *file);
struct json_writer json_start_compact(FILE *file);

void json_object(struct json_writer *json, const char *key);
void json_array(struct json_writer *json, const char *key);
void json_close(struct json_writer *json);

void json_text(struct json_writer *json, const char *key, const char *text); /* NULL: null */
void json_bytes(struct json_writer *json, const char *key, const char *text, size_t length);
void json_real(struct json_writer *json, const char *key, double value);
void json_whole(struct json_writer *json, const char *key, size_t value);
void json_bool(struct json_writer *json, const char *key, bool value);
void json_null(struct json_writer *json, const char *key);

/* A cell of a column of numbers with all its digits; null if it is empty. */
void json_cell(struct json_writer *json, const char *key, const char *text);

/* rows x columns numbers as an array of arrays. */
void json_matrix(struct json_writer *json, const char *key, const double *value, size_t rows,
                 size_t columns);
void json_vector(struct json_writer *json, const char *key, const double *value, size_t count);
