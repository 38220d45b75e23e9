/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "file/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct atomic_file {
    char *name;                           /* for messages */
    int file;                             /* open for writing, or -1 */
    char *target, *directory, *temporary; /* of a regular file; else NULL */
};

static bool no_memory_for(const char *name, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory", name);
}

static bool complain_of_errno(const char *name, struct complaint *complaint) {
    char reason[128];
    if (errno == ENOMEM)
        return no_memory_for(name, complaint);
    if (strerror_r(errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", errno);
    return complain(complaint, BAD_INPUT, "%s: cannot be written: %s", name, reason);
}

/* ---------------------------------------------------------------- names ----------------------- */

/* The directory part of a path, to be freed. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* What a symbolic link points to, as a path from here; to be freed. */
static char *linked_path(const char *link) {
    char text[PATH_MAX];
    ssize_t length = readlink(link, text, sizeof text - 1);
    char *directory = length > 0 ? directory_of(link) : NULL, *path = NULL;
    if (!directory)
        return NULL;
    text[length] = '\0';
    size_t size = strlen(directory) + (size_t)length + 2;
    if ((path = malloc(size)))
        snprintf(path, size, "%s%s%s", *text == '/' ? "" : directory, *text == '/' ? "" : "/",
                 text);
    free(directory);
    return path;
}

/* The path behind all symbolic links, whether there is a file yet or not; to be freed. */
static char *follow_links(const char *path) {
    enum { MOST_LINKS = 40 };
    char *end = strdup(path);
    struct stat status;
    for (int i = 0; end && lstat(end, &status) == 0 && S_ISLNK(status.st_mode); i++) {
        char *next = i < MOST_LINKS ? linked_path(end) : NULL;
        if (i == MOST_LINKS)
            errno = ELOOP;
        free(end);
        end = next;
    }
    return end;
}

/* The number of an open descriptor that a path names, or -1. */
static int descriptor_named(const char *path) {
    static const char *const directory[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof directory / sizeof *directory; i++) {
        size_t length = strlen(directory[i]);
        if (strncmp(path, directory[i], length) != 0)
            continue;
        size_t digits = strspn(path + length, "0123456789");
        if (digits && digits < 7 && !path[length + digits])
            return atoi(path + length);
    }
    return -1;
}

/* ---------------------------------------------------------------- the temporary file ---------- */

/* Whether the path still names the open file; it may have been renamed or removed meanwhile. */
static bool is_named(int file, const char *path) {
    struct stat open_one, named;
    return fstat(file, &open_one) == 0 && lstat(path, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* Removes a file that a writer left behind; false when it is in use, or not ours to remove. */
static bool remove_left_behind(const char *path) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT; /* already removed */
    struct stat status;
    bool free = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0;
    bool removed = free && (!is_named(file, path) || unlink(path) == 0);
    close(file);
    return removed;
}

/* Whether the new file is locked and still there. On a file system without locks it is ours too;
 * then nobody else can take it for left behind either. */
static bool take(int file, const char *path) {
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK && errno != EINTR;
    return is_named(file, path);
}

/*
 * The temporary file that replaces its target when it is complete: .nimgp-TARGET-0 in the same
 * directory, or a higher number while others write the same target.
 *
 * Its writer holds a lock on it (flock). If the writer is killed, the lock is released and the file
 * stays. So a file that can be locked has no writer, and the next writer of the target removes it.
 *
 * Creates it, opens it for writing and locks it. It has the usual permissions of new files. *path
 * becomes its name, to be freed. Returns -1 and sets errno on failure.
 */
static int create_temporary(const char *directory, const char *target, char **path) {
    enum { MOST_ATTEMPTS = 10000, NUMBER = 32, MOST_OF_NAME = 200 };
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    size_t size = strlen(directory) + MOST_OF_NAME + NUMBER;
    char *text = malloc(size);
    if (!text)
        return -1;
    for (int attempt = 0, number = 0; attempt < MOST_ATTEMPTS; attempt++) {
        snprintf(text, size, "%s/.nimgp-%.*s-%d", directory, MOST_OF_NAME, name, number);
        int file = open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && take(file, text)) {
            *path = text;
            return file;
        }
        if (file >= 0)
            close(file); /* somebody took it for left behind, and removes it */
        else if (errno != EEXIST)
            break;
        else if (!remove_left_behind(text))
            number++;
    }
    int reason = errno;
    free(text);
    errno = reason;
    return -1;
}

/* ---------------------------------------------------------------- opening --------------------- */

static bool open_regular(struct atomic_file *file, const char *path, const struct stat *old,
                         struct complaint *complaint) {
    if (old && access(path, W_OK) != 0)
        return complain_of_errno(file->name, complaint);
    errno = ENOMEM;
    file->target = follow_links(path);
    if (!file->target)
        return complain_of_errno(file->name, complaint);
    file->directory = directory_of(file->target);
    if (!file->directory)
        return no_memory_for(file->name, complaint);
    file->file = create_temporary(file->directory, file->target, &file->temporary);
    if (file->file < 0)
        return complain_of_errno(file->name, complaint);
    return !old || fchmod(file->file, old->st_mode & 0777) == 0 ||
           complain_of_errno(file->name, complaint);
}

static bool open_file(struct atomic_file *file, const char *path, struct complaint *complaint) {
    struct stat old;
    int descriptor = descriptor_named(path);
    if (descriptor >= 0) {
        file->file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        return file->file >= 0 || complain_of_errno(file->name, complaint);
    }
    if (!*path)
        return complain(complaint, BAD_INPUT, "the name of the output is empty");
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is a directory; expected a file to write", path);
    if (exists && !S_ISREG(old.st_mode)) {
        file->file = open(path, O_WRONLY | O_CLOEXEC);
        return file->file >= 0 || complain_of_errno(file->name, complaint);
    }
    return open_regular(file, path, exists ? &old : NULL, complaint);
}

struct atomic_file *atomic_file_open(const char *path, struct complaint *complaint) {
    struct atomic_file *file = calloc(1, sizeof *file);
    if (!file) {
        no_memory_for(path, complaint);
        return NULL;
    }
    file->file = -1;
    file->name = strdup(strcmp(path, "/dev/stdout") == 0 ? "standard output" : path);
    if (file->name ? open_file(file, path, complaint) : no_memory_for(path, complaint))
        return file;
    atomic_file_abandon(file);
    return NULL;
}

const char *atomic_file_name(const struct atomic_file *file) {
    return file->name;
}

bool atomic_file_is_terminal(const struct atomic_file *file) {
    return isatty(file->file) != 0;
}

const char *atomic_file_directory(const struct atomic_file *file) {
    return file->directory;
}

/* ---------------------------------------------------------------- writing --------------------- */

bool atomic_file_write(struct atomic_file *file, const void *bytes, size_t size,
                       struct complaint *complaint) {
    enum { MOST_AT_ONCE = 1 << 30 };
    for (const char *p = bytes; size;) {
        ssize_t count = write(file->file, p, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EPIPE)
            return complain(complaint, READER_GONE, "%s: the reader has closed it", file->name);
        if (count < 0)
            return complain_of_errno(file->name, complaint);
        if (count == 0)
            return complain(complaint, BAD_INPUT, "%s: cannot be written: no bytes are accepted",
                            file->name);
        p += count;
        size -= (size_t)count;
    }
    return true;
}

/* ---------------------------------------------------------------- the end --------------------- */

static void free_file(struct atomic_file *file) {
    if (file->file >= 0)
        close(file->file);
    free(file->name);
    free(file->target);
    free(file->directory);
    free(file->temporary);
    free(file);
}

/* So that the new name itself outlives a power failure; no harm where this cannot be had. */
static void sync_directory(const char *directory) {
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
}

static bool appear(struct atomic_file *file, struct complaint *complaint) {
    if (fsync(file->file) != 0 && errno != EINVAL)
        return complain_of_errno(file->name, complaint);
    /* Closing may tell of an error still, but the lock must last until the file has its name. */
    int lock = fcntl(file->file, F_DUPFD_CLOEXEC, 0), descriptor = file->file;
    if (lock < 0)
        return complain_of_errno(file->name, complaint);
    file->file = lock;
    if (close(descriptor) != 0 || rename(file->temporary, file->target) != 0)
        return complain_of_errno(file->name, complaint);
    free(file->temporary);
    file->temporary = NULL; /* there is none any more */
    sync_directory(file->directory);
    return true;
}

bool atomic_file_close(struct atomic_file *file, struct complaint *complaint) {
    if (file->temporary && !appear(file, complaint)) {
        atomic_file_abandon(file);
        return false;
    }
    free_file(file);
    return true;
}

void atomic_file_abandon(struct atomic_file *file) {
    if (!file)
        return;
    if (file->temporary)
        unlink(file->temporary);
    free_file(file);
}
