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

enum { CHUNK = 1 << 24 }; /* elements in one call: MPI counts in int */

/* So long the others may take to come to their end after this one has. */
#define PATIENCE 5.0 /* seconds */
#define PAUSE_NANOSECONDS 1000000L

static nim_collectives all;

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
    int *start = context, *count = start + all.processes;
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
    int *room = calloc(2 * (size_t)size, sizeof *room);
    if (!room)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    all = NIM_COLLECTIVES(.rank = (size_t)rank, .processes = (size_t)size, .sum = sum,
                          .largest = largest, .gather = gather, .context = room);
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
    free(all.context);
    return code;
}
