/* SPDX-License-Identifier: Apache-2.0 */
#include "table/xml.h"

#include "table/buffer_size.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = BUFFER_SIZE(1 << 16), /* bytes read at a time, more when a tag is longer */
    LONGEST_TAG = 1 << 20,
    LONGEST_REFERENCE = 12, /* "&#x0010FFFF;" */
};

bool xml_complain(const struct xml *xml, const char *what, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s:%zu: %s", byte_stream_name(xml->input), xml->line,
                    what);
}

static bool ends_early(const struct xml *xml, struct complaint *complaint) {
    return xml_complain(xml, "the file ends here, within XML; is it truncated?", complaint);
}

/* ---------------------------------------------------------------- the window ------------------ */

static void advance(struct xml *xml, size_t count) {
    for (size_t i = 0; i < count; i++)
        xml->line += xml->window[xml->at + i] == '\n';
    xml->at += count;
}

static bool make_window(struct xml *xml, size_t size, struct complaint *complaint) {
    char *window = realloc(xml->window, size);
    if (!window)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", byte_stream_name(xml->input));
    xml->window = window;
    xml->size = size;
    return true;
}

/* More bytes behind those there are, when there are more. */
static bool refill(struct xml *xml, struct complaint *complaint) {
    size_t got, left = xml->filled - xml->at;
    memmove(xml->window, xml->window + xml->at, left);
    xml->at = 0;
    xml->filled = left;
    if (left == xml->size) {
        if (xml->size >= LONGEST_TAG)
            return xml_complain(xml, "a tag of more than 1 MiB starts here", complaint);
        if (!make_window(xml, 2 * xml->size, complaint))
            return false;
    }
    size_t wanted = xml->size - left;
    if (!byte_stream_read(xml->input, xml->window + left, wanted, &got, complaint))
        return false;
    xml->filled += got;
    xml->ended = got < wanted;
    return true;
}

/* Reads until there are at least `count` bytes; fewer only at the end of the file. */
static bool look(struct xml *xml, size_t count, struct complaint *complaint) {
    while (xml->filled - xml->at < count && !xml->ended)
        if (!refill(xml, complaint))
            return false;
    return true;
}

static bool starts(const struct xml *xml, const char *text) {
    size_t length = strlen(text);
    return xml->filled - xml->at >= length && memcmp(xml->window + xml->at, text, length) == 0;
}

/* Passes over everything up to and including `end`, of which no part is needed. */
static bool pass(struct xml *xml, const char *end, struct complaint *complaint) {
    size_t length = strlen(end);
    for (;;) {
        if (!look(xml, length, complaint))
            return false;
        if (xml->filled - xml->at < length)
            return ends_early(xml, complaint);
        if (starts(xml, end))
            break;
        const char *from = xml->window + xml->at + 1;
        const char *next = memchr(from, end[0], xml->filled - xml->at - 1);
        advance(xml, next ? (size_t)(next - from) + 1 : xml->filled - xml->at);
    }
    advance(xml, length);
    return true;
}

/* The length of the current tag with both brackets; brackets within quotes do not end it. */
static bool find_tag(struct xml *xml, size_t *length, struct complaint *complaint) {
    char quote = '\0';
    for (size_t i = 1;; i++) {
        if (i == xml->filled - xml->at && !xml->ended && !refill(xml, complaint))
            return false;
        if (i >= xml->filled - xml->at)
            return ends_early(xml, complaint);
        char c = xml->window[xml->at + i];
        if (c == '[' && starts(xml, "<!")) { /* declarations, which are refused */
            *length = i + 1;
            return true;
        }
        if (!c || (c == '<' && !quote))
            return xml_complain(xml, "a tag is not closed, or contains an invalid character",
                                complaint);
        if (quote ? c == quote : (c == '"' || c == '\''))
            quote = quote ? '\0' : c;
        else if (c == '>' && !quote) {
            *length = i + 1;
            return true;
        }
    }
}

/* ---------------------------------------------------------------- references ------------------ */

/* What XML allows in a text. */
static bool is_character(uint32_t code) {
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0xd800) ||
           (code >= 0xe000 && code <= 0x10ffff && code != 0xfffe && code != 0xffff);
}

/* "#38" or "#x26"; 0 when it is none. */
static uint32_t numbered(const char *text, size_t length) {
    bool hex = length > 2 && text[1] == 'x';
    uint32_t code = 0;
    if (length < 2 || text[0] != '#')
        return 0;
    for (size_t i = hex ? 2 : 1; i < length; i++) {
        char c = ascii_lower(text[i]);
        uint32_t digit = c >= '0' && c <= '9'          ? (uint32_t)(c - '0')
                         : hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                                                       : 99;
        if (digit == 99 || code > 0x10ffff)
            return 0;
        code = code * (hex ? 16 : 10) + digit;
    }
    return is_character(code) ? code : 0;
}

/* The character that &...; at `text` stands for into `out`; *taken are its bytes. 0 when it is no
 * reference we know. */
static size_t resolve(const char *text, size_t left, size_t *taken, char out[4]) {
    static const struct {
        const char *name;
        char character;
    } known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    const char *end =
        memchr(text, ';', left < LONGEST_REFERENCE ? left : (size_t)LONGEST_REFERENCE);
    if (!end)
        return 0;
    size_t length = (size_t)(end - text) - 1;
    *taken = length + 2;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(known[i].name, text + 1, length) == 0) {
            out[0] = known[i].character;
            return 1;
        }
    uint32_t code = numbered(text + 1, length);
    return code ? utf8_write(code, out) : 0;
}

static bool complain_of_entity(const struct xml *xml, struct complaint *complaint) {
    return xml_complain(
        xml, "an entity other than &amp; &lt; &gt; &quot; &apos; and character references",
        complaint);
}

/* ---------------------------------------------------------------- tags ------------------------ */

static bool is_name_end(char c) {
    return !c || ascii_blank(c) || c == '=' || c == '/' || c == '>';
}

/* Behind the colon of a prefix. */
static const char *local_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* Resolves the references of a value in place: no result is longer than its reference. */
static bool resolve_value(struct xml *xml, char *value, struct complaint *complaint) {
    size_t length = strlen(value), put = 0;
    for (size_t get = 0; get < length;) {
        size_t taken = 1, made = 1;
        char character[4] = {value[get]};
        if (*character == '&' && !(made = resolve(value + get, length - get, &taken, character)))
            return complain_of_entity(xml, complaint);
        if (*character == '<' && made == 1 && taken == 1)
            return xml_complain(xml, "a '<' within the value of an attribute", complaint);
        memcpy(value + put, character, made);
        put += made;
        get += taken;
    }
    value[put] = '\0';
    return true;
}

/* name="value" ... from `p` on, which is terminated. */
static bool read_attributes(struct xml *xml, char *p, struct complaint *complaint) {
    while (p += strspn(p, " \t\r\n"), *p) {
        if (xml->attributes == XML_ATTRIBUTES)
            return xml_complain(xml, "a tag has more than 64 attributes", complaint);
        struct xml_attribute *attribute = &xml->attribute[xml->attributes++];
        char *name = p;
        while (!is_name_end(*p))
            p++;
        char *name_end = p;
        p += strspn(p, " \t\r\n");
        char *equals = p;
        p += *p == '=';
        p += strspn(p, " \t\r\n");
        char quote = *p, *value = p + 1;
        char *end = name_end > name && *equals == '=' && (quote == '"' || quote == '\'')
                        ? strchr(value, quote)
                        : NULL;
        if (!end)
            return xml_complain(xml, "an attribute is not of the form name=\"value\"", complaint);
        *name_end = *end = '\0';
        *attribute = (struct xml_attribute){local_name(name), value};
        if (!resolve_value(xml, value, complaint))
            return false;
        p = end + 1;
    }
    return true;
}

static bool push(struct xml *xml, const char *name, struct complaint *complaint) {
    size_t size = strlen(name) + 1;
    if (xml->depth == XML_DEPTH || size > XML_NAMES - xml->names_used)
        return xml_complain(xml, "elements nest more than 64 deep", complaint);
    if (!xml->depth && xml->opened)
        return xml_complain(xml, "a second element after the first", complaint);
    xml->opened = true;
    xml->depth++;
    memcpy(xml->names + xml->names_used, name, size);
    xml->names_used += size;
    return true;
}

/* The name on top of the stack. */
static const char *innermost(const struct xml *xml) {
    size_t at = xml->names_used - 1;
    while (at && xml->names[at - 1])
        at--;
    return xml->names + at;
}

/* The innermost element ends; its name stays where it is until another starts. */
static void pop(struct xml *xml) {
    xml->event = XML_END;
    xml->name = innermost(xml);
    xml->names_used = (size_t)(xml->name - xml->names);
    xml->name = local_name(xml->name);
    xml->depth--;
}

static bool take_end(struct xml *xml, size_t length, struct complaint *complaint) {
    char *name = xml->window + xml->at + 2, *end = xml->window + xml->at + length - 1;
    while (end > name && ascii_blank(end[-1]))
        end--;
    *end = '\0';
    if (!xml->depth || strcmp(name, innermost(xml)) != 0)
        return xml_complain(xml, "an end tag does not match the last element opened", complaint);
    advance(xml, length);
    pop(xml);
    return true;
}

static bool take_start(struct xml *xml, size_t length, struct complaint *complaint) {
    char *name = xml->window + xml->at + 1, *end = xml->window + xml->at + length - 1;
    xml->closes = end > name && end[-1] == '/';
    end -= xml->closes;
    size_t lines = 0;
    for (char *p = name; p < end; p++)
        lines += *p == '\n';
    *end = '\0';
    char *rest = name;
    while (!is_name_end(*rest))
        rest++;
    bool bare = !*rest;
    if (rest == name || (!bare && !ascii_blank(*rest)))
        return xml_complain(xml, "a '<' that does not start a tag", complaint);
    *rest = '\0';
    xml->attributes = 0;
    if (!push(xml, name, complaint) || (!bare && !read_attributes(xml, rest + 1, complaint)))
        return false;
    xml->event = XML_START;
    xml->name = local_name(name);
    xml->line += lines; /* newlines may have been overwritten */
    xml->at += length;
    return true;
}

/* ---------------------------------------------------------------- what is passed over --------- */

/* Other encodings would be read as something else than they are. */
static bool check_encoding(struct xml *xml, size_t length, struct complaint *complaint) {
    char text[256] = "";
    memcpy(text, xml->window + xml->at, length < sizeof text ? length : sizeof text - 1);
    const char *encoding = strstr(text, "encoding");
    if (!encoding)
        return true;
    encoding += strcspn(encoding, "\"'");
    encoding += *encoding != '\0';
    return ascii_starts(encoding, "utf-8") || ascii_starts(encoding, "utf8") ||
           ascii_starts(encoding, "us-ascii") || ascii_starts(encoding, "ascii") ||
           xml_complain(xml, "the encoding is not UTF-8; iconv converts it", complaint);
}

static bool pass_instruction(struct xml *xml, struct complaint *complaint) {
    size_t length;
    if (starts(xml, "<?xml") && xml->filled - xml->at > 5 &&
        ascii_blank(xml->window[xml->at + 5]) &&
        (!find_tag(xml, &length, complaint) || !check_encoding(xml, length, complaint)))
        return false;
    return pass(xml, "?>", complaint);
}

/* An old DOCTYPE line with VOTable's DTD is ignored; declarations are refused. */
static bool pass_doctype(struct xml *xml, struct complaint *complaint) {
    size_t length;
    if (!find_tag(xml, &length, complaint))
        return false;
    if (memchr(xml->window + xml->at, '[', length) || xml->opened)
        return xml_complain(xml, "a DOCTYPE with declarations, which are refused", complaint);
    advance(xml, length);
    return true;
}

/* ---------------------------------------------------------------- text ------------------------ */

static void give_text(struct xml *xml, size_t length) {
    xml->event = XML_TEXT;
    xml->text = (struct span){xml->window + xml->at, length};
    advance(xml, length);
}

/* A piece of <![CDATA[ ... ]]>; none when it ends here. */
static bool take_cdata(struct xml *xml, bool *any, struct complaint *complaint) {
    if (!look(xml, 3, complaint))
        return false;
    size_t left = xml->filled - xml->at;
    if (left < 3)
        return ends_early(xml, complaint);
    *any = !starts(xml, "]]>");
    if (!*any) {
        xml->in_cdata = false;
        advance(xml, 3);
        return true;
    }
    const char *start = xml->window + xml->at, *end = memchr(start + 1, ']', left - 1);
    give_text(xml, end ? (size_t)(end - start) : left);
    return true;
}

static bool take_reference(struct xml *xml, struct complaint *complaint) {
    size_t taken, made;
    if (!look(xml, LONGEST_REFERENCE, complaint))
        return false;
    made = resolve(xml->window + xml->at, xml->filled - xml->at, &taken, xml->character);
    if (!made)
        return complain_of_entity(xml, complaint);
    xml->event = XML_TEXT;
    xml->text = (struct span){xml->character, made};
    advance(xml, taken);
    return true;
}

/* Text up to the next tag or reference, or the part of it that was read. */
static bool take_text(struct xml *xml, struct complaint *complaint) {
    const char *start = xml->window + xml->at;
    size_t length = 0, left = xml->filled - xml->at;
    if (*start == '&')
        return take_reference(xml, complaint);
    while (length < left && start[length] != '<' && start[length] != '&')
        length++;
    for (size_t i = 0; !xml->depth && i < length; i++)
        if (!ascii_blank(start[i]))
            return xml_complain(xml, "there is text outside the root element", complaint);
    give_text(xml, length);
    return true;
}

/* ---------------------------------------------------------------- events ---------------------- */

/* What starts with '<'; *any is false when it is nothing to tell of. */
static bool take_markup(struct xml *xml, bool *any, struct complaint *complaint) {
    size_t length;
    *any = false;
    if (!look(xml, 9, complaint))
        return false;
    if (starts(xml, "<!--")) {
        advance(xml, 4);
        return pass(xml, "-->", complaint);
    }
    if (starts(xml, "<![CDATA[") && xml->depth) {
        advance(xml, 9);
        xml->in_cdata = true;
        return true;
    }
    if (starts(xml, "<?"))
        return pass_instruction(xml, complaint);
    if (starts(xml, "<!DOCTYPE"))
        return pass_doctype(xml, complaint);
    *any = true;
    if (!find_tag(xml, &length, complaint))
        return false;
    return starts(xml, "</") ? take_end(xml, length, complaint)
                             : take_start(xml, length, complaint);
}

bool xml_next(struct xml *xml, struct complaint *complaint) {
    if (xml->closes) {
        xml->closes = false;
        pop(xml);
        return true;
    }
    for (bool any = false; !any;) {
        any = true;
        if (!look(xml, 1, complaint))
            return false;
        if (xml->at == xml->filled && xml->depth)
            return ends_early(xml, complaint);
        if (xml->at == xml->filled) {
            xml->event = XML_DONE;
            return true;
        }
        bool fine = xml->in_cdata                 ? take_cdata(xml, &any, complaint)
                    : xml->window[xml->at] == '<' ? take_markup(xml, &any, complaint)
                                                  : take_text(xml, complaint);
        if (!fine)
            return false;
    }
    return true;
}

const char *xml_attribute(const struct xml *xml, const char *name) {
    for (size_t i = 0; i < xml->attributes; i++)
        if (strcmp(xml->attribute[i].name, name) == 0)
            return xml->attribute[i].value;
    return NULL;
}

bool xml_open(struct xml *xml, struct complaint *complaint) {
    xml->line = 1;
    if (!make_window(xml, WINDOW, complaint) || !look(xml, 3, complaint))
        return false;
    if (starts(xml, "\xef\xbb\xbf"))
        xml->at += 3;
    return true;
}

void xml_close(struct xml *xml) {
    free(xml->window);
    xml->window = NULL;
}
