/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/model/files.h"

#include "table/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool file_check_output(const char *path, struct complaint *complaint) {
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is a directory; expected a file to write", path);
    if (exists && !S_ISREG(status.st_mode)) /* opening may wait for a reader */
        return access(path, W_OK) == 0 ||
               complain(complaint, BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    struct output *trial = output_open(path, complaint);
    output_abandon(trial);
    return trial != NULL;
}

bool file_write(const char *path, const void *bytes, size_t size, struct complaint *complaint) {
    struct output *output = output_open(path, complaint);
    if (!output)
        return false;
    output_write(output, bytes, size);
    return output_close(output, complaint);
}

/* Of "stars.fits[2]", where there is no such file, that of stars.fits. */
static bool find_file(const char *path, struct stat *status) {
    if (stat(path, status) == 0)
        return true;
    const char *bracket = strrchr(path, '[');
    char *whole = bracket ? strndup(path, (size_t)(bracket - path)) : NULL;
    bool found = whole && stat(whole, status) == 0;
    free(whole);
    return found;
}

bool file_check_apart(const char *output, const char *input, struct complaint *complaint) {
    struct stat out, in;
    if (stat(output, &out) != 0 || !find_file(input, &in) || !S_ISREG(out.st_mode) ||
        out.st_dev != in.st_dev || out.st_ino != in.st_ino)
        return true;
    return complain(complaint, BAD_USAGE, "%s: is an input and would be overwritten", input);
}

bool file_complain(struct complaint *complaint, const char *path, const nim_error *error) {
    complain_of(complaint, error);
    size_t length = strlen(path);
    if (strncmp(complaint->text, path, length) == 0)
        return false;
    struct complaint inner = *complaint;
    return complain(complaint, inner.kind, "%s: %s", path, inner.text);
}

nim_model *file_load_model(const char *path, struct complaint *complaint) {
    nim_model *model = NULL;
    nim_error error;
    if (strcmp(path, "-") == 0) {
        complain(complaint, BAD_INPUT, "-: a model cannot be read from a pipe; expected a file");
        return NULL;
    }
    if (nim_model_load(path, &model, &error) != NIM_OK)
        file_complain(complaint, path, &error);
    return model;
}

/* Eight bytes of length, then a header (docs/model-file.md). */
bool file_is_model(const char *path) {
    static const char start[] = "{\"__metadata__\":{\"crc32\":\"";
    char head[8 + sizeof start - 1];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) /* a pipe can be read once */
        return false;
    FILE *file = fopen(path, "rb");
    bool is = file && fread(head, 1, sizeof head, file) == sizeof head &&
              memcmp(head + 8, start, sizeof start - 1) == 0;
    if (file)
        fclose(file);
    return is;
}

enum table_format file_format(const struct arguments *arguments, const char *option) {
    enum table_format format = TABLE_ANY;
    table_format_named(argument_text(arguments, option), &format); /* one of the choices */
    return format;
}

struct table *file_open_table(const char *path, enum table_format format,
                              struct complaint *complaint) {
    if (!file_is_model(path))
        return table_open(path, format, complaint);
    complain(complaint, BAD_INPUT, "%s: is a nimgp model, not a table", path);
    return NULL;
}
