/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are complete or do not exist, behind links and with their permissions. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "file/atomic_file.h"
#include "support/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every test works in an empty directory of its own. */
static int enter(void **state) {
    char path[SCRATCH_SIZE];
    if (!mkdtemp(scratch_name(path)) || chdir(path) != 0)
        return -1;
    *state = strdup(path);
    return 0;
}

static int leave(void **state) {
    char command[SCRATCH_SIZE + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") != 0 || system(command) != 0;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[length] = '\0';
    assert_string_equal(found, text);
}

static size_t entries(void) {
    size_t count = 0;
    DIR *directory = opendir(".");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; /* without . and .. */
}

static bool replace(const char *path, const char *text, struct complaint *complaint) {
    struct atomic_file *file = atomic_file_open(path, complaint);
    if (!file)
        return false;
    assert_true(atomic_file_write(file, text, strlen(text), complaint));
    return atomic_file_close(file, complaint);
}

static void write_new(const char *path, const char *text) {
    struct complaint complaint = {0};
    if (!replace(path, text, &complaint))
        fail_msg("%s", complaint.text);
}

static void assert_link(const char *path, const char *target) {
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text - 1);
    assert_true(length > 0);
    text[length] = '\0';
    assert_string_equal(text, target);
}

static void old_content_until_it_is_closed(void **unused) {
    (void)unused;
    struct complaint complaint = {0};
    put("a", "old");
    struct atomic_file *file = atomic_file_open("a", &complaint);
    assert_true(atomic_file_write(file, "new", 3, &complaint));
    assert_holds("a", "old");
    assert_true(atomic_file_close(file, &complaint));
    assert_holds("a", "new");
    file = atomic_file_open("a", &complaint);
    assert_true(atomic_file_write(file, "newer", 5, &complaint));
    atomic_file_abandon(file);
    assert_holds("a", "new");
    assert_int_equal(entries(), 1);
    atomic_file_abandon(NULL);
}

static void permissions_stay(void **unused) {
    (void)unused;
    struct stat status;
    mode_t before = umask(027);
    write_new("fresh", "1");
    umask(before);
    assert_int_equal(stat("fresh", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    put("a", "old");
    chmod("a", 0604);
    write_new("a", "new");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
}

static void links_stay(void **unused) {
    (void)unused;
    assert_int_equal(mkdir("there", 0777), 0);
    put("there/file", "old");
    assert_int_equal(symlink("file", "there/near"), 0);
    assert_int_equal(symlink("there/near", "far"), 0);
    write_new("far", "new");
    assert_link("far", "there/near");
    assert_link("there/near", "file");
    assert_holds("there/file", "new");

    assert_int_equal(symlink("there/later", "dangling"), 0);
    write_new("dangling", "born");
    assert_link("dangling", "there/later");
    assert_holds("there/later", "born");
}

static void endless_links_are_refused(void **unused) {
    (void)unused;
    struct complaint complaint = {0};
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    assert_false(replace("a", "x", &complaint));
    assert_int_equal(complaint.kind, BAD_INPUT);
    assert_non_null(strstr(complaint.text, "a: cannot be written: "));
    assert_int_equal(entries(), 2);
}

/* Output to an open descriptor continues at its position and does not replace the file. */
static void open_descriptors_are_written_directly(void **unused) {
    (void)unused;
    put("a", "before ");
    int file = open("a", O_WRONLY | O_APPEND);
    char path[64];
    const char *const form[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, i ? form[1] : form[0], file);
        write_new(path, i ? "2" : "1");
    }
    close(file);
    assert_holds("a", "before 12");
    struct complaint complaint = {0};
    assert_null(atomic_file_open("/dev/fd/999999", &complaint));
    assert_int_equal(complaint.kind, BAD_INPUT);
}

static void what_cannot_be_a_file(void **unused) {
    (void)unused;
    struct complaint complaint = {0};
    assert_int_equal(mkdir("there", 0777), 0);
    const char *const path[] = {"", "there", "nowhere/a"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        complaint = (struct complaint){0};
        assert_null(atomic_file_open(path[i], &complaint));
        assert_int_equal(complaint.kind, BAD_INPUT);
        assert_non_null(strstr(complaint.text, path[i]));
    }
    write_new("/dev/null", "nothing");
    write_new("-", "a name like any other");
    assert_holds("-", "a name like any other");
}

static void a_full_device_leaves_nothing(void **unused) {
    (void)unused;
    struct complaint complaint = {0};
    struct atomic_file *file = atomic_file_open("/dev/full", &complaint);
    if (!file)
        skip();
    assert_false(atomic_file_write(file, "x", 1, &complaint));
    assert_string_equal(complaint.text, "/dev/full: cannot be written: No space left on device");
    atomic_file_abandon(file);
}

/* A writer that was killed no longer holds its lock, so the next one removes its file. The file of
 * a writer that is running is kept. */
static void what_was_left_behind_goes(void **unused) {
    (void)unused;
    struct complaint complaint = {0};
    put(".nimgp-a-0", "half a fi");
    put(".nimgp-a-1", "half a fi");
    put(".nimgp-b-0", "of another target");
    int busy = open(".nimgp-a-0", O_RDONLY);
    assert_int_equal(flock(busy, LOCK_EX | LOCK_NB), 0);
    struct atomic_file *file = atomic_file_open("a", &complaint);
    assert_true(atomic_file_write(file, "new", 3, &complaint));
    assert_holds(".nimgp-a-0", "half a fi");
    assert_holds(".nimgp-a-1", "new");
    assert_true(atomic_file_close(file, &complaint));
    close(busy);
    assert_int_equal(entries(), 3);
    write_new("a", "newer");
    assert_int_equal(entries(), 2);
    assert_holds("a", "newer");
    assert_holds(".nimgp-b-0", "of another target");
    /* Files that we did not create are not removed. */
    assert_int_equal(symlink("a", ".nimgp-c-0"), 0);
    assert_int_equal(mkdir(".nimgp-c-1", 0777), 0);
    write_new("c", "1");
    assert_link(".nimgp-c-0", "a");
    assert_int_equal(rmdir(".nimgp-c-1"), 0);
    assert_holds("a", "newer");
}

static void long_names_and_many_writers(void **unused) {
    (void)unused;
    enum { WRITERS = 8, TIMES = 50 };
    char name[256];
    memset(name, 'x', 255);
    name[255] = '\0';
    write_new(name, "long");
    assert_int_equal(entries(), 1);
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0)
            continue;
        struct complaint complaint = {0};
        bool good = true;
        for (int i = 0; good && i < TIMES; i++)
            good = replace(name, "aaaaaaaaaaaaaaaa\0bbbbbbbb" + (w % 2 ? 17 : 0), &complaint);
        if (!good)
            fprintf(stderr, "%s\n", complaint.text);
        _exit(good ? 0 : 1);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(entries(), 1);
    struct stat status;
    assert_int_equal(stat(name, &status), 0);
    assert_true(status.st_size == 16 || status.st_size == 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(old_content_until_it_is_closed, enter, leave),
        cmocka_unit_test_setup_teardown(permissions_stay, enter, leave),
        cmocka_unit_test_setup_teardown(links_stay, enter, leave),
        cmocka_unit_test_setup_teardown(endless_links_are_refused, enter, leave),
        cmocka_unit_test_setup_teardown(open_descriptors_are_written_directly, enter, leave),
        cmocka_unit_test_setup_teardown(what_cannot_be_a_file, enter, leave),
        cmocka_unit_test_setup_teardown(a_full_device_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(what_was_left_behind_goes, enter, leave),
        cmocka_unit_test_setup_teardown(long_names_and_many_writers, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
