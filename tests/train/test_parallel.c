/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training by many: the same bits for any number of processes, the same gradient as alone. Threads
 * stand for processes here; mpi_models.c and tests/cli/check_mpi.py have real ones.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "likelihood/likelihood.h"
#include "model/shards.h"
#include "support/parallel_problem.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4 };

/* Where the members of a team meet. */
struct team {
    size_t size;
    pthread_barrier_t barrier;
    void *array[MOST];
    size_t calls_left; /* then they fail; SIZE_MAX: never */
    size_t late_after; /* the last member dawdles once, after so many calls; 0: never */
};

struct member {
    struct team *team;
    size_t rank;
    size_t calls;
};

/* Everybody's arrays are there; the last two barriers keep them until all are done. */
static int meet(struct member *member, void *array) {
    struct team *team = member->team;
    if (member->calls++ >= team->calls_left)
        return 5;
    team->array[member->rank] = array;
    pthread_barrier_wait(&team->barrier);
    return 0;
}

/* Longer than a training waits between two reports of progress. */
static void dawdle(const struct member *member) {
    const struct team *team = member->team;
    if (member->calls == team->late_after && member->rank == team->size - 1)
        nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
}

static int combine(int64_t *values, size_t count, struct member *member, bool largest) {
    struct team *team = member->team;
    if (meet(member, values))
        return 5;
    int64_t *result = malloc(count * sizeof *result);
    memcpy(result, team->array[0], count * sizeof *result);
    for (size_t r = 1; r < team->size; r++)
        for (size_t i = 0; i < count; i++) {
            int64_t other = ((int64_t *)team->array[r])[i];
            result[i] = !largest ? result[i] + other : other > result[i] ? other : result[i];
        }
    pthread_barrier_wait(&team->barrier);
    memcpy(values, result, count * sizeof *result);
    free(result);
    dawdle(member);
    return 0;
}

static int team_sum(int64_t *values, size_t count, void *context) {
    return combine(values, count, context, false);
}
static int team_largest(int64_t *values, size_t count, void *context) {
    return combine(values, count, context, true);
}
/* Nobody may look at the parts of others, so they are spoilt. */
static int team_sum_parts(int64_t *values, const size_t *offset, void *context) {
    const struct member *member = context;
    size_t own = offset[member->rank], end = offset[member->rank + 1];
    size_t count = offset[member->team->size];
    int code = combine(values, count, context, false);
    for (size_t i = 0; i < count; i++)
        values[i] = i >= own && i < end ? values[i] : INT64_MAX / 3;
    return code;
}
static int team_gather(void *array, const size_t *offset, void *context) {
    struct member *member = context;
    struct team *team = member->team;
    if (meet(member, array))
        return 5;
    for (size_t r = 0; r < team->size; r++)
        if (r != member->rank)
            memcpy((char *)array + offset[r], (char *)team->array[r] + offset[r],
                   offset[r + 1] - offset[r]);
    pthread_barrier_wait(&team->barrier);
    dawdle(member);
    return 0;
}

/* ---------------------------------------------------------------- one training ---------------- */

struct run {
    struct member member;
    const nim_options *options;
    nim_data data;
    nim_model *model;               /* to go on with, or NULL; then what came of it */
    size_t stop_after;              /* steps, asked for by the last rank; 0: never */
    size_t late_after;              /* see struct team */
    nim_progress_function progress; /* NULL: stop_late */
    struct kept *kept;              /* of all members, for keep_checkpoint */
    nim_status status;
    nim_error error;
};

static int stop_late(const nim_progress *progress, void *context) {
    const struct run *run = context;
    return run->stop_after && run->member.rank == run->member.team->size - 1 &&
           progress->step >= run->stop_after;
}

static void *run_member(void *context) {
    struct run *run = context;
    size_t size = run->member.team->size;
    nim_collectives all =
        NIM_COLLECTIVES(.rank = run->member.rank, .processes = size, .sum = team_sum,
                        .largest = team_largest, .gather = team_gather, .context = &run->member,
                        .sum_parts = team_sum_parts);
    if (size % 2) /* as compiled with the header before sum_parts */
        all.size = offsetof(nim_collectives, sum_parts);
    if (!run->model)
        run->status = nim_model_create(run->options, &run->data, &run->model, &run->error);
    if (run->model)
        nim_model_set_collectives(run->model, &all, NULL);
    if (run->model)
        run->status = nim_model_train(run->model, &run->data,
                                      run->progress ? run->progress : stop_late, run, &run->error);
    return NULL;
}

/* All members train; run[0 .. size-1] has their models. */
static void train_team(size_t size, const struct run *like, struct run *run) {
    struct team team = {.size = size, .calls_left = SIZE_MAX, .late_after = like->late_after};
    pthread_t thread[MOST];
    pthread_barrier_init(&team.barrier, NULL, (unsigned)size);
    for (size_t r = 0; r < size; r++) {
        nim_model *model = run[r].model;
        nim_data data = run[r].data.rows ? run[r].data : like->data;
        run[r] = *like;
        run[r].model = model;
        run[r].data = data;
        run[r].member = (struct member){.team = &team, .rank = r};
        pthread_create(&thread[r], NULL, run_member, &run[r]);
    }
    for (size_t r = 0; r < size; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&team.barrier);
}

static void free_team(size_t size, struct run *run) {
    for (size_t r = 0; r < size; r++)
        nim_model_free(run[r].model);
    memset(run, 0, size * sizeof *run);
}

static void assert_same_model(const nim_model *one, const nim_model *other, const char *what) {
    assert_int_equal(one->count, other->count);
    if (memcmp(one->theta, other->theta, one->count * sizeof(double)) != 0)
        fail_msg("%s: other parameters", what);
    size_t own = one->table.rows * one->table.each;
    if (own && memcmp(one->table.theta, other->table.theta, own * sizeof(double)) != 0)
        fail_msg("%s: other parameters of rows", what);
    if (memcmp(&one->bound, &other->bound, sizeof one->bound) != 0 ||
        memcmp(&one->temperature, &other->temperature, sizeof one->temperature) != 0 ||
        memcmp(one->jitter, other->jitter, one->functions * sizeof(double)) != 0)
        fail_msg("%s: another bound, temperature or jitter", what);
}

static void same_for_any_size(const struct problem *problem, const char *last_batch,
                              bool calibrated) {
    static const size_t sizes[] = {1, 2, 3, 4};
    struct fixture fixture;
    struct run first[1] = {0};
    fixture_create(&fixture, problem);
    parallel_options(fixture.options);
    set(fixture.options, "last_batch", last_batch);
    if (calibrated)
        set(fixture.options, "calibrate", "auto");
    const struct run like = {.options = fixture.options, .data = fixture.data};
    for (size_t k = 0; k < 4; k++) {
        struct run run[MOST] = {0};
        char what[200];
        train_team(sizes[k], &like, k ? run : first);
        snprintf(what, sizeof what, "%s, %zu processes", problem_name(problem), sizes[k]);
        for (size_t r = 0; r < sizes[k]; r++) {
            stop_on(k ? run[r].status : first->status, k ? &run[r].error : &first->error);
            if (k)
                assert_same_model(first->model, run[r].model, what);
        }
        free_team(k ? sizes[k] : 0, run);
    }
    free_team(1, first);
    fixture_free(&fixture);
}

static void any_number_of_processes(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        for (size_t l = 0; l < PARALLEL_LIKELIHOODS; l++) {
            const struct problem problem = parallel_problem(i, l);
            same_for_any_size(&problem, "even", l == 1 && i % 3 == 0);
        }
}

/* A short last step, and fewer rows than shards or processes. */
static void odd_sizes(void **state) {
    (void)state;
    static const char *const input[] = {"latent", "augmented"};
    static const size_t rows[] = {3, 31, 70};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            struct problem problem = {.classes = 3,
                                      .attributes = 2,
                                      .inducing = 3,
                                      .rows = rows[k],
                                      .kernel = "se",
                                      .input = input[i],
                                      .noise = "given",
                                      .samples = 1};
            same_for_any_size(&problem, "rest", false);
        }
}

/* The same in single precision, with few attributes and with more than GP_FEW_ATTRIBUTES. */
static void any_number_in_single_precision(void **state) {
    (void)state;
    static const char *const likelihood[] = {"robust_max", "softmax", "gaussian"};
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = i % 2 ? 2 : 35,
                                  .inducing = 7,
                                  .rows = 70,
                                  .kernel = kernel_in_turn(i),
                                  .input = input_list[i]->name,
                                  .noise = i % 2 ? "given" : "both",
                                  .likelihood = likelihood[i % 3],
                                  .samples = 1 + i % 3,
                                  .single = true};
        same_for_any_size(&problem, "even", i == 1);
    }
}

/* ---------------------------------------------------------------- the same gradient ----------- */

static void check_gradient(const struct problem *problem, size_t combination) {
    (void)combination;
    struct fixture fixture;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    struct nim_model *model = fixture.model;
    size_t own = fixture.rows * model->table.each, count = model->count;
    double alone = fixture_bound(&fixture), *expected = malloc((count + own) * sizeof *expected);
    memcpy(expected, bound_gradient(fixture.bound), count * sizeof *expected);
    if (own)
        memcpy(expected + count, bound_own_gradient(fixture.bound), own * sizeof *expected);
    bound_free(fixture.bound);
    struct team nobody = {.size = 1};
    struct member member = {.team = &nobody};
    nim_collectives all = NIM_COLLECTIVES(.processes = 1, .sum = team_sum, .largest = team_largest,
                                          .gather = team_gather, .context = &member);
    assert_int_equal(nim_model_set_collectives(model, &all, NULL), NIM_OK);
    fixture.bound = bound_create(model, &fixture.data, fixture.rows, 1);
    double value = fixture_bound(&fixture), largest = 0.0;
    for (size_t i = 0; i < count + own; i++)
        largest = fmax(largest, fabs(expected[i]));
    if (fabs(value - alone) > 1e-10 * fabs(alone))
        fail_msg("%s: bound %.17g, alone %.17g", problem_name(problem), value, alone);
    for (size_t i = 0; i < count + own; i++) {
        double got = i < count ? bound_gradient(fixture.bound)[i]
                               : bound_own_gradient(fixture.bound)[i - count];
        if (!(fabs(got - expected[i]) <= 1e-9 * largest))
            fail_msg("%s: gradient %zu is %.17g, alone %.17g", problem_name(problem), i, got,
                     expected[i]);
    }
    free(expected);
    fixture_free(&fixture);
}

static void gradient_as_alone(void **state) {
    (void)state;
    every_combination(3, 2, 5, check_gradient);
    every_likelihood(3, 2, 5, 0.5, check_gradient);
    struct problem shaped = {.classes = 3,
                             .attributes = 3,
                             .inducing = 5,
                             .rows = 48,
                             .kernel = "se",
                             .input = "latent",
                             .noise = "given",
                             .population = "gaussian",
                             .samples = 1,
                             .correlated = true,
                             .odd = true};
    check_gradient(&shaped, 0);
}

/* ---------------------------------------------------------------- stopping, going on, failing - */

static const struct problem latent = {.classes = 3,
                                      .attributes = 2,
                                      .inducing = 7,
                                      .rows = 70,
                                      .kernel = "se",
                                      .input = "latent",
                                      .noise = "given",
                                      .samples = 1};

/* One member asks to stop: all do, after the same step, and other numbers of them go on. */
static void stop_and_go_on(void **state) {
    (void)state;
    struct fixture fixture;
    struct run whole[1] = {0}, stopped[MOST] = {0}, resumed[MOST] = {0};
    nim_error error;
    size_t size = 0;
    fixture_create(&fixture, &latent);
    parallel_options(fixture.options);
    struct run like = {.options = fixture.options, .data = fixture.data};
    train_team(1, &like, whole);
    stop_on(whole->status, &whole->error);
    like.stop_after = 2; /* of six: told at the end of the first epoch at the latest */
    train_team(4, &like, stopped);
    for (size_t r = 0; r < 4; r++) {
        assert_int_equal(stopped[r].status, NIM_CANCELLED);
        assert_int_equal(stopped[r].model->step, stopped[0].model->step);
    }
    assert_true(stopped[0].model->step < whole->model->step);
    stop_on(nim_model_save_memory(stopped[0].model, NULL, 0, &size, &error), &error);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    stop_on(nim_model_save_memory(stopped[0].model, bytes, size, &size, &error), &error);
    like.stop_after = 0;
    for (size_t team = 1; team <= 3; team += 2) {
        for (size_t r = 0; r < team; r++) {
            stop_on(nim_model_load_memory(bytes, size, &resumed[r].model, &error), &error);
            stop_on(nim_model_set_option(resumed[r].model, "threads", "1", &error), &error);
        }
        train_team(team, &like, resumed);
        for (size_t r = 0; r < team; r++) {
            stop_on(resumed[r].status, &resumed[r].error);
            assert_same_model(whole->model, resumed[r].model, "resumed");
        }
        free_team(team, resumed);
    }
    free(bytes);
    free_team(1, whole);
    free_team(4, stopped);
    fixture_free(&fixture);
}

/* One member asks to stop in the middle of an epoch, when the others have not reported for a while:
 * what they keep is of that step too. */
static void stopped_by_one(void **state) {
    (void)state;
    enum { CALLS = 16 }; /* creation and the first steps make as many */
    struct fixture fixture;
    struct run whole[1] = {0}, stopped[2] = {0}, resumed[1] = {0};
    size_t stops = 0;
    fixture_create(&fixture, &latent);
    parallel_options(fixture.options);
    struct run like = {.options = fixture.options, .data = fixture.data};
    train_team(1, &like, whole);
    for (size_t calls = 1; calls <= CALLS; calls++) {
        like.stop_after = 1;
        like.late_after = calls;
        train_team(2, &like, stopped);
        if (stopped->status == NIM_CANCELLED) {
            static char file[1 << 20];
            size_t bytes;
            nim_error error;
            stop_on(nim_model_save_memory(stopped->model, file, sizeof file, &bytes, &error),
                    &error);
            stop_on(nim_model_load_memory(file, bytes, &resumed->model, &error), &error);
            stop_on(nim_model_set_option(resumed->model, "threads", "1", &error), &error);
            like.stop_after = like.late_after = 0;
            train_team(1, &like, resumed);
            stop_on(resumed->status, &resumed->error);
            assert_same_model(whole->model, resumed->model, "resumed");
            free_team(1, resumed);
            stops++;
        }
        free_team(2, stopped);
    }
    assert_true(stops > 0);
    free_team(1, whole);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- rows of their own ----------- */

/* What a member's progress function finds. It runs in a thread, where it must not fail the test. */
struct kept {
    const char *wrong;
    size_t first_visits; /* of all rows, at the first report */
    size_t middle;       /* reports in the middle of an epoch */
    char file[1 << 16];  /* the last checkpoint of one of these, or else of another report */
    size_t bytes;
};

static void expect(struct kept *kept, bool so, const char *wrong) {
    if (!so && !kept->wrong)
        kept->wrong = wrong;
}

/* Before rows are gathered for the first time, only those of this member have changed, each at
 * most once and in a whole epoch just once. */
static void check_own_rows(struct kept *kept, const struct run *run, bool whole_epoch) {
    const struct row_table *table = &run->model->table;
    struct shards mine = shards_of(table->scattered, run->member.rank, run->member.team->size);
    size_t from = shard_part_start(table->rows, mine.first, mine.count);
    size_t to = shard_part_start(table->rows, mine.end, mine.count);
    for (size_t i = 0; i < table->rows; i++) {
        bool own = i >= from && i < to;
        expect(kept, table->visits[i] <= (own ? 1.0 : 0.0), "visits");
        for (size_t k = 0; k < table->each && !own; k++)
            expect(kept, table->theta[i * table->each + k] == 0.0, "a row of another changed");
        kept->first_visits += table->visits[i] == 1.0;
    }
    expect(kept, !whole_epoch || kept->first_visits == to - from, "rows of an epoch");
}

static void check_refusals(struct kept *kept, const struct run *run, double *scratch) {
    nim_model *model = run->model;
    nim_error error;
    expect(kept, nim_model_save_memory(model, NULL, 0, NULL, &error) == NIM_INVALID_ARGUMENT,
           "saved in parts");
    expect(kept, strstr(error.message, "nim_model_gather"), error.message);
    expect(kept,
           nim_model_denoise(model, &run->data, scratch, scratch, NULL) == NIM_INVALID_ARGUMENT,
           "denoised in parts");
    expect(kept,
           nim_model_set_collectives(model, &model->collectives, NULL) == NIM_INVALID_ARGUMENT,
           "other collectives");
}

/* A report: the rows' parameters are with their members until all gather them. */
static int keep_checkpoint(const nim_progress *progress, void *context) {
    struct run *run = context;
    struct kept *kept = &run->kept[run->member.rank];
    double scratch[200];
    if (kept->bytes == 0) {
        check_own_rows(kept, run, progress->batch == 0);
        check_refusals(kept, run, scratch);
    }
    expect(kept, nim_model_gather(run->model, NULL) == NIM_OK, "not gathered");
    expect(kept, nim_model_denoise(run->model, &run->data, scratch, scratch, NULL) == NIM_OK,
           "not denoised");
    if (progress->batch != 0 || kept->middle == 0)
        expect(kept,
               nim_model_save_memory(run->model, kept->file, sizeof kept->file, &kept->bytes,
                                     NULL) == NIM_OK,
               "not saved");
    kept->middle += progress->batch != 0;
    return 0;
}

/* Checkpoints that are written on the way, by gathering rows: all members have the same, the
 * training is not disturbed, and any number of members goes on from there to the same end. */
static void checkpoints_on_the_way(void **state) {
    (void)state;
    enum { CALLS = 16 };
    struct fixture fixture;
    struct run whole[1] = {0};
    struct kept *kept = calloc(3, sizeof *kept);
    size_t middle = 0;
    fixture_create(&fixture, &latent);
    parallel_options(fixture.options);
    struct run like = {.options = fixture.options, .data = fixture.data};
    train_team(1, &like, whole);
    for (size_t calls = 6; calls <= CALLS; calls += 5) {
        struct run run[MOST] = {0}, resumed[MOST] = {0};
        nim_error error;
        memset(kept, 0, 3 * sizeof *kept);
        like.late_after = calls;
        like.kept = kept;
        like.progress = keep_checkpoint;
        train_team(3, &like, run);
        size_t visits = 0;
        for (size_t r = 0; r < 3; r++) {
            stop_on(run[r].status, &run[r].error);
            assert_same_model(whole->model, run[r].model, "gathered on the way");
            assert_int_equal(kept[r].bytes, kept[0].bytes);
            assert_memory_equal(kept[r].file, kept[0].file, kept[0].bytes);
            if (kept[r].wrong)
                fail_msg("process %zu: %s", r, kept[r].wrong);
            visits += kept[r].first_visits;
        }
        assert_true(visits == fixture.rows || kept->middle);
        middle += kept->middle;
        like.late_after = 0;
        like.progress = NULL;
        for (size_t size = 1; size <= 4; size += 3) {
            for (size_t r = 0; r < size; r++) {
                stop_on(nim_model_load_memory(kept->file, kept->bytes, &resumed[r].model, &error),
                        &error);
                stop_on(nim_model_set_option(resumed[r].model, "threads", "1", &error), &error);
            }
            train_team(size, &like, resumed);
            for (size_t r = 0; r < size; r++) {
                stop_on(resumed[r].status, &resumed[r].error);
                assert_same_model(whole->model, resumed[r].model, "resumed");
            }
            free_team(size, resumed);
        }
        free_team(3, run);
    }
    assert_true(middle > 0);
    free(kept);
    free_team(1, whole);
    fixture_free(&fixture);
}

/* One member's data are bad: nobody waits for it. */
static void one_fails_all_end(void **state) {
    (void)state;
    struct fixture fixture;
    struct run run[MOST] = {0};
    fixture_create(&fixture, &latent);
    parallel_options(fixture.options);
    struct run like = {.options = fixture.options, .data = fixture.data};
    for (size_t r = 0; r < 3; r++)
        assert_int_equal(nim_model_create(fixture.options, &fixture.data, &run[r].model, NULL),
                         NIM_OK);
    double *x = malloc(fixture.rows * 2 * sizeof *x);
    memcpy(x, fixture.x, fixture.rows * 2 * sizeof *x);
    x[5] = (double)INFINITY;
    run[1].data = fixture.data;
    run[1].data.x = x;
    train_team(3, &like, run);
    for (size_t r = 0; r < 3; r++)
        assert_int_equal(run[r].status, NIM_BAD_DATA);
    assert_non_null(strstr(run[1].error.message, "row 2, attribute 1"));
    assert_non_null(strstr(run[0].error.message, "another process"));
    free(x);
    free_team(3, run);
    fixture_free(&fixture);
}

/* A call that fails, whichever it is, ends the training with one line. */
static void lost_processes(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, &latent);
    parallel_options(fixture.options);
    for (size_t calls = 0; calls < 12; calls++) {
        struct team team = {.size = 2, .calls_left = calls};
        pthread_t thread[2];
        struct run run[2] = {0};
        pthread_barrier_init(&team.barrier, NULL, 2);
        for (size_t r = 0; r < 2; r++) {
            run[r] = (struct run){.member = {.team = &team, .rank = r},
                                  .options = fixture.options,
                                  .data = fixture.data};
            pthread_create(&thread[r], NULL, run_member, &run[r]);
        }
        for (size_t r = 0; r < 2; r++) {
            pthread_join(thread[r], NULL);
            assert_int_equal(run[r].status, NIM_COMMUNICATION);
            assert_non_null(strstr(run[r].error.message, "failed with code 5"));
        }
        pthread_barrier_destroy(&team.barrier);
        free_team(2, run);
    }
    fixture_free(&fixture);
}

static void refusals(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    fixture_create(&fixture, &latent);
    nim_collectives all = NIM_COLLECTIVES(.rank = 2, .processes = 2, .sum = team_sum,
                                          .largest = team_largest, .gather = team_gather);
    assert_int_equal(nim_model_set_collectives(NULL, &all, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_model_set_collectives(fixture.model, &all, &error), NIM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "rank 2 is not below processes 2"));
    all.rank = 0;
    all.gather = NULL;
    assert_int_equal(nim_model_set_collectives(fixture.model, &all, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_model_set_collectives(fixture.model, NULL, &error), NIM_OK);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_processes), cmocka_unit_test(any_number_in_single_precision),
        cmocka_unit_test(gradient_as_alone),       cmocka_unit_test(stop_and_go_on),
        cmocka_unit_test(stopped_by_one),          cmocka_unit_test(one_fails_all_end),
        cmocka_unit_test(lost_processes),          cmocka_unit_test(refusals),
        cmocka_unit_test(checkpoints_on_the_way),  cmocka_unit_test(odd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
