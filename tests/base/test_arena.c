/* SPDX-License-Identifier: Apache-2.0 */
/* One block for all arrays; more than the machine has is refused before it is touched. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"

#include <unistd.h>

static void arrays_follow_one_another(void **state) {
    (void)state;
    struct arena arena = {0};
    double *first = NULL, *second = NULL;
    for (int run = 0; run < 2; run++) {
        first = arena_doubles(&arena, 3);
        second = arena_doubles(&arena, 5);
        assert_true(run || (!first && !second));
        assert_true(run || arena_allocate(&arena));
    }
    assert_int_equal((uintptr_t)first % 64, 0);
    assert_ptr_equal(second, first + 8);
    for (size_t i = 0; i < 5; i++)
        assert_true(second[i] == 0.0);
    arena_free(&arena);
}

static void beyond_the_machine(void **state) {
    (void)state;
    struct arena arena = {0};
    size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);
    arena_bytes(&arena, pages + 1, page);
    assert_false(arena_allocate(&arena));
    assert_null(arena.memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_follow_one_another),
                                       cmocka_unit_test(beyond_the_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
