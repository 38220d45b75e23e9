/* SPDX-License-Identifier: Apache-2.0 */
/* What was found of a column, in words. */
#include "measure/judge_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that grows as far as there is room. */
struct remarks {
    char *text;
    size_t size, used;
};

static void add(struct remarks *remarks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct remarks *remarks, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (remarks->used + 1 < remarks->size) {
        int length =
            vsnprintf(remarks->text + remarks->used, remarks->size - remarks->used, format, list);
        remarks->used += length > 0 ? (size_t)length : 0;
        if (remarks->used >= remarks->size)
            remarks->used = remarks->size - 1;
    }
    va_end(list);
}

/* The next remark. */
#define REMARK(remarks, ...)                                                                       \
    (add(remarks, "%s", (remarks)->used ? "; " : ""), add(remarks, __VA_ARGS__))

static const char *name_of(const nim_judge *judge, long column) {
    return judge->names->index.name[column];
}

static void say_role(const nim_judge *judge, size_t at, struct remarks *role) {
    static const char *const aside[] = {
        [NIM_ASIDE_CLASSES] = "label",          [NIM_ASIDE_NUMBERS] = "target",
        [NIM_ASIDE_EXPOSURE] = "exposure",      [NIM_ASIDE_OTHER] = "weights or groups",
        [NIM_ASIDE_ERRORS] = "errors, as told", [NIM_ASIDE_EXCLUDED] = "excluded"};
    static const char *const word[] = {[NIM_LEARNED] = "feature",
                                       [NIM_LEARNED_TRUTH] = "feature, true or false",
                                       [NIM_UNUSED_ERRORS] = "errors of the target",
                                       [NIM_LONE_SIDE] = "errors of one side only",
                                       [NIM_LOST_ERRORS] = "errors of no column",
                                       [NIM_OTHER_ERRORS] = "covariance or weight",
                                       [NIM_ROW_NAME] = "identifier, by its name",
                                       [NIM_ROW_NUMBER] = "row number",
                                       [NIM_WORDS] = "text",
                                       [NIM_NOTHING] = "empty"};
    static const char *const about[] = {[NIM_ERRORS] = "errors of",
                                        [NIM_LIMITS] = "limits of",
                                        [NIM_CORRELATION] = "correlation of the errors of"};
    enum nim_standing standing = nim_judge_standing(judge, at);
    long of[2];
    enum nim_column_role named = nim_names_role(judge->names, at, of);
    if (standing == NIM_SET_ASIDE)
        add(role, "%s", aside[judge->column[at].aside]);
    else if (standing == NIM_OF_ANOTHER)
        add(role, "%s %s%s%s", about[named], name_of(judge, of[0]), of[1] >= 0 ? " and " : "",
            of[1] >= 0 ? name_of(judge, of[1]) : "");
    else
        add(role, "%s", word[standing]);
}

static void say_words(const struct judged *column, struct remarks *remarks) {
    if (column->many)
        REMARK(remarks, "more than %d texts", NIM_MOST_WORDS);
    else
        REMARK(remarks, "%zu text%s:", column->words, column->words == 1 ? "" : "s");
    for (size_t k = 0; !column->many && k < column->words; k++)
        add(remarks, "%s %s %zu", k ? "," : "", column->word[k].text, column->word[k].cells);
}

/* What is odd about errors: of the values in `of`, or NULL. */
static void say_errors(const struct judged *column, const struct judged *of,
                       struct remarks *remarks) {
    double spread = of && of->measured > 1 ? sqrt(of->square / (double)of->measured) : HUGE_VAL;
    if (column->zeros)
        REMARK(remarks, "%zu are zero", column->zeros);
    if (column->measured > 1 && column->least == column->most)
        REMARK(remarks, "all are %g", column->least);
    if (column->measured && fabs(column->mean) > spread)
        REMARK(remarks, "larger than the spread of the values, %g", spread);
}

static void say_numbers(const nim_judge *judge, size_t at, const struct nim_column_facts *facts,
                        struct remarks *remarks) {
    if (!isnan(facts->least) && facts->least == facts->most)
        REMARK(remarks, "constant, %.6g", facts->least);
    else if (!isnan(facts->least))
        REMARK(remarks, "%.6g to %.6g", facts->least, facts->most);
    if (judge->column[at].infinite)
        REMARK(remarks, "%zu are infinite", judge->column[at].infinite);
}

static void say_feature(const nim_judge *judge, size_t at, const struct nim_column_facts *facts,
                        struct remarks *remarks) {
    struct nim_sides sides;
    long also;
    enum nim_column_hint hint = nim_names_hint(judge->names, at);
    nim_names_errors(judge->names, at, NULL, &sides, &also);
    if (hint != NIM_NO_HINT)
        REMARK(remarks, "%s", hint == NIM_POSITION ? "a position" : "a flag");
    if (facts->tells)
        REMARK(remarks, "alone nearly gives the target away");
    if (facts->wants_log)
        REMARK(remarks, "positive and skewed, so that --log auto takes the logarithm");
    const struct judged *column = &judge->column[at];
    size_t nonpositive;
    if (!column->text && !nim_name_is_log(name_of(judge, (long)at)) &&
        nim_misses_log(column->sample, 1, column->sampled, &nonpositive))
        REMARK(remarks, "skewed, but --log auto takes no logarithm: %.3g %% are not positive",
               100.0 * (double)nonpositive / (double)column->sampled);
    if (sides.lower >= 0 && judge->column[sides.lower].missing == judge->column[sides.lower].cells)
        REMARK(remarks, "its column of errors is empty, so they are unknown");
}

void nim_judge_describe(const nim_judge *judge, size_t at, char *role, size_t role_size,
                        char *remarks, size_t remarks_size) {
    const struct judged *column = &judge->column[at];
    struct remarks what = {role, role_size, 0}, more = {remarks, remarks_size, 0};
    struct nim_column_facts facts;
    enum nim_standing standing = nim_judge_standing(judge, at);
    long of[2];
    bool errors = nim_names_role(judge->names, at, of) == NIM_ERRORS;
    *role = *remarks = '\0';
    nim_judge_facts(judge, at, &facts);
    say_role(judge, at, &what);
    if (standing == NIM_NOTHING)
        return;
    if (column->text)
        say_words(column, &more);
    else
        say_numbers(judge, at, &facts, &more);
    if (facts.differ && (column->text || standing == NIM_ROW_NAME || standing == NIM_ROW_NUMBER))
        REMARK(&more, "all different");
    if (errors && !column->text)
        say_errors(column, &judge->column[of[0]], &more);
    for (size_t k = 0; k < facts.sentinels; k++)
        REMARK(&more, "%zu cell%s %s %g, taken as missing", facts.sentinel_cells[k],
               facts.sentinel_cells[k] == 1 ? "" : "s", facts.sentinel_cells[k] == 1 ? "is" : "are",
               facts.sentinel[k]);
    if (standing == NIM_LEARNED || standing == NIM_LEARNED_TRUTH || standing == NIM_WORDS)
        say_feature(judge, at, &facts, &more);
}
