/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal/interrupt.h"

#include "cli/terminal/exit_code.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The only global variable of the program: a signal handler needs one. */
static volatile sig_atomic_t raised;

static void note(int number) {
    (void)number;
    raised = 1;
}

/* Pages of a mapped file are gone: another process cut it, or its disk failed. */
static void end_without_file(int number) {
    static const char text[] =
        "nimgp: a file became shorter while it was read, or cannot be read\n";
    (void)number;
    ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    (void)told;
    _exit(EXIT_BAD_INPUT);
}

/* Unless a sanitizer or a debugger watches for it. */
static void watch_mapped_files(void) {
    struct sigaction before, action = {.sa_handler = end_without_file};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGBUS, &action, NULL);
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
    signal(SIGXFSZ, SIG_IGN); /* writing then fails, is told, and leaves no temporary file */
    watch_mapped_files();
}

bool interrupted(void) {
    return raised != 0;
}
