/* SPDX-License-Identifier: Apache-2.0 */
#include "score/moments.h"

#include <math.h>

static const struct moments impossible = {1.0, (double)INFINITY, (double)NAN, 1.0, 1.0, 0.0};

void moments_add_weighted(struct moments *moments, double term, double weight) {
    if (isinf(term) || isinf(moments->mean)) { /* a label that was held for impossible */
        moments_merge(moments, &impossible);
        return;
    }
    double square = weight * weight, distance = term - moments->square_mean;
    moments->count++;
    moments->weight += weight;
    moments->square_weight += square;
    moments->mean += weight * (term - moments->mean) / moments->weight;
    moments->square_mean += square * distance / moments->square_weight;
    moments->squares += square * distance * (term - moments->square_mean);
}

void moments_add(struct moments *moments, double term) {
    moments_add_weighted(moments, term, 1.0);
}

void moments_merge(struct moments *moments, const struct moments *more) {
    double weight = moments->weight + more->weight;
    double square = moments->square_weight + more->square_weight;
    double distance = more->square_mean - moments->square_mean;
    if (!(more->count > 0.0))
        return;
    moments->count += more->count;
    if (isinf(moments->mean) || isinf(more->mean)) {
        *moments =
            (struct moments){moments->count, (double)INFINITY, (double)NAN, weight, square, 0.0};
        return;
    }
    moments->mean += (more->mean - moments->mean) * (more->weight / weight);
    moments->square_mean += distance * (more->square_weight / square);
    moments->squares +=
        more->squares + distance * distance * moments->square_weight * more->square_weight / square;
    moments->weight = weight;
    moments->square_weight = square;
}

struct score moments_mean(const struct moments *moments) {
    double n = moments->count, shift = moments->square_mean - moments->mean;
    /* sum w^2 (x - mean)^2, about the one mean from about the other. */
    double squares = moments->squares + moments->square_weight * shift * shift;
    double rows = moments->weight * (moments->weight / n); /* n with weights of 1 */
    return (struct score){n > 0 ? moments->mean : (double)NAN,
                          n > 1 ? sqrt(squares / (n - 1) / rows) : (double)NAN};
}

struct score score_root(struct score mean) {
    double root = sqrt(mean.value);
    return (struct score){root, root > 0.0 ? mean.deviation / (2.0 * root) : mean.deviation};
}

struct score weighted_share_of(double weight, double total, double squares) {
    double share = weight / total, rows = total * (total / squares);
    return (struct score){total > 0 ? share : (double)NAN,
                          rows > 1 ? sqrt(share * (1.0 - share) / (rows - 1.0)) : (double)NAN};
}
