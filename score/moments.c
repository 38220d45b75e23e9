/* SPDX-License-Identifier: Apache-2.0 */
#include "score/moments.h"

#include <math.h>

static const struct moments impossible = {1.0, (double)INFINITY, (double)NAN};

void moments_add(struct moments *moments, double term) {
    if (isinf(term) || isinf(moments->mean)) { /* a label that was held for impossible */
        moments_merge(moments, &impossible);
        return;
    }
    double distance = term - moments->mean;
    moments->mean += distance / ++moments->count;
    moments->squares += distance * (term - moments->mean);
}

void moments_merge(struct moments *moments, const struct moments *more) {
    double count = moments->count + more->count, distance = more->mean - moments->mean;
    if (!(more->count > 0.0))
        return;
    if (isinf(moments->mean) || isinf(more->mean)) {
        *moments = (struct moments){count, (double)INFINITY, (double)NAN};
        return;
    }
    moments->mean += distance * (more->count / count);
    moments->squares += more->squares + distance * distance * moments->count * more->count / count;
    moments->count = count;
}

struct score moments_mean(const struct moments *moments) {
    double n = moments->count;
    return (struct score){n > 0 ? moments->mean : (double)NAN,
                          n > 1 ? sqrt(moments->squares / (n - 1) / n) : (double)NAN};
}

struct score score_root(struct score mean) {
    double root = sqrt(mean.value);
    return (struct score){root, root > 0.0 ? mean.deviation / (2.0 * root) : mean.deviation};
}

struct score share_of(double count, double total) {
    double share = count / total;
    return (struct score){total > 0 ? share : (double)NAN,
                          total > 1 ? sqrt(share * (1.0 - share) / (total - 1.0)) : (double)NAN};
}
