/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a row file each process of a training reads.
 *
 *     mpirun -n 2 bench_pages FILE [BATCH]
 *
 * Every process maps the file and reads it to create the model. Then it unmaps the pages, without
 * removing them from the page cache, and runs the steps of one epoch. It prints by how much RssFile
 * has grown during these.
 */
#define _DEFAULT_SOURCE
#include "cli/launch.h"
#include "cli/terminal/team.h"
#include "mapped_case.h"
#include "step_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* In MB. */
static double file_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    size_t kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "RssFile: %zu", &kilobytes);
    if (file)
        fclose(file);
    return (double)kilobytes / 1024.0;
}

static void unmap_pages(const nim_data *data) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)data->x / page * page;
    uintptr_t end = (uintptr_t)(data->x + data->rows * data->x_stride);
    if (madvise((void *)start, end - start, MADV_DONTNEED) != 0)
        bench_stop("madvise failed");
}

int main(int count, char **words) {
    launch(&count, &words);
    if (count < 2)
        bench_stop("usage: bench_pages FILE [BATCH]");
    size_t batch = count > 2 ? strtoul(words[2], NULL, 10) : 2000;
    nim_options *options = nim_options_create();
    set_number(options, "batch", batch);
    set_number(options, "inducing", 20);
    set_number(options, "threads", 1);
    set_text(options, "population", "flat");
    set_text(options, "input", "first_order");
    struct table *table = mapped_table(words[1]);
    nim_data data = mapped_data(table);
    nim_model *model;
    nim_trainer *trainer = make_trainer(options, &data, team_collectives(), &model);
    double created = file_memory();
    unmap_pages(&data);
    double unmapped = file_memory();
    for (size_t step = 0; step < (data.rows + batch - 1) / batch; step++)
        step_seconds(trainer);
    printf("process %zu of %zu: %.0f MB mapped after creation, %.0f MB in the steps of an epoch\n",
           team_collectives()->rank, team_size(), created - unmapped, file_memory() - unmapped);
    nim_trainer_free(trainer);
    nim_model_free(model);
    nim_options_free(options);
    free((void *)(uintptr_t)data.labels);
    table_close(table);
    return land(0);
}
