/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The only global variable of the program: a signal handler needs one. */
static volatile sig_atomic_t raised;

static void note(int number) {
    (void)number;
    raised = 1;
}

void interrupt_watch(void) {
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, action = {.sa_flags = (int)SA_RESETHAND};
        action.sa_handler = note;
        sigemptyset(&action.sa_mask);
        /* Who started us with a signal ignored (nohup, a job in the background) meant it. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool interrupted(void) {
    return raised != 0;
}
