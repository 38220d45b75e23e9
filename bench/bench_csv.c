/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Megabytes a second from CSV text to doubles on one core, and where the time goes: reading bytes,
 * splitting them into cells, converting cells to numbers. For comparison, a loop of fgets, strtok
 * and strtod in the same run.
 *
 *     bench_csv [--megabytes N]
 *
 * The files are made here, in the directory for temporary files, and read from the page cache.
 */
#define _POSIX_C_SOURCE 200809L
#include "text/number.h"
#include "table/byte_stream.h"
#include "table/table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 4096, REPEATS = 5 };

/* Of this core: others may be busy. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "bench_csv: %s\n", what);
    exit(1);
}

/* ---------------------------------------------------------------- made-up tables -------------- */

static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* What a source catalogue holds: positions, fluxes with errors, indices, counts, a class. */
static int catalogue_row(char *line, size_t size, uint64_t *s) {
    static const char *const classes[] = {"bll", "fsrq", "psr"};
    double flux = exp(-20 - 5 * uniform(s));
    return snprintf(
        line, size, "%.6f,%.6f,%.4e,%.4e,%.3f,%.2f,%.4f,%.4f,%.4f,%.4f,%d,%d,%.5f,%.5f,%.3f,%s\n",
        360 * uniform(s), 180 * uniform(s) - 90, flux, 0.1 * flux * uniform(s), 100 * uniform(s),
        10000 * uniform(s), 1 + 2 * uniform(s), 0.1 * uniform(s), uniform(s), 0.05 * uniform(s),
        (int)(1000 * uniform(s)), (int)(10 * uniform(s)), -2.5 * log10(flux), 0.2 * uniform(s),
        20 * uniform(s), classes[(int)(3 * uniform(s))]);
}

/* All the digits a double has, as programs write them. */
static int digits_row(char *line, size_t size, uint64_t *s) {
    size_t length = 0;
    for (int i = 0; i < 8; i++)
        length += (size_t)snprintf(line + length, size - length, "%.17g%c", uniform(s) * exp(i),
                                   i < 7 ? ',' : '\n');
    return (int)length;
}

/* Small integers, as of images and counts. */
static int counts_row(char *line, size_t size, uint64_t *s) {
    size_t length = 0;
    for (int i = 0; i < 32; i++)
        length += (size_t)snprintf(line + length, size - length, "%d%c", (int)(256 * uniform(s)),
                                   i < 31 ? ',' : '\n');
    return (int)length;
}

static const struct kind {
    const char *name;
    int columns, numbers; /* numbers come first */
    int (*row)(char *line, size_t size, uint64_t *state);
} kinds[] = {
    {"catalogue", 16, 15, catalogue_row},
    {"17 digits", 8, 8, digits_row},
    {"counts", 32, 32, counts_row},
};

static void make_text(const struct kind *kind, char *text, size_t size, size_t *length) {
    uint64_t state = 1;
    size_t at = 0;
    for (int i = 0; i < kind->columns; i++)
        at +=
            (size_t)snprintf(text + at, size - at, "c%d%c", i, i + 1 < kind->columns ? ',' : '\n');
    while (size - at > 1000)
        at += (size_t)kind->row(text + at, size - at, &state);
    *length = at;
}

static void write_file(const char *path, const char *text, size_t length, bool zipped) {
    if (zipped) {
        gzFile file = gzopen(path, "wb6");
        if (!file || gzwrite(file, text, (unsigned)length) != (int)length || gzclose(file) != Z_OK)
            stop("cannot write a temporary file");
        return;
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
        stop("cannot write a temporary file");
}

/* ---------------------------------------------------------------- what is timed --------------- */

static double only_read(const char *path, int numbers) {
    (void)numbers;
    static char bytes[1 << 20];
    struct complaint complaint;
    struct byte_stream *source = byte_stream_open(path, &complaint);
    size_t got = 1;
    double sum = 0;
    while (source && got && byte_stream_read(source, bytes, sizeof bytes, &got, &complaint))
        sum += bytes[0];
    byte_stream_close(source);
    return sum;
}

static double read_table(const char *path, int numbers) {
    static double values[BLOCK];
    struct complaint complaint;
    struct table *table = table_open(path, TABLE_ANY, &complaint);
    size_t rows;
    double sum = 0;
    if (!table)
        stop(complaint.text);
    while (table_next(table, BLOCK, &rows, &complaint) && rows)
        for (int i = 0; i < numbers; i++) {
            if (!table_numbers(table, (size_t)i, values, 1, &complaint))
                stop(complaint.text);
            for (size_t row = 0; row < rows; row++)
                sum += values[row];
        }
    table_close(table);
    return sum;
}

static double split_table(const char *path, int numbers) {
    return read_table(path, 0 * numbers);
}

static double plain_loop(const char *path, int numbers) {
    static char line[4096];
    double sum = 0;
    FILE *file = fopen(path, "rb");
    if (!file || !fgets(line, sizeof line, file))
        stop("cannot read a temporary file");
    while (fgets(line, sizeof line, file)) {
        char *rest = line;
        for (int i = 0; i < numbers; i++)
            sum += strtod(strtok_r(i ? NULL : line, ",\n", &rest), NULL);
    }
    fclose(file);
    return sum;
}

static double best_time(double (*work)(const char *, int), const char *path, int numbers,
                        double *sum) {
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = seconds();
        *sum = work(path, numbers);
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static void run(const struct kind *kind, const char *path, const char *zipped, double megabytes) {
    double sum, check, wanted;
    double read = best_time(only_read, path, kind->numbers, &sum);
    double split = best_time(split_table, path, kind->numbers, &sum);
    double all = best_time(read_table, path, kind->numbers, &sum);
    double plain = best_time(plain_loop, path, kind->numbers, &wanted);
    double gzip_read = best_time(only_read, zipped, kind->numbers, &check);
    double gzip_all = best_time(read_table, zipped, kind->numbers, &check);
    if (fabs(sum - wanted) > 1e-9 * fabs(wanted) || sum != check)
        stop("the readers do not agree");
    printf("%-10s %6.0f MB/s  (read %2.0f %%, split %2.0f %%, numbers %2.0f %%)   fgets+strtod "
           "%5.0f MB/s"
           "   gzip %5.0f MB/s (inflating alone %4.0f)\n",
           kind->name, megabytes / all, 100 * read / all, 100 * (split - read) / all,
           100 * (all - split) / all, megabytes / plain, megabytes / gzip_all,
           megabytes / gzip_read);
}

/* ---------------------------------------------------------------- writing --------------------- */

static void run_writing(void) {
    enum { NUMBERS = 2000000 };
    uint64_t state = 1;
    char text[NUMBER_LENGTH + 32];
    size_t bytes = 0;
    double start = seconds();
    for (int i = 0; i < NUMBERS; i++)
        bytes += number_write(uniform(&state), text);
    double mine = seconds() - start;
    state = 1;
    start = seconds();
    for (int i = 0; i < NUMBERS; i++)
        bytes += (size_t)snprintf(text, sizeof text, "%.17g", uniform(&state));
    double printed = seconds() - start;
    printf("%-10s %6.1f ns a number, shortest   snprintf %%.17g %5.1f ns   (%zu bytes)\n",
           "writing", 1e9 * mine / NUMBERS, 1e9 * printed / NUMBERS, bytes);
}

int main(int count, char **words) {
    size_t megabytes = count == 3 && strcmp(words[1], "--megabytes") == 0
                           ? (size_t)strtoul(words[2], NULL, 10)
                           : 64;
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[1024], zipped[1024];
    size_t size = megabytes * 1000000, length;
    char *text = megabytes && megabytes < 2000 ? malloc(size) : NULL;
    if (!text)
        stop("usage: bench_csv [--megabytes 1..1999]");
    snprintf(path, sizeof path, "%s/bench_csv.%ld.csv", directory, (long)getpid());
    snprintf(zipped, sizeof zipped, "%s/bench_csv.%ld.csv.gz", directory, (long)getpid());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make_text(&kinds[i], text, size, &length);
        write_file(path, text, length, false);
        write_file(zipped, text, length, true);
        run(&kinds[i], path, zipped, (double)length / 1e6);
    }
    run_writing();
    unlink(path);
    unlink(zipped);
    free(text);
    return 0;
}
