/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nimgp-mpi: the same program as one of several processes that mpirun starts. This is the only file
 * that uses MPI.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/launch.h"
#include "cli/terminal/team.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum {
    CHUNK = 1 << 24,         /* elements in one call: MPI counts in int */
    ADDED_AT_ONCE = 1 << 15, /* numbers: they fit in the L2 cache twice */
};

/* So long the others may take to come to their end after this one has. */
#define PATIENCE 5.0 /* seconds */
#define PAUSE_NANOSECONDS 1000000L

static nim_collectives all;

static struct {
    int *start;       /* 2 x processes: places and counts of parts */
    int64_t *arrived; /* ADDED_AT_ONCE */
} memory;

static int reduce(int64_t *values, size_t count, MPI_Op operation) {
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < count && code == MPI_SUCCESS; at += CHUNK) {
        int part = (int)(count - at < CHUNK ? count - at : CHUNK);
        code =
            MPI_Allreduce(MPI_IN_PLACE, values + at, part, MPI_INT64_T, operation, MPI_COMM_WORLD);
    }
    return code;
}

static int sum(int64_t *values, size_t count, void *context) {
    (void)context;
    return reduce(values, count, MPI_SUM);
}

static int largest(int64_t *values, size_t count, void *context) {
    (void)context;
    return reduce(values, count, MPI_MAX);
}

/* One chunk of the numbers from `at` up to `end`, or nothing. */
static int chunk(size_t at, size_t end) {
    return (int)(at >= end ? 0 : end - at < ADDED_AT_ONCE ? end - at : ADDED_AT_ONCE);
}

/* Sends their parts to all others, while those of this process arrive from them. Chunks are added
 * while they are in cache. */
static int sum_parts(int64_t *values, const size_t *offset, void *context) {
    (void)context;
    size_t own = offset[all.rank], own_end = offset[all.rank + 1];
    int code = MPI_SUCCESS;
    for (size_t shift = 1; shift < all.processes; shift++) {
        size_t to = (all.rank + shift) % all.processes;
        size_t from = (all.rank + all.processes - shift) % all.processes;
        for (size_t done = 0; code == MPI_SUCCESS; done += ADDED_AT_ONCE) {
            int sent = chunk(offset[to] + done, offset[to + 1]), taken = chunk(own + done, own_end);
            if (!sent && !taken)
                break;
            code = MPI_Sendrecv(values + (sent ? offset[to] + done : 0), sent, MPI_INT64_T,
                                sent ? (int)to : MPI_PROC_NULL, 0, memory.arrived, taken,
                                MPI_INT64_T, taken ? (int)from : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE);
            for (int i = 0; i < taken && code == MPI_SUCCESS; i++)
                values[own + done + (size_t)i] += memory.arrived[i];
        }
    }
    return code;
}

/* Where offsets are beyond what MPI counts in: one stretch after the other. */
static int gather_in_turn(char *array, const size_t *offset) {
    int code = MPI_SUCCESS;
    for (size_t rank = 0; rank < all.processes; rank++)
        for (size_t at = offset[rank]; at < offset[rank + 1] && code == MPI_SUCCESS; at += CHUNK) {
            size_t left = offset[rank + 1] - at;
            code = MPI_Bcast(array + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE, (int)rank,
                             MPI_COMM_WORLD);
        }
    return code;
}

static int gather(void *array, const size_t *offset, void *context) {
    (void)context;
    int *start = memory.start, *count = start + all.processes;
    if (offset[all.processes] > INT_MAX)
        return gather_in_turn(array, offset);
    for (size_t rank = 0; rank < all.processes; rank++) {
        start[rank] = (int)offset[rank];
        count[rank] = (int)(offset[rank + 1] - offset[rank]);
    }
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array, count, start, MPI_BYTE,
                          MPI_COMM_WORLD);
}

void launch(int *count, char ***words) {
    int given, rank, size;
    MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memory.start = calloc(2 * (size_t)size, sizeof *memory.start);
    memory.arrived = calloc(ADDED_AT_ONCE, sizeof *memory.arrived);
    if (!memory.start || !memory.arrived)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    all = NIM_COLLECTIVES(.rank = (size_t)rank, .processes = (size_t)size, .sum = sum,
                          .largest = largest, .gather = gather, .sum_parts = sum_parts);
    team_join(&all);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A process that failed while the others wait for it in some other call would leave them there. */
int land(int code) {
    MPI_Request request;
    int done = 0;
    double start = seconds();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done && (code == 0 || seconds() - start < PATIENCE)) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
    }
    if (!done)
        MPI_Abort(MPI_COMM_WORLD, code ? code : EXIT_FAILURE);
    MPI_Finalize();
    free(memory.start);
    free(memory.arrived);
    return code;
}
