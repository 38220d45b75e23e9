/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/folds.h"

#include "cli/training/mix.h"

#include <stdlib.h>

struct group {
    size_t rows;  /* how many it has */
    size_t first; /* of `member` */
    uint64_t draw;
};

struct dealer {
    const struct fold_plan *plan;
    struct group *group;
    size_t *member;     /* rows, group by group */
    double *class_rows; /* classes */
    double *held;       /* folds x classes: rows there so far */
    size_t *fold_rows;  /* folds */
};

static size_t class_of(const struct fold_plan *plan, size_t row) {
    return plan->class ? (size_t)plan->class[row] : 0;
}

static size_t group_of(const struct fold_plan *plan, size_t row) {
    return plan->group ? plan->group[row] : row;
}

static int largest_first(const void *left, const void *right) {
    const struct group *a = left, *b = right;
    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->draw < b->draw ? -1 : a->draw > b->draw;
}

/* Members of each group, then groups in the order they are dealt. */
static void gather_groups(struct dealer *dealer) {
    const struct fold_plan *plan = dealer->plan;
    size_t groups = plan->group ? plan->groups : plan->rows, first = 0;
    for (size_t i = 0; i < plan->rows; i++)
        dealer->group[group_of(plan, i)].rows++;
    for (size_t g = 0; g < groups; g++) {
        dealer->group[g].first = first;
        dealer->group[g].draw = mix(plan->seed, 0, g);
        first += dealer->group[g].rows;
        dealer->group[g].rows = 0; /* to be counted again */
    }
    for (size_t i = 0; i < plan->rows; i++) {
        struct group *group = &dealer->group[group_of(plan, i)];
        dealer->member[group->first + group->rows++] = i;
        dealer->class_rows[class_of(plan, i)]++;
    }
    qsort(dealer->group, groups, sizeof *dealer->group, largest_first);
}

/* By how much the sum over classes of the squared shares there would grow, but for what is the same
 * for all folds. */
static double crowding(const struct dealer *dealer, const struct group *group, size_t fold) {
    size_t classes = dealer->plan->classes ? dealer->plan->classes : 1;
    double total = 0.0;
    for (size_t k = 0; k < group->rows; k++) {
        size_t c = class_of(dealer->plan, dealer->member[group->first + k]);
        total += dealer->held[fold * classes + c] / dealer->class_rows[c] / dealer->class_rows[c];
    }
    return total;
}

static void deal_group(struct dealer *dealer, const struct group *group, size_t *fold_of) {
    size_t classes = dealer->plan->classes ? dealer->plan->classes : 1, best = 0;
    double least = crowding(dealer, group, 0);
    for (size_t f = 1; f < dealer->plan->folds; f++) {
        double here = crowding(dealer, group, f);
        if (here < least || (here == least && dealer->fold_rows[f] < dealer->fold_rows[best])) {
            least = here;
            best = f;
        }
    }
    for (size_t k = 0; k < group->rows; k++) {
        size_t row = dealer->member[group->first + k];
        fold_of[row] = best;
        dealer->held[best * classes + class_of(dealer->plan, row)]++;
    }
    dealer->fold_rows[best] += group->rows;
}

bool folds_deal(const struct fold_plan *plan, size_t *fold_of) {
    size_t groups = plan->group ? plan->groups : plan->rows;
    size_t classes = plan->classes ? plan->classes : 1;
    struct dealer dealer = {.plan = plan,
                            .group = calloc(groups + 1, sizeof *dealer.group),
                            .member = calloc(plan->rows + 1, sizeof *dealer.member),
                            .class_rows = calloc(classes, sizeof *dealer.class_rows),
                            .held = calloc(plan->folds * classes + 1, sizeof *dealer.held),
                            .fold_rows = calloc(plan->folds + 1, sizeof *dealer.fold_rows)};
    bool fine =
        dealer.group && dealer.member && dealer.class_rows && dealer.held && dealer.fold_rows;
    if (fine)
        gather_groups(&dealer);
    for (size_t g = 0; fine && g < groups; g++)
        deal_group(&dealer, &dealer.group[g], fold_of);
    free(dealer.group);
    free(dealer.member);
    free(dealer.class_rows);
    free(dealer.held);
    free(dealer.fold_rows);
    return fine;
}
