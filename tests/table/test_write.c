/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing: every format, and every sequence of formats, returns the bits that were written; and a
 * file is complete or does not exist.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/table_case.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---------------------------------------------------------------- helpers --------------------- */

static void stop_on(bool good, const struct complaint *complaint) {
    if (!good)
        fail_msg("%s", complaint->text);
}

/* Writes a grid: numbers as numbers, text as text. */
static bool write_grid(const struct grid *grid, const char *path, enum table_format format,
                       struct complaint *complaint) {
    struct table_writer *writer =
        table_writer_open(path, format, grid->columns, grid->column, complaint);
    bool good = writer != NULL;
    for (size_t row = 0; good && row < grid->rows; row++) {
        for (size_t i = 0; i < grid->columns; i++) {
            size_t cell = row * grid->columns + i;
            if (grid->column[i].kind == COLUMN_NUMBER)
                table_write_number(writer, grid->number[cell]);
            else
                table_write_text(writer, (struct span){grid->text[cell], grid->length[cell]});
        }
        good = table_write_end(writer, complaint);
    }
    if (good)
        return table_writer_close(writer, complaint);
    table_writer_abandon(writer);
    return false;
}

/* Numbers of every size, some missing, some infinite; text with everything in it that is not at its
 * edges a blank. Column k is text for odd k, and starts with a letter that makes it text. */
static void random_grid(struct grid *grid, size_t columns, size_t rows, uint64_t *state) {
    static const char letters[] = "ab,;\t \"'\n\r#\\|0.5-\xc3\xa9";
    *grid = (struct grid){.columns = columns, .rows = rows};
    grid->column = calloc(columns, sizeof *grid->column);
    grid->number = calloc(columns * rows + 1, sizeof *grid->number);
    grid->is_number = calloc(columns * rows + 1, sizeof *grid->is_number);
    grid->text = calloc(columns * rows + 1, sizeof *grid->text);
    grid->length = calloc(columns * rows + 1, sizeof *grid->length);
    grid->place = calloc(rows + 1, sizeof *grid->place);
    for (size_t i = 0; i < columns; i++) {
        char *name;
        assert_true(asprintf(&name, "%s %zu", i % 3 ? "it's, \"so\"" : "#x", i) > 0);
        grid->column[i] =
            (struct column){.name = name, .kind = i % 2 ? COLUMN_TEXT : COLUMN_NUMBER};
    }
    for (size_t cell = 0; cell < columns * rows; cell++) {
        uint64_t bits = random_bits(state);
        char text[64] = "";
        size_t length = 0;
        memcpy(&grid->number[cell], &bits, sizeof bits);
        if (random_below(state, 10) == 0)
            grid->number[cell] = NAN;
        if (cell < columns)
            grid->number[cell] = 1.5; /* so that it is seen to be a column of numbers */
        grid->is_number[cell] = cell % columns % 2 == 0;
        if (cell % columns % 2 && (cell < columns || random_below(state, 5))) {
            text[length++] = 'T';
            for (size_t more = random_below(state, 40); length < more;)
                text[length++] = letters[random_below(state, sizeof letters - 1)];
            text[length++] = '.';
        }
        grid->length[cell] = length;
        grid->text[cell] = strndup(text, length);
    }
}

/* Texts of numbers depend on the format; only the numbers themselves are compared. */
static void forget_number_texts(struct grid *grid) {
    for (size_t cell = 0; cell < grid->columns * grid->rows; cell++)
        if (grid->column[cell % grid->columns].kind == COLUMN_NUMBER) {
            grid->text[cell][0] = '\0';
            grid->length[cell] = 0;
        }
}

static void assert_file_holds(const char *path, enum table_format format, size_t most,
                              const struct grid *wanted) {
    struct grid got;
    grid_of(&got, path, format, most);
    forget_number_texts(&got);
    assert_same_grid(&got, wanted);
    grid_free(&got);
}

/* ---------------------------------------------------------------- round trips ----------------- */

static const char *const outputs[] = {"o.csv",    "o.tsv",    "o.fits",
                                      "o.csv.gz", "o.tsv.gz", "o.fits.gz"};

static void written_is_read(void **context) {
    (void)context;
    static const size_t blocks[] = {1, 7, 4096};
    uint64_t state = 1;
    struct complaint complaint;
    for (size_t try = 0; try < 12; try++) {
        struct grid grid;
        random_grid(&grid, 1 + try % 7, random_below(&state, 300), &state);
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
            const char *path = path_of(outputs[i]);
            stop_on(write_grid(&grid, path, TABLE_ANY, &complaint), &complaint);
            if (grid.rows) /* without rows nothing tells that a CSV column is text */
                for (size_t k = 0; k < 3; k++)
                    assert_file_holds(path, TABLE_ANY, blocks[k], &grid);
        }
        grid_free(&grid);
    }
}

/* From any format to any other and on to a third. */
static void through_all_formats(void **context) {
    (void)context;
    uint64_t state = 2;
    struct complaint complaint;
    struct grid grid;
    random_grid(&grid, 6, 500, &state);
    stop_on(write_grid(&grid, path_of("o.csv"), TABLE_ANY, &complaint), &complaint);
    const char *before = path_of("o.csv");
    for (size_t i = 0; i < 30; i++) {
        const char *path = path_of(outputs[random_below(&state, 6)]);
        struct grid held;
        grid_of(&held, before, TABLE_ANY, 64);
        stop_on(write_grid(&held, path, TABLE_ANY, &complaint), &complaint);
        grid_free(&held);
        before = path;
    }
    assert_file_holds(before, TABLE_ANY, 4096, &grid);
    grid_free(&grid);
}

/* More than any buffer holds, with one cell larger than all of them. */
static void large_tables(void **context) {
    (void)context;
    enum { ROWS = 40000, LONG = 700000 };
    struct column columns[] = {{.name = "x"}, {.name = "name", .kind = COLUMN_TEXT}};
    struct complaint complaint;
    char *text = malloc(LONG);
    assert_non_null(text);
    memset(text, '"', LONG);
    text[0] = 'T';
    for (size_t k = 0; k < 4; k += 2) { /* CSV and FITS; the latter is as wide as the widest */
        size_t rows = k ? 100 : ROWS, most;
        const char *path = path_of(outputs[k]);
        struct table_writer *writer = table_writer_open(path, TABLE_ANY, 2, columns, &complaint);
        assert_non_null(writer);
        for (size_t i = 0; i < rows; i++) {
            table_write_number(writer, sqrt((double)i));
            table_write_text(writer, (struct span){text, i == 77 ? LONG : 1 + i % 50});
            stop_on(table_write_end(writer, &complaint), &complaint);
        }
        stop_on(table_writer_close(writer, &complaint), &complaint);
        struct table *table = table_open(path, TABLE_ANY, &complaint);
        assert_non_null(table);
        size_t row = 0;
        while (table_next(table, 1, &most, &complaint) && most) {
            double x;
            struct span span;
            assert_true(table_numbers(table, 0, &x, 1, &complaint));
            assert_true(table_text(table, 0, 1, &span, &complaint));
            assert_true(x == sqrt((double)row));
            assert_int_equal(span.length, row == 77 ? LONG : 1 + row % 50);
            assert_memory_equal(span.text, text, span.length);
            row++;
        }
        assert_int_equal(row, rows);
        table_close(table);
    }
    free(text);
}

/* ---------------------------------------------------------------- exact bytes ----------------- */

static void csv_as_written(void **context) {
    (void)context;
    struct column columns[] = {{.name = "#a,b"}, {.name = "c", .kind = COLUMN_TEXT}, {.name = ""}};
    static const char *const texts[] = {"x", "", "a,b", "say \"x\"", " x", "two\nlines", "tab\tin"};
    static const double numbers[] = {1, -0.5, NAN, INFINITY, 1e-300, 0.1, -0.0};
    static const char wanted[] = "\"#a,b\",c,\n"
                                 "1,x,1\n"
                                 "-0.5,,-0.5\n"
                                 ",\"a,b\",\n"
                                 "inf,\"say \"\"x\"\"\",inf\n"
                                 "1e-300,\" x\",1e-300\n"
                                 "0.1,\"two\nlines\",0.1\n"
                                 "-0,tab\tin,-0\n";
    struct complaint complaint;
    struct table_writer *writer =
        table_writer_open(path_of("o.csv"), TABLE_ANY, 3, columns, &complaint);
    assert_non_null(writer);
    for (size_t i = 0; i < 7; i++) {
        table_write_number(writer, numbers[i]);
        table_write_text(writer, (struct span){texts[i], strlen(texts[i])});
        table_write_number(writer, numbers[i]);
        assert_true(table_write_end(writer, &complaint));
    }
    stop_on(table_writer_close(writer, &complaint), &complaint);
    size_t size;
    char *got = contents_of(path_of("o.csv"), &size);
    assert_string_equal(got, wanted);
    free(got);
}

/* A missing number in the only column is a row, not an empty line. */
static void one_column_with_gaps(void **context) {
    (void)context;
    struct column column = {.name = "x"};
    struct complaint complaint;
    for (size_t k = 0; k < 3; k++) {
        struct grid grid;
        struct table_writer *writer =
            table_writer_open(path_of(outputs[k]), TABLE_ANY, 1, &column, &complaint);
        assert_non_null(writer);
        for (int i = 0; i < 3; i++) {
            table_write_number(writer, i == 1 ? 5 : NAN);
            assert_true(table_write_end(writer, &complaint));
        }
        stop_on(table_writer_close(writer, &complaint), &complaint);
        grid_of(&grid, path_of(outputs[k]), TABLE_ANY, 10);
        assert_int_equal(grid.rows, 3);
        assert_true(isnan(grid.number[0]) && grid.number[1] == 5 && isnan(grid.number[2]));
        grid_free(&grid);
    }
}

/* Cells of the other kind are turned into the column's. */
static void other_kinds(void **context) {
    (void)context;
    struct column columns[] = {{.name = "n"}, {.name = "t", .kind = COLUMN_TEXT}};
    struct complaint complaint;
    struct table_writer *writer =
        table_writer_open(path_of("o.fits"), TABLE_ANY, 2, columns, &complaint);
    struct grid grid;
    assert_non_null(writer);
    table_write_text(writer, (struct span){"2.5", 3});
    table_write_number(writer, 0.25);
    assert_true(table_write_end(writer, &complaint));
    table_write_text(writer, (struct span){"", 0});
    table_write_number(writer, NAN);
    assert_true(table_write_end(writer, &complaint));
    table_write_text(writer, (struct span){"abc", 3});
    table_write_number(writer, 1);
    assert_false(table_write_end(writer, &complaint));
    assert_non_null(strstr(complaint.text, "o.fits: row 3: column n"));
    table_writer_abandon(writer);

    writer = table_writer_open(path_of("o.fits"), TABLE_ANY, 2, columns, &complaint);
    assert_non_null(writer);
    table_write_text(writer, (struct span){"2.5", 3});
    table_write_number(writer, 0.25);
    assert_true(table_write_end(writer, &complaint));
    stop_on(table_writer_close(writer, &complaint), &complaint);
    grid_of(&grid, path_of("o.fits"), TABLE_ANY, 10);
    assert_true(grid.number[0] == 2.5);
    assert_string_equal(grid.text[1], "0.25");
    grid_free(&grid);
}

/* ---------------------------------------------------------------- all or nothing -------------- */

static void assert_holds_text(const char *path, const char *wanted) {
    size_t size;
    char *got = contents_of(path, &size);
    assert_string_equal(got, wanted);
    free(got);
}

/* Until it is closed, and when it is abandoned, the old file stays and no other is seen. */
static void nothing_half_written(void **context) {
    (void)context;
    struct column column = {.name = "x"};
    struct complaint complaint;
    directory_remove(NULL);
    directory_make(NULL);
    for (size_t k = 0; k < 6; k++) {
        const char *path = text_file(outputs[k], "old");
        size_t entries = directory_entries();
        struct table_writer *writer = table_writer_open(path, TABLE_ANY, 1, &column, &complaint);
        assert_non_null(writer);
        for (int i = 0; i < 100000; i++) {
            table_write_number(writer, i);
            assert_true(table_write_end(writer, &complaint));
        }
        assert_holds_text(path, "old");
        table_writer_abandon(writer);
        assert_holds_text(path, "old");
        assert_int_equal(directory_entries(), entries);

        writer = table_writer_open(path_of("new.csv"), TABLE_ANY, 1, &column, &complaint);
        assert_non_null(writer);
        assert_true(access(path_of("new.csv"), F_OK) != 0);
        table_writer_abandon(writer);
        assert_int_equal(directory_entries(), entries);
    }
    table_writer_abandon(NULL);
}

static void permissions_and_links_stay(void **context) {
    (void)context;
    struct grid grid;
    struct complaint complaint;
    struct stat state;
    uint64_t seed = 3;
    random_grid(&grid, 2, 3, &seed);
    const char *path = text_file("real.csv", "old");
    const char *link = path_of("link.csv");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("real.csv", link), 0);
    stop_on(write_grid(&grid, link, TABLE_ANY, &complaint), &complaint);
    assert_int_equal(lstat(link, &state), 0);
    assert_true(S_ISLNK(state.st_mode));
    assert_int_equal(stat(path, &state), 0);
    assert_int_equal(state.st_mode & 0777, 0640);
    assert_file_holds(path, TABLE_ANY, 10, &grid);

    mode_t old = umask(027);
    stop_on(write_grid(&grid, path_of("fresh.csv"), TABLE_ANY, &complaint), &complaint);
    umask(old);
    assert_int_equal(stat(path_of("fresh.csv"), &state), 0);
    assert_int_equal(state.st_mode & 0777, 0640);
    grid_free(&grid);
}

static void assert_not_written(const struct grid *grid, const char *path, enum table_format format,
                               enum complaint_kind kind, const char *word) {
    struct complaint complaint = {0};
    if (write_grid(grid, path, format, &complaint))
        fail_msg("%s could be written", path);
    if (complaint.kind != kind || !strstr(complaint.text, word))
        fail_msg("%s: kind %d, '%s'", path, complaint.kind, complaint.text);
}

static void what_cannot_be_written(void **context) {
    (void)context;
    struct grid grid;
    uint64_t seed = 4;
    random_grid(&grid, 4, 50, &seed);
    assert_not_written(&grid, path_of("no/such/o.csv"), TABLE_ANY, BAD_INPUT, "No such file");
    assert_not_written(&grid, path_of("."), TABLE_ANY, BAD_INPUT, "directory");
    assert_not_written(&grid, path_of("o.xlsx"), TABLE_ANY, BAD_INPUT, "unknown extension");
    assert_not_written(&grid, "", TABLE_ANY, BAD_INPUT, "empty");
    grid_free(&grid);
    struct complaint complaint;
    struct column odd = {.name = "gr\xc3\xb6\xc3\x9f"
                                 "e"};
    assert_null(table_writer_open(path_of("o.fits"), TABLE_ANY, 1, &odd, &complaint));
    assert_non_null(strstr(complaint.text, "ASCII"));
}

/*
 * A device to write to: our own node in the directory when we are root, since a writer gone wrong
 * could replace the system's; else the system's, which nobody else can replace. NULL where there is
 * none.
 */
static const char *device(const char *name, unsigned minor_number) {
    static char system_path[64];
    const char *path = path_of(name);
    if (geteuid() != 0) {
        snprintf(system_path, sizeof system_path, "/dev/%s", name);
        path = system_path;
    } else {
        unlink(path);
        if (mknod(path, S_IFCHR | 0666, makedev(1, minor_number)) != 0)
            path = NULL;
    }
    FILE *file = path ? fopen(path, "wb") : NULL; /* where devices are not allowed this fails */
    if (file)
        fclose(file);
    else
        print_message("SKIPPED: no device %s to write to\n", name);
    return file ? path : NULL;
}

static void assert_still_device(const char *path) {
    struct stat state;
    assert_int_equal(stat(path, &state), 0);
    assert_true(S_ISCHR(state.st_mode));
}

static void devices(void **context) {
    (void)context;
    static const enum table_format formats[] = {TABLE_CSV, TABLE_TSV, TABLE_FITS};
    const char *null = device("null", 3), *full = device("full", 7);
    struct grid grid;
    struct complaint complaint;
    uint64_t seed = 7;
    random_grid(&grid, 4, 50, &seed);
    for (size_t i = 0; i < 3; i++) {
        if (null) {
            stop_on(write_grid(&grid, null, formats[i], &complaint), &complaint);
            assert_still_device(null);
        }
        if (full) {
            assert_not_written(&grid, full, formats[i], BAD_INPUT, "No space left");
            assert_still_device(full);
        }
    }
    grid_free(&grid);
}

/* Nobody reads any more: a complaint, but not one to fail over. */
static void closed_pipe(void **context) {
    (void)context;
    struct grid grid;
    struct complaint complaint = {0};
    uint64_t seed = 5;
    int ends[2], saved = dup(STDOUT_FILENO);
    random_grid(&grid, 4, 50, &seed);
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    bool good = write_grid(&grid, "-", TABLE_CSV, &complaint);
    dup2(saved, STDOUT_FILENO);
    signal(SIGPIPE, before);
    close(saved);
    close(ends[1]);
    assert_false(good);
    assert_int_equal(complaint.kind, READER_GONE);
    assert_non_null(strstr(complaint.text, "standard output"));
    grid_free(&grid);
}

/* Through a named pipe, which must still be one afterwards; FITS too, which is written in order. */
static void named_pipes(void **context) {
    (void)context;
    struct grid grid;
    uint64_t seed = 6;
    random_grid(&grid, 4, 50, &seed);
    static const char *const names[] = {"p.csv", "p.fits"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = path_of(names[i]);
        struct complaint complaint;
        struct stat state;
        assert_int_equal(mkfifo(path, 0600), 0);
        fflush(stdout);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(write_grid(&grid, path, TABLE_ANY, &complaint) ? 0 : 1);
        assert_file_holds(path, TABLE_ANY, 10, &grid);
        assert_int_equal(stat(path, &state), 0);
        assert_true(S_ISFIFO(state.st_mode));
    }
    grid_free(&grid);
}

/* A row of one cell, of three, and one that is not ended, in a table of two columns. */
static void miscounted_rows(void **context) {
    (void)context;
    struct column columns[] = {{.name = "a"}, {.name = "b"}};
    struct complaint complaint;
    for (size_t cells = 1; cells <= 3; cells++) {
        struct table_writer *writer =
            table_writer_open(path_of("m.csv"), TABLE_ANY, 2, columns, &complaint);
        assert_non_null(writer);
        for (size_t i = 0; i < cells; i++)
            table_write_number(writer, 1);
        if (cells == 2)
            assert_true(table_write_end(writer, &complaint));
        else
            assert_false(table_write_end(writer, &complaint));
        if (cells == 2)
            table_write_number(writer, 1);
        complaint.text[0] = '\0';
        assert_false(table_writer_close(writer, &complaint));
        assert_non_null(strstr(complaint.text,
                               cells == 2 ? "row 2: expected 2 cells" : "row 1: expected 2 cells"));
        assert_true(access(path_of("m.csv"), F_OK) != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(through_all_formats),
        cmocka_unit_test(large_tables),
        cmocka_unit_test(csv_as_written),
        cmocka_unit_test(one_column_with_gaps),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(nothing_half_written),
        cmocka_unit_test(permissions_and_links_stay),
        cmocka_unit_test(what_cannot_be_written),
        cmocka_unit_test(devices),
        cmocka_unit_test(closed_pipe),
        cmocka_unit_test(named_pipes),
        cmocka_unit_test(miscounted_rows),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
