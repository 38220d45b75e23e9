/* SPDX-License-Identifier: Apache-2.0 */
#include "text/json_reader.h"

#include "text/utf8.h"

#include <stdint.h>
#include <string.h>

static void skip_blanks(struct json_reader *json) {
    while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at)
        json->at++;
}

bool json_take(struct json_reader *json, char mark) {
    skip_blanks(json);
    if (json->at == json->end || *json->at != mark)
        return false;
    json->at++;
    return true;
}

bool json_at_end(struct json_reader *json) {
    skip_blanks(json);
    return json->at == json->end;
}

bool json_take_whole(struct json_reader *json, size_t *value) {
    skip_blanks(json);
    const char *start = json->at;
    *value = 0;
    for (; json->at < json->end && *json->at >= '0' && *json->at <= '9'; json->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (size_t)(*json->at - '0'), value))
            return false;
    return json->at > start;
}

/* ---------------------------------------------------------------- strings --------------------- */

/* Four hexadecimal digits, or -1. */
static long hex4(const char *at, const char *end) {
    long value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *found = NULL;
        char c = at[i] >= 'A' && at[i] <= 'F' ? (char)(at[i] - 'A' + 'a') : at[i];
        if (c)
            found = strchr(digits, c);
        if (!found)
            return -1;
        value = value * 16 + (found - digits);
    }
    return value;
}

/* \uXXXX, or a pair of them for what lies beyond; 0 when it is not well formed, or zero itself. */
static uint32_t take_code(struct json_reader *json) {
    long high = hex4(json->at, json->end);
    if (high < 0)
        return 0;
    json->at += 4;
    if (high < 0xD800 || high > 0xDFFF)
        return (uint32_t)high;
    if (high > 0xDBFF || json->end - json->at < 6 || json->at[0] != '\\' || json->at[1] != 'u')
        return 0;
    long low = hex4(json->at + 2, json->end);
    if (low < 0xDC00 || low > 0xDFFF)
        return 0;
    json->at += 6;
    return (uint32_t)(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
}

/* The character after a backslash; NULL if it is not a valid escape. */
static char *take_escape(struct json_reader *json, char *out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (json->at == json->end)
        return NULL;
    char c = *json->at++;
    if (c == 'u') {
        uint32_t code = take_code(json);
        return code ? out + utf8_write(code, out) : NULL;
    }
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return NULL;
    *out = to[found - from];
    return out + 1;
}

char *json_take_string(struct json_reader *json) {
    if (!json_take(json, '"'))
        return NULL;
    char *text = json->at, *out = text;
    while (json->at < json->end) {
        char c = *json->at++;
        if (c == '"') {
            *out = '\0'; /* at or before the closing quote */
            return utf8_valid(text) ? text : NULL;
        }
        if ((unsigned char)c < ' ')
            return NULL;
        if (c == '\\')
            out = take_escape(json, out);
        else
            *out++ = c;
        if (!out)
            return NULL;
    }
    return NULL;
}
