/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bound of a minibatch by many processes, with the same bits for any number of them.
 *
 * The rows of a step are divided into shards. Their number depends on the shape of the problem,
 * never on the number of processes. Each process evaluates consecutive shards, whose rows come from
 * its own part of the table (shards.h). A shard is evaluated like a batch, up to its sums over rows
 * (gp_totals and others). These sums are added exactly
 * (exact_sum.h), so that the order does not matter. What depends on Z only is divided by functions:
 * each process factorises the covariances of its functions and sends the numbers that points need.
 * At the end it computes the gradient of its functions from the sums.
 *
 * The process that has a function then changes its parameters, and sends them. So the optimiser's
 * moments of a function are up to date in that process only, until they are gathered (model.h). All
 * processes change the common parameters in the same way. Those of rows are changed by the process
 * that has the rows.
 */

#include "model/bound.h"

struct parallel_bound;

/* Sets the shards and functions of this process, too. most_rows: of a step; becomes that of a
 * shard. NULL when out of memory. */
struct parallel_bound *parallel_bound_create(struct bound *bound, size_t *most_rows);
void parallel_bound_layout(struct parallel_bound *parallel, const struct bound *bound,
                           struct arena *arena);
void parallel_bound_free(struct parallel_bound *parallel);

/* See bound.h. */
nim_status parallel_bound_share_functions(struct bound *bound, nim_error *error);
nim_status parallel_bound_evaluate(struct bound *bound, double *value, nim_error *error);
