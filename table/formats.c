/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/formats.h"

#include "table/row_file.h"

#include <string.h>
#include <strings.h>

#define FORMAT(format, name, file, endings)                                                        \
    extern const struct reader file##_reader;                                                      \
    extern const struct writer file##_writer;
TABLE_FORMAT_LIST(FORMAT)
#undef FORMAT

const struct format formats[] = {
#define FORMAT(format, name, file, endings) {name, &file##_reader, &file##_writer, endings},
    TABLE_FORMAT_LIST(FORMAT)
#undef FORMAT
};

#define FORMATS (sizeof formats / sizeof *formats)

bool table_format_named(const char *name, enum table_format *format) {
    for (*format = TABLE_ANY; *format < FORMATS; ++*format)
        if (strcmp(name, formats[*format].name) == 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------- names of files -------------- */

/* The ending of a name, ".fits", before a .gz there may be; length 0 if there is none. A point at
 * the start does not begin one. */
static struct span ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), start;
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0)
        length -= 3;
    for (start = length; start > 0 && name[start - 1] != '.';)
        start--;
    return start > 1 ? (struct span){name + start - 1, length - start + 1} : (struct span){"", 0};
}

static bool is_among(struct span ending, const char *endings) {
    for (size_t length; ending.length && *endings;
         endings += length + strspn(endings + length, " ")) {
        length = strcspn(endings, " ");
        if (length == ending.length && strncasecmp(endings, ending.text, length) == 0)
            return true;
    }
    return false;
}

bool format_to_write(const char *path, enum table_format *format, struct complaint *complaint) {
    struct span ending = ending_of(path);
    if (*format != TABLE_ANY)
        return true;
    for (*format = ending.length ? TABLE_ANY : TABLE_CSV;
         ending.length && *format < FORMATS && !is_among(ending, formats[*format].endings);)
        ++*format;
    return *format < FORMATS ||
           complain(complaint, BAD_INPUT,
                    "%s: unknown extension; expected .csv, .tsv, .txt, .dat, .ecsv, .vot, .xml or "
                    ".fits, optionally followed by .gz, or .nimrows",
                    path);
}

/* ---------------------------------------------------------------- first bytes ----------------- */

/* Files that people mistake for tables we read; their first bytes tell. Those of the binary ones
 * may well start a header of names, so a byte that no text has must be near. */
static const struct {
    const char *bytes;
    size_t length;
    bool binary;
    const char *what;
} strangers[] = {
    {"PK\3\4", 4, true, "a zip archive or a spreadsheet"},
    {"BZh", 3, true, "compressed by bzip2, not gzip"},
    {"\xfd\x37zXZ", 5, true, "compressed by xz, not gzip"},
    {"\x28\xb5\x2f\xfd", 4, true, "compressed by zstd, not gzip"},
    {"PAR1", 4, true, "a Parquet file; python -m nimgp convert makes a table of it"},
    {"\x89HDF", 4, true, "an HDF5 file; python -m nimgp convert makes a table of it"},
    {"%PDF-", 5, false, "a PDF document"},
    {"<!DOCTYPE html", 14, false, "a web page"},
    {"<!doctype html", 14, false, "a web page"},
    {"<html", 5, false, "a web page"},
    {"\xff\xfe", 2, false, "text in UTF-16, not UTF-8"},
    {"\xfe\xff", 2, false, "text in UTF-16, not UTF-8"},
    {"\0\0\x08", 3, true, "an IDX file; experiments/to_csv.py makes a CSV file of it"},
};

static bool has_binary_byte(const char *head, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)head[i] < ' ' && head[i] != '\t' && head[i] != '\n' && head[i] != '\r')
            return true;
    return false;
}

static const char *stranger(const char *head, size_t length) {
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (length >= strangers[i].length &&
            memcmp(head, strangers[i].bytes, strangers[i].length) == 0 &&
            (!strangers[i].binary || has_binary_byte(head, length)))
            return strangers[i].what;
    return NULL;
}

/* How files of a format start; no name of a column starts so. */
static const struct {
    const char *text;
    enum table_format format;
} starts[] = {{"SIMPLE  =", TABLE_FITS},         {"# %ECSV", TABLE_ECSV},
              {"<?xml", TABLE_VOTABLE},          {"<VOTABLE", TABLE_VOTABLE},
              {"<vot:VOTABLE", TABLE_VOTABLE},   {"<!DOCTYPE VOTABLE", TABLE_VOTABLE},
              {ROW_FILE_MAGIC "\1", TABLE_ROWS}, {ROW_FILE_MAGIC "\10", TABLE_ROWS}};

static enum table_format format_starting(const char *head, size_t length) {
    size_t mark = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t skip = starts[i].format == TABLE_VOTABLE ? mark : 0, size = strlen(starts[i].text);
        if (length - skip >= size && memcmp(head + skip, starts[i].text, size) == 0)
            return starts[i].format;
    }
    return TABLE_ANY;
}

bool format_recognise(const char *path, const char *head, size_t length, const char *name,
                      enum table_format *format, struct complaint *complaint) {
    const char *what = stranger(head, length);
    struct span ending = ending_of(path);
    if (!length)
        return complain(complaint, BAD_INPUT, "%s: the file is empty", name);
    if (is_among(ending, ".libsvm .svm"))
        return complain(
            complaint, BAD_INPUT,
            "%s: LIBSVM files are not read; experiments/to_csv.py makes a CSV file of it", name);
    if (what)
        return complain(complaint, BAD_INPUT, "%s: is not a table, but %s", name, what);
    if (*format == TABLE_ANY)
        *format = format_starting(head, length);
    if (*format == TABLE_ANY && is_among(ending, ".tsv"))
        *format = TABLE_TSV;
    return true;
}
