/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_PARALLEL_BOUND_H
#define NIMGP_MODEL_PARALLEL_BOUND_H

/*
 * The bound of a minibatch by many processes, to the same bits whatever their number.
 *
 * A step's rows are cut into shards. How many there are follows from the shape of the problem,
 * never from the number of processes; each process takes a stretch of them. A shard is evaluated
 * like a batch of its own up to its sums over rows (gp_gather and the like), which are added up
 * exactly (exact_sum.h), so that the order does not matter. What depends on Z alone is divided by
 * functions: each process factors its functions' covariances and sends what points need of them,
 * and at the end turns the sums of its functions into their gradient, and sends that.
 *
 * All processes then hold the whole gradient, and move the same parameters by the same amounts.
 */

#include "model/bound.h"

struct parallel_bound;

/* most_rows: of a step; becomes that of a shard. NULL when memory runs out. */
struct parallel_bound *parallel_bound_create(const struct nim_model *model, size_t *most_rows);
void parallel_bound_layout(struct parallel_bound *parallel, const struct bound *bound,
                           struct arena *arena);
void parallel_bound_free(struct parallel_bound *parallel);

/* See bound.h. */
void parallel_bound_share(const struct parallel_bound *parallel, size_t step_rows, size_t *first,
                          size_t *rows);
nim_status parallel_bound_evaluate(struct bound *bound, double *value, nim_error *error);

#endif
