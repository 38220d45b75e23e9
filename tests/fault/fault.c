/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be loaded before all others (LD_PRELOAD) that makes the n-th call of a kind fail:
 *
 *     NIMGP_FAULT=memory:17     the 17th allocation
 *     NIMGP_FAULT=write:3+      the 3rd write and all that follow
 *     NIMGP_FAULT_MARK=FILE     FILE is created when a call is made to fail
 *     NIMGP_FAULT_LIVE=FILE     at the end FILE gets the number of blocks of memory not freed
 *     NIMGP_FAULT_UNTIL_EXIT=1  none of the calls behind exit() fails: those of counters of lines
 *
 * A program that this file is linked into says so itself (fault.h).
 *
 * Kinds: memory (malloc, calloc, realloc, aligned_alloc, posix_memalign), read, write, fsync,
 * rename, open, thread, and clock, which does not fail but goes back by a day (clock_gettime, of
 * any clock). Calls are counted in the order they are made, in all threads together.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* open and open64 are both ours */
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *kind, *mark;
    size_t length; /* of the kind */
    unsigned long long at;
    bool all_later;
    bool until_exit;
    bool ready;
} plan;

static atomic_ullong calls;
static atomic_bool happened;

void fault_arm(const char *kind, unsigned long long at) {
    plan.kind = kind;
    plan.length = strlen(kind);
    plan.at = at;
    atomic_store(&calls, 0);
    atomic_store(&happened, false);
    plan.ready = true;
}

bool fault_disarm(void) {
    plan.ready = false;
    return atomic_load(&happened);
}

__attribute__((constructor)) static void read_plan(void) {
    const char *text = getenv("NIMGP_FAULT"), *colon = text ? strchr(text, ':') : NULL;
    if (!colon)
        return;
    char *end;
    plan.kind = text;
    plan.length = (size_t)(colon - text);
    plan.at = strtoull(colon + 1, &end, 10);
    plan.all_later = *end == '+';
    plan.mark = getenv("NIMGP_FAULT_MARK");
    plan.until_exit = getenv("NIMGP_FAULT_UNTIL_EXIT") != NULL;
    plan.ready = true;
}

static atomic_llong live; /* blocks of memory */

long long fault_live(void) {
    return atomic_load(&live);
}

static void *alive(void *block) {
    if (block)
        atomic_fetch_add(&live, 1);
    return block;
}

__attribute__((destructor)) static void write_live(void) {
    const char *path = getenv("NIMGP_FAULT_LIVE");
    char text[32];
    long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0)
        return;
    snprintf(text, sizeof text, "%lld", atomic_load(&live));
    syscall(SYS_write, file, text, strlen(text));
    syscall(SYS_close, file);
}

static void disarm(void) {
    plan.ready = false;
}

/* Not before the first call: functions registered later run earlier, and the counters are written
 * by the destructors of libraries. */
static void disarm_at_exit(void) {
    static atomic_flag registered = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&registered))
        atexit(disarm);
}

/* Whether this call of its kind must fail. Uses system calls by number, so that nothing here is
 * counted. */
static bool fails(const char *kind) {
    if (!plan.ready || strlen(kind) != plan.length || strncmp(kind, plan.kind, plan.length) != 0)
        return false;
    if (plan.until_exit)
        disarm_at_exit();
    unsigned long long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != plan.at && !(plan.all_later && call > plan.at))
        return false;
    atomic_store(&happened, true);
    long file = plan.mark ? syscall(SYS_openat, AT_FDCWD, plan.mark, O_WRONLY | O_CREAT, 0600) : -1;
    if (file >= 0)
        syscall(SYS_close, file);
    return true;
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---------------------------------------------------------------- memory ---------------------- */

/* Memory that dlsym itself allocates before the address of the real function is known. */
static _Alignas(64) char first_bytes[1 << 14];
static size_t first_used;
static _Thread_local bool looking;

static void *first_memory(size_t size) {
    size_t start = first_used;
    first_used += (size + 63) / 64 * 64;
    return first_used <= sizeof first_bytes ? first_bytes + start : NULL;
}

static bool is_first(const void *memory) {
    const char *at = memory;
    return at >= first_bytes && at < first_bytes + sizeof first_bytes;
}

#define REAL_MEMORY(name, otherwise)                                                               \
    static __typeof__(name) *real;                                                                 \
    if (!real) {                                                                                   \
        if (looking)                                                                               \
            return otherwise;                                                                      \
        looking = true;                                                                            \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                        \
        looking = false;                                                                           \
    }

void *malloc(size_t size) {
    REAL_MEMORY(malloc, first_memory(size))
    if (fails("memory")) {
        errno = ENOMEM;
        return NULL;
    }
    return alive(real(size));
}

void *calloc(size_t count, size_t size) {
    REAL_MEMORY(calloc, first_memory(count * size))
    if (fails("memory")) {
        errno = ENOMEM;
        return NULL;
    }
    return alive(real(count, size));
}

void *realloc(void *old, size_t size) {
    REAL_MEMORY(realloc, NULL)
    if (fails("memory")) {
        errno = ENOMEM;
        return NULL;
    }
    if (!old)
        return alive(real(old, size));
    if (!is_first(old))
        return real(old, size);
    void *fresh = malloc(size);
    size_t left = (size_t)(first_bytes + sizeof first_bytes - (char *)old);
    return fresh ? memcpy(fresh, old, size < left ? size : left) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size) {
    REAL_MEMORY(aligned_alloc, NULL)
    if (fails("memory")) {
        errno = ENOMEM;
        return NULL;
    }
    return alive(real(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    REAL_MEMORY(posix_memalign, ENOMEM)
    int failed = fails("memory") ? ENOMEM : real(memory, alignment, size);
    if (!failed)
        alive(*memory);
    return failed;
}

void free(void *memory) {
    if (!memory || is_first(memory))
        return;
    REAL(free);
    atomic_fetch_sub(&live, 1);
    real(memory);
}

/* ---------------------------------------------------------------- files and threads ----------- */

ssize_t read(int file, void *bytes, size_t size) {
    REAL(read);
    if (fails("read")) {
        errno = EIO;
        return -1;
    }
    return real(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(write);
    if (fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, size);
}

int fsync(int file) {
    REAL(fsync);
    if (fails("fsync")) {
        errno = EIO;
        return -1;
    }
    return real(file);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (fails("rename")) {
        errno = EIO;
        return -1;
    }
    return real(from, to);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        REAL(name);                                                                                \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;                          \
        va_end(list);                                                                              \
        if (fails("open")) {                                                                       \
            errno = EMFILE;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        return real(path, flags, mode);                                                            \
    }

OPEN(open)
OPEN(open64)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *context) {
    REAL(pthread_create);
    return fails("thread") ? EAGAIN : real(thread, attributes, start, context);
}

/* ---------------------------------------------------------------- clock ----------------------- */

int clock_gettime(clockid_t clock, struct timespec *now) {
    enum { DAY = 86400 };
    REAL(clock_gettime);
    int failed = real(clock, now);
    if (!failed && fails("clock"))
        now->tv_sec -= DAY;
    return failed;
}
