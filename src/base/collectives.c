/* SPDX-License-Identifier: Apache-2.0 */
#include "base/collectives.h"

static nim_status outcome(int code, const char *name, nim_error *error) {
    return code == 0
               ? NIM_OK
               : failure(error, NIM_COMMUNICATION,
                         "the processes could not communicate: collective %s failed with code %d",
                         name, code);
}

nim_status collective_sum(const nim_collectives *all, int64_t *values, size_t count,
                          nim_error *error) {
    if (all->processes <= 1 || count == 0)
        return NIM_OK;
    return outcome(all->sum(values, count, all->context), "sum", error);
}

nim_status collective_largest(const nim_collectives *all, int64_t *values, size_t count,
                              nim_error *error) {
    if (all->processes <= 1 || count == 0)
        return NIM_OK;
    return outcome(all->largest(values, count, all->context), "largest", error);
}

nim_status collective_sum_parts(const nim_collectives *all, int64_t *values, const size_t *offset,
                                nim_error *error) {
    if (!all->sum_parts)
        return collective_sum(all, values, offset[all->processes], error);
    if (all->processes <= 1 || offset[all->processes] == 0)
        return NIM_OK;
    return outcome(all->sum_parts(values, offset, all->context), "sum_parts", error);
}

nim_status collective_gather(const nim_collectives *all, void *array, const size_t *offset,
                             nim_error *error) {
    if (all->processes <= 1 || offset[all->processes] == 0)
        return NIM_OK;
    return outcome(all->gather(array, offset, all->context), "gather", error);
}

nim_status collective_agree(const nim_collectives *all, nim_status own, nim_error *error) {
    int64_t worst = (int64_t)own;
    nim_status status = collective_largest(all, &worst, 1, error);
    if (own != NIM_OK || status != NIM_OK)
        return own != NIM_OK ? own : status;
    return worst == 0 ? NIM_OK
                      : failure(error, (nim_status)worst, "another process failed: %s",
                                nim_status_text((nim_status)worst));
}

nim_status collective_any(const nim_collectives *all, bool *so, nim_error *error) {
    int64_t largest = *so;
    nim_status status = collective_largest(all, &largest, 1, error);
    *so = largest != 0;
    return status;
}
