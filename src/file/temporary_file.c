/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "file/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

int temporary_file_create(const char *directory, const char *target, char **path) {
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
