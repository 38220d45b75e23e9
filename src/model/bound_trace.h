/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bound over training, thinned: the epochs that are multiples of `stride` (a power of two),
 * which doubles when there are too many of them.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_POINTS = 256 };

struct bound_trace {
    size_t count;
    uint64_t stride;               /* 0 before the first point; then 1 */
    double point[TRACE_POINTS][2]; /* epoch, bound */
};

static inline void bound_trace_add(struct bound_trace *trace, uint64_t epoch, double bound) {
    trace->stride = trace->stride ? trace->stride : 1;
    if (trace->count == TRACE_POINTS) {
        trace->stride *= 2;
        trace->count = 0;
        for (size_t i = 0; i < TRACE_POINTS; i++)
            if ((uint64_t)trace->point[i][0] % trace->stride == 0) {
                trace->point[trace->count][0] = trace->point[i][0];
                trace->point[trace->count++][1] = trace->point[i][1];
            }
    }
    if (epoch % trace->stride)
        return;
    trace->point[trace->count][0] = (double)epoch;
    trace->point[trace->count++][1] = bound;
}

/* The stride of points that were read from a file; 0 if they are not valid. */
static inline uint64_t bound_trace_stride(const struct bound_trace *trace) {
    double step = trace->count > 1 ? trace->point[1][0] - trace->point[0][0] : 1.0;
    if (!(step >= 1.0 && step < 9e15 && trace->point[0][0] >= 1.0))
        return 0;
    uint64_t stride = (uint64_t)step;
    if (step > floor(step) || trace->point[0][0] > floor(trace->point[0][0]))
        return 0; /* epochs are counted */
    for (size_t i = 0; i < trace->count; i++) {
        double epoch = trace->point[0][0] + (double)i * step;
        if (trace->point[i][0] < epoch || trace->point[i][0] > epoch || epoch > 9e15 ||
            (uint64_t)epoch % stride)
            return 0;
    }
    return stride;
}

/* Whether it can belong to a training that has reached this epoch: its last point must be the last
 * multiple of the stride. Otherwise new points would not continue it. */
static inline int bound_trace_reaches(const struct bound_trace *trace, uint64_t epoch) {
    return !trace->count || (trace->stride && (uint64_t)trace->point[trace->count - 1][0] ==
                                                  epoch - epoch % trace->stride);
}
