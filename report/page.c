/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"

#include "text/memory_file.h"

#include <report_page_parts.h> /* made from page/ by embed.py: page_head, page_tail */

#include <stdbool.h>
#include <stdio.h>

static bool put(FILE *file, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size;
}

static bool put_data(FILE *file, const char *json, size_t length) {
    size_t start = 0;
    bool good = true;
    for (size_t i = 0; good && i < length; i++)
        if (json[i] == '<') {
            good = put(file, json + start, i - start) && fputs("\\u003c", file) >= 0;
            start = i + 1;
        }
    return good && put(file, json + start, length - start);
}

char *page_of(const char *json, size_t length, size_t *size) {
    struct memory_file memory;
    FILE *file = memory_file_open(&memory);
    bool good = file && put(file, page_head, sizeof page_head) && put_data(file, json, length) &&
                put(file, page_tail, sizeof page_tail);
    return memory_file_close(&memory, good, size);
}
