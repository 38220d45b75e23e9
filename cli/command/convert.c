/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp convert: copies a table from one format to another. */
#include "cli/rows/column_list.h"
#include "cli/rows/input_report.h"
#include "cli/terminal/command.h"
#include "cli/model/files.h"
#include "cli/terminal/interrupt.h"
#include "text/name_list.h"
#include "text/ascii.h"
#include "table/table.h"
#include "cli/rows/where.h"

#include <stdlib.h>

enum { BLOCK = 4096 };

/* A table on its way from one file to another. */
struct passage {
    struct table *table;
    struct table_writer *writer;
    struct where *where;
    size_t count;          /* columns that are carried */
    size_t *from;          /* their indices in the table */
    struct column *column; /* and what they are */
    size_t read, written;
};

static bool choose_columns(struct passage *passage, const char *names,
                           struct complaint *complaint) {
    passage->from = column_list(passage->table, names, "--columns", &passage->count, complaint);
    if (!passage->from)
        return false;
    passage->column = calloc(passage->count + 1, sizeof *passage->column);
    if (!passage->column)
        return complain_of_memory(complaint);
    for (size_t i = 0; i < passage->count; i++)
        passage->column[i] = *table_column(passage->table, passage->from[i]);
    return true;
}

static bool carry_block(struct passage *passage, size_t rows, struct complaint *complaint) {
    uint8_t keep[BLOCK];
    if (!where_mask(passage->where, passage->table, rows, keep, complaint))
        return false;
    for (size_t row = 0; row < rows; row++) {
        if (!keep[row])
            continue;
        if (!table_write_cells(passage->writer, passage->table, row, passage->count, passage->from,
                               complaint) ||
            !table_write_end(passage->writer, complaint))
            return false;
        passage->written++;
    }
    passage->read += rows;
    return true;
}

static bool carry_all(struct passage *passage, struct complaint *complaint) {
    size_t rows;
    do {
        if (interrupted())
            return complain(complaint, INTERRUPTED, "interrupted");
        if (!table_next(passage->table, BLOCK, &rows, complaint) ||
            !carry_block(passage, rows, complaint))
            return false;
    } while (rows);
    struct table_writer *writer = passage->writer;
    passage->writer = NULL;
    return table_writer_close(writer, complaint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct passage passage = {0};
    struct name_list conditions = {0};
    const char *in = argument_operand(arguments, 0), *out = argument_operand(arguments, 1);
    bool good =
        file_check_apart(out, in, complaint) &&
        argument_all(arguments, "where", &conditions, complaint) &&
        (passage.table = file_open_table(in, file_format(arguments, "from"), complaint)) &&
        (passage.where = where_create(&conditions, passage.table,
                                      argument_given(arguments, "ignore-case"), complaint)) &&
        choose_columns(&passage, argument_text(arguments, "columns"), complaint) &&
        (passage.writer = table_writer_open(out, file_format(arguments, "to"), passage.count,
                                            passage.column, complaint)) &&
        carry_all(&passage, complaint);
    if (good)
        report_cut_short(passage.table, arguments);
    if (good)
        say(arguments, "%zu of %zu row%s, %zu of %zu column%s", passage.written, passage.read,
            plural_s(passage.read), passage.count, table_columns(passage.table),
            plural_s(table_columns(passage.table)));
    table_writer_abandon(passage.writer);
    where_free(passage.where);
    name_list_free(&conditions);
    table_close(passage.table);
    free(passage.from);
    free(passage.column);
    return good;
}

static const struct option options[] = {
    WHERE_OPTION,
    {.name = "ignore-case", .help = "Ignore case in --where."},
    {.name = "columns",
     .value = "A,B,...",
     .help = "Only these columns, in this order; * matches any characters, ? matches one. A name "
             "that contains a comma must be in double quotes."},
    {.name = "from",
     .value = "FORMAT",
     .help = "The format of IN; any: recognised by name and content.",
     .values = TABLE_FORMAT_NAMES,
     .fallback = "any"},
    {.name = "to",
     .value = "FORMAT",
     .help = "The format to write; any: by the extension of OUT, CSV if there is none.",
     .values = TABLE_FORMAT_NAMES,
     .fallback = "any"},
    {0},
};

const struct command command_convert = {
    .name = "convert",
    .summary = "Copies a table from one format to another",
    .operands = "IN OUT",
    .least_operands = 2,
    .most_operands = 2,
    .description =
        "Reads CSV, TSV, ECSV, FITS tables and VOTables, gzipped or "
        "not, and writes CSV, TSV, ECSV, FITS or VOTable, gzipped if the name ends in "
        ".gz. '-' is standard input or output. Rows are copied in blocks, so tables may "
        "be larger than memory. Units are copied if both formats have them. A row file (.nimrows) "
        "can be read and written too: fit maps it into memory, without parsing or copying.",
    .examples = "# Four columns of a catalogue as CSV, only bright sources with a class\n"
                "nimgp convert gll_psc_v27.fit.gz bright.csv --where 'Signif_Avg >= 20' \\\n"
                "    --where \"CLASS1 != ''\" --columns Source_Name,CLASS1,Flux1000,Unc_Flux1000\n"
                "# From a pipe to a compressed table\n"
                "zcat big.tsv.gz | nimgp convert - big.csv.gz --from tsv\n"
                "# A row file, which several processes can train on without copying it\n"
                "nimgp convert big.csv big.nimrows\n"
                "mpirun -n 8 nimgp-mpi fit big.nimrows -o big.nimgp",
    .options = options,
    .run = run,
};
