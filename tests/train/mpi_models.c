/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every input model with three likelihoods, trained by the processes that mpirun starts, for
 * tests/cli/check_mpi.py, which compares the files.
 *
 *     mpirun -n N mpi_models whole DIR    DIR/INPUT-LIKELIHOOD, trained to the end
 *     mpirun -n N mpi_models part DIR     stopped after the first epoch, as the last process asks
 *     mpirun -n N mpi_models resume DIR   what is there, trained on to the end
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/launch.h"
#include "cli/terminal/team.h"
#include "support/parallel_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int stop_at_epoch(const nim_progress *progress, void *context) {
    const nim_collectives *all = context;
    return all->rank == all->processes - 1 && progress->batch == 0 && progress->epoch == 1;
}

static void end_on(nim_status status, nim_status wanted, const nim_error *error) {
    if (status == wanted)
        return;
    fprintf(stderr, "mpi_models: %d instead of %d: %s\n", status, wanted, error->message);
    exit(land(1));
}

static void train(const struct problem *problem, const char *task, const char *path) {
    const nim_collectives *all = team_collectives();
    bool part = strcmp(task, "part") == 0;
    struct fixture fixture;
    nim_model *model = NULL;
    nim_error error;
    fixture_create(&fixture, problem);
    parallel_options(fixture.options);
    if (strcmp(task, "resume") == 0)
        end_on(nim_model_load(path, &model, &error), NIM_OK, &error);
    else
        end_on(nim_model_create(fixture.options, &fixture.data, &model, &error), NIM_OK, &error);
    end_on(nim_model_set_option(model, "threads", "1", &error), NIM_OK, &error);
    end_on(nim_model_set_collectives(model, all, &error), NIM_OK, &error);
    nim_status status = nim_model_train(model, &fixture.data, part ? stop_at_epoch : NULL,
                                        (void *)(uintptr_t)all, &error);
    end_on(status, part ? NIM_CANCELLED : NIM_OK, &error);
    if (team_leads())
        end_on(nim_model_save(model, path, &error), NIM_OK, &error);
    nim_model_free(model);
    fixture_free(&fixture);
}

int main(int count, char **words) {
    launch(&count, &words);
    for (size_t i = 0; count == 3 && input_list[i]; i++)
        for (size_t l = 0; l < PARALLEL_LIKELIHOODS; l++) {
            const struct problem problem = parallel_problem(i, l);
            char path[4096];
            snprintf(path, sizeof path, "%s/%s-%s", words[2], problem.input, problem.likelihood);
            train(&problem, words[1], path);
        }
    return land(count == 3 ? 0 : 1);
}
