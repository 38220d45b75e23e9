/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "report/page.h"

#include <report_page_parts.h> /* made from page/ by embed.py: page_head, page_tail */

#include <stdbool.h>
#include <stdio.h>

static void put_data(FILE *file, const char *json, size_t length) {
    size_t start = 0;
    for (size_t i = 0; i < length; i++)
        if (json[i] == '<') {
            fwrite(json + start, 1, i - start, file);
            fputs("\\u003c", file);
            start = i + 1;
        }
    fwrite(json + start, 1, length - start, file);
}

char *page_of(const char *json, size_t length, size_t *size) {
    char *text = NULL;
    FILE *memory = open_memstream(&text, size);
    if (!memory)
        return NULL;
    fwrite(page_head, 1, sizeof page_head, memory);
    put_data(memory, json, length);
    fwrite(page_tail, 1, sizeof page_tail, memory);
    bool whole = !ferror(memory);
    return fclose(memory) == 0 && whole ? text : NULL;
}
