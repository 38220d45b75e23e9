/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/team.h"

#include <stdlib.h>
#include <string.h>

/* There is one team, as there is one main(). */
static const nim_collectives *team;
static bool agreed;  /* there was a call of team_agree */
static bool settled; /* one of the processes failed before it, and has the only text */

void team_join(const nim_collectives *all) {
    team = all;
}

const nim_collectives *team_collectives(void) {
    return team;
}

size_t team_size(void) {
    return team ? team->processes : 1;
}

bool team_leads(void) {
    return !team || team->rank == 0;
}

static bool complain_of_loss(struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "the processes could not communicate");
}

bool team_agree(bool good, struct complaint *complaint) {
    agreed = true;
    if (team_size() == 1)
        return good;
    int64_t *kind = calloc(team->processes, sizeof *kind); /* of each process's complaint */
    if (!kind)
        return complain_of_memory(complaint);
    kind[team->rank] = good ? NO_COMPLAINT : complaint->kind;
    int code = team->sum(kind, team->processes, team->context);
    size_t first = 0;
    while (first < team->processes && kind[first] == NO_COMPLAINT)
        first++;
    enum complaint_kind worst =
        first < team->processes ? (enum complaint_kind)kind[first] : NO_COMPLAINT;
    free(kind);
    if (code)
        return complain_of_loss(complaint);
    settled = worst != NO_COMPLAINT;
    if (worst != NO_COMPLAINT && first != team->rank)
        *complaint = (struct complaint){.kind = worst};
    return worst == NO_COMPLAINT;
}

bool team_follow(bool leaders) {
    int64_t so = team_leads() && leaders;
    if (team_size() > 1 && team->largest(&so, 1, team->context) != 0)
        return false;
    return so;
}

void team_settle_complaint(struct complaint *complaint) {
    if (!agreed)
        team_agree(false, complaint);
    else if (!settled && !team_leads())
        complaint->text[0] = '\0';
}

bool team_can_read(const char *path, struct complaint *complaint) {
    return team_size() == 1 || strcmp(path, "-") != 0 ||
           complain(complaint, BAD_USAGE,
                    "the table cannot be standard input: all %zu processes must be able to read "
                    "the file",
                    team_size());
}

static size_t share_start(size_t count, size_t rank) {
    return count * rank / team_size();
}

size_t team_share(size_t count, size_t *first) {
    size_t rank = team ? team->rank : 0;
    *first = share_start(count, rank);
    return share_start(count, rank + 1);
}

bool team_gather(void *array, size_t count, size_t bytes, struct complaint *complaint) {
    if (team_size() == 1)
        return true;
    size_t *offset = malloc((team->processes + 1) * sizeof *offset);
    if (!offset)
        return complain_of_memory(complaint);
    for (size_t rank = 0; rank <= team->processes; rank++)
        offset[rank] = share_start(count, rank) * bytes;
    int code = team->gather(array, offset, team->context);
    free(offset);
    return code == 0 || complain_of_loss(complaint);
}
