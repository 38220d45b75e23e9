/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and samples the cells of columns, and concludes what they are. */
#include "measure/judge_inside.h"

#include "text/ascii.h"
#include "text/growing.h"
#include "text/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLED = 16384, LEAST_SAMPLED = 256, SAMPLED_CELLS = 1 << 21, FEW_ROWS = 30 };

/* ---------------------------------------------------------------- collecting ------------------ */

nim_judge *nim_judge_create(nim_names *names, size_t columns) {
    nim_judge *judge = calloc(1, sizeof *judge);
    if (!judge)
        return NULL;
    size_t room = SAMPLED_CELLS / (columns + 1);
    judge->names = names;
    judge->columns = columns;
    judge->room = room > MOST_SAMPLED ? MOST_SAMPLED : room < LEAST_SAMPLED ? LEAST_SAMPLED : room;
    judge->column = calloc(columns + 1, sizeof *judge->column);
    if (!judge->column) {
        free(judge);
        return NULL;
    }
    for (size_t i = 0; i < columns; i++)
        judge->column[i] = (struct judged){.step = 1,
                                           .last = (double)NAN,
                                           .least = HUGE_VAL,
                                           .most = -HUGE_VAL,
                                           .whole = true,
                                           .truth = true};
    return judge;
}

void nim_judge_free(nim_judge *judge) {
    for (size_t i = 0; judge && i < judge->columns; i++) {
        struct judged *column = &judge->column[i];
        for (size_t k = 0; k < column->words; k++)
            free(column->word[k].text);
        free(column->word);
        free(column->sample);
    }
    if (judge)
        free(judge->column);
    free(judge);
}

/* Every step-th cell; when there are too many, every second of those. */
static bool sample(const nim_judge *judge, struct judged *column, double value) {
    if (column->cells % column->step)
        return true;
    if (column->sampled == judge->room) {
        column->step *= 2;
        column->sampled /= 2;
        for (size_t i = 0; i < column->sampled; i++)
            column->sample[i] = column->sample[2 * i];
        if (column->cells % column->step)
            return true;
    }
    double *grown = grow_by_one(column->sample, column->sampled, sizeof *grown);
    if (!grown)
        return false;
    column->sample = grown;
    grown[column->sampled++] = value;
    return true;
}

static void count_number(struct judged *column, double x) {
    column->infinite += isinf(x) != 0;
    column->zeros += x == 0.0;
    column->negative += x < 0.0;
    column->whole = column->whole && x == floor(x);
    column->repeats += x == column->last;
    column->last = x;
    if (sentinel_count(column, x))
        return;
    column->least = fmin(column->least, x);
    column->most = fmax(column->most, x);
    double unit = x - column->mean;
    column->mean += unit / (double)++column->measured;
    column->square += unit * (x - column->mean);
}

int nim_judge_numbers(nim_judge *judge, size_t at, const double *value, size_t count) {
    struct judged *column = &judge->column[at];
    for (size_t i = 0; i < count; i++) {
        if (isnan(value[i]))
            column->missing++;
        else
            count_number(column, value[i]);
        if (!sample(judge, column, value[i]))
            return 0;
        column->cells++;
    }
    return 1;
}

/* A text as a number: equal for equal texts, and otherwise almost never. */
static double text_code(const char *text, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return length ? (double)(hash >> 12) : (double)NAN;
}

int nim_is_truth(const char *text, size_t length, int *value) {
    static const char *const words[] = {"false", "true", "no", "yes", "f", "t"};
    for (int i = 0; i < 6; i++)
        if (strlen(words[i]) == length && ascii_starts(text, words[i])) {
            *value = i % 2;
            return 1;
        }
    return 0;
}

static bool is_number(const char *text, size_t length) {
    char copy[64];
    double value;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return number_parse(copy, &value);
}

/* Adds the text to the words unless they are too many. */
static bool count_word(struct judged *column, const char *text, size_t length) {
    size_t k = 0;
    while (k < column->words &&
           (column->word[k].length != length || memcmp(column->word[k].text, text, length) != 0))
        k++;
    if (k == column->words) {
        column->many = column->words == NIM_MOST_WORDS;
        if (column->many)
            return true;
        struct word *grown = grow_by_one(column->word, column->words, sizeof *grown);
        char *copy = malloc(length + 1);
        column->word = grown ? grown : column->word;
        if (!grown || !copy) {
            free(copy);
            return false;
        }
        memcpy(copy, text, length);
        copy[length] = '\0';
        grown[column->words++] = (struct word){copy, length, 0};
    }
    column->word[k].cells++;
    return true;
}

int nim_judge_texts(nim_judge *judge, size_t at, const char *text, const size_t *length,
                    size_t count) {
    struct judged *column = &judge->column[at];
    int truth;
    column->text = true;
    for (size_t i = 0; i < count; text += length[i++]) {
        double code = text_code(text, length[i]);
        column->missing += !length[i];
        column->repeats += code == column->last;
        column->last = code;
        if (length[i] && column->cells < FEW_PARSED)
            column->numbers += is_number(text, length[i]);
        if (length[i] && nim_is_truth(text, length[i], &truth))
            column->truths |= 1 << truth;
        else
            column->truth = column->truth && !length[i];
        if (length[i] && !column->many && !count_word(column, text, length[i]))
            return 0;
        if (!sample(judge, column, code))
            return 0;
        column->cells++;
    }
    return 1;
}

void nim_judge_set_aside(nim_judge *judge, size_t column, int aside) {
    judge->column[column].aside = aside;
}

/* ---------------------------------------------------------------- concluding ------------------ */

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_bytes(const void *left, const void *right) {
    return strcmp(((const struct word *)left)->text, ((const struct word *)right)->text);
}

/* Different values in the sample. */
static size_t count_different(const struct judged *column, double *space) {
    size_t known = 0, different = 0;
    for (size_t i = 0; i < column->sampled; i++)
        if (!isnan(column->sample[i]))
            space[known++] = column->sample[i];
    qsort(space, known, sizeof *space, by_size);
    for (size_t i = 0; i < known; i++)
        different += i == 0 || space[i] > space[i - 1];
    return different;
}

bool judged_all_differ(const struct judged *column) {
    return column->cells >= FEW_ROWS && !column->missing && !column->repeats &&
           column->different == column->sampled;
}

/* The column of classes or numbers that is predicted, or NULL. */
static const struct judged *find_target(const nim_judge *judge) {
    for (size_t i = 0; i < judge->columns; i++)
        if (judge->column[i].aside == NIM_ASIDE_CLASSES ||
            judge->column[i].aside == NIM_ASIDE_NUMBERS)
            return &judge->column[i];
    return NULL;
}

static void conclude(struct judged *column, double *space) {
    if (column->words && !column->many)
        qsort(column->word, column->words, sizeof *column->word, by_bytes);
    for (size_t k = 0; k < column->sampled; k++)
        if (sentinel_is(column, column->sample[k]))
            column->sample[k] = (double)NAN;
    column->different = count_different(column, space);
}

/* Whether a value is not between the others; samples are of the same rows. */
static bool lies_outside(const struct judged *value, const struct judged *lower,
                         const struct judged *upper) {
    for (size_t i = 0; i < value->sampled; i++)
        if (value->sample[i] < lower->sample[i] || value->sample[i] > upper->sample[i])
            return true;
    return false;
}

/* The gravitational-wave catalogues' x_lower and x_upper are lengths, Gaia's are ends. */
static void find_lengths(nim_judge *judge) {
    for (size_t i = 0; i < judge->columns; i++) {
        struct nim_sides sides;
        long also;
        nim_names_errors(judge->names, i, NULL, &sides, &also);
        if (!sides.ends)
            continue;
        const struct judged *value = &judge->column[i], *lower = &judge->column[sides.lower],
                            *upper = &judge->column[sides.upper];
        bool numbers = !value->text && !lower->text && !upper->text &&
                       value->sampled == lower->sampled && value->sampled == upper->sampled;
        if (numbers && lower->most <= 0.0 && upper->least >= 0.0 &&
            lies_outside(value, lower, upper))
            names_take_lengths(judge->names, &sides);
    }
}

int nim_judge_finish(nim_judge *judge) {
    double *space = calloc(2 * judge->room + 1, sizeof *space);
    if (!space)
        return 0;
    if (!judge->concluded)
        sentinels_conclude(judge);
    for (size_t i = 0; !judge->concluded && i < judge->columns; i++)
        conclude(&judge->column[i], space);
    if (!judge->concluded)
        find_lengths(judge);
    judge->concluded = true;
    const struct judged *target = find_target(judge);
    for (size_t i = 0; target && i < judge->columns; i++) {
        struct judged *column = &judge->column[i];
        long of[2];
        enum nim_column_role role = nim_names_role(judge->names, i, of);
        if (column != target && column->aside != NIM_ASIDE_CLASSES &&
            column->aside != NIM_ASIDE_NUMBERS && role != NIM_ERRORS && role != NIM_IDENTITY)
            column->tells = column_tells(column, target, nim_names_is_verdict(judge->names, i),
                                         target->aside == NIM_ASIDE_CLASSES, space);
    }
    free(space);
    return 1;
}

/* ---------------------------------------------------------------- answers --------------------- */

bool judged_holds_errors(const nim_judge *judge, size_t column) {
    long of[2];
    enum nim_column_role role = nim_names_role(judge->names, column, of);
    return role == NIM_ERRORS || role == NIM_ONE_SIDED || role == NIM_ORPHAN ||
           judge->column[column].aside == NIM_ASIDE_ERRORS;
}

static bool has_errors(const nim_judge *judge, size_t column) {
    struct nim_sides sides;
    long also;
    nim_names_errors(judge->names, column, NULL, &sides, &also);
    return sides.lower >= 0;
}

static bool is_empty(const struct judged *column) {
    return column->cells && (column->text ? !column->words && !column->many
                                          : column->missing == column->cells ||
                                                (column->sentinels && !column->measured));
}

/* True and false, both of them. */
static bool is_truth(const struct judged *column) {
    return column->text && column->truth && column->truths == 3;
}

static bool holds_numbers(const nim_judge *judge, size_t at) {
    const struct judged *column = &judge->column[at];
    size_t seen = column->cells < FEW_PARSED ? column->cells : FEW_PARSED;
    size_t there = column->missing < seen ? seen - column->missing : 0;
    return !column->text || has_errors(judge, at) ||
           (column->numbers && 2 * column->numbers >= there);
}

/* By its name alone. */
static enum nim_standing stand_by_name(const nim_judge *judge, size_t column) {
    static const enum nim_standing standing[] = {
        [NIM_VALUE] = NIM_LEARNED,           [NIM_ERRORS] = NIM_OF_ANOTHER,
        [NIM_LIMITS] = NIM_OF_ANOTHER,       [NIM_CORRELATION] = NIM_OF_ANOTHER,
        [NIM_COVARIANCE] = NIM_OTHER_ERRORS, [NIM_WEIGHT] = NIM_OTHER_ERRORS,
        [NIM_ONE_SIDED] = NIM_LONE_SIDE,     [NIM_ORPHAN] = NIM_LOST_ERRORS,
        [NIM_IDENTITY] = NIM_ROW_NAME};
    long of[2];
    enum nim_column_role role = nim_names_role(judge->names, column, of);
    enum nim_aside aside = role == NIM_ERRORS ? judge->column[of[0]].aside : NIM_NOT_ASIDE;
    if (aside == NIM_ASIDE_NUMBERS || aside == NIM_ASIDE_EXPOSURE)
        return NIM_UNUSED_ERRORS;
    if (aside == NIM_ASIDE_CLASSES || aside == NIM_ASIDE_OTHER) /* which have no errors */
        return nim_name_says_error(judge->names->index.name[column]) ? NIM_LOST_ERRORS
                                                                     : NIM_LEARNED;
    return standing[role];
}

enum nim_standing nim_judge_standing(const nim_judge *judge, size_t at) {
    const struct judged *column = &judge->column[at];
    if (column->aside != NIM_NOT_ASIDE)
        return NIM_SET_ASIDE;
    enum nim_standing named = stand_by_name(judge, at);
    if (named == NIM_OF_ANOTHER || named == NIM_UNUSED_ERRORS)
        return named;
    if (is_empty(column))
        return NIM_NOTHING;
    if (!holds_numbers(judge, at))
        return is_truth(column) && named == NIM_LEARNED ? NIM_LEARNED_TRUTH
               : named == NIM_LEARNED || (named == NIM_ROW_NAME && !column->many) ? NIM_WORDS
                                                                                  : named;
    if (named == NIM_LEARNED && !column->text && column->whole && !has_errors(judge, at) &&
        judged_all_differ(column))
        return NIM_ROW_NUMBER;
    return named;
}

void nim_judge_facts(const nim_judge *judge, size_t at, struct nim_column_facts *facts) {
    const struct judged *column = &judge->column[at];
    *facts = (struct nim_column_facts){
        .cells = column->cells,
        .missing = column->missing,
        .zeros = column->zeros,
        .negative = column->negative,
        .least = column->measured ? column->least : (double)NAN,
        .most = column->measured ? column->most : (double)NAN,
        .spread = column->measured ? sqrt(column->square / (double)column->measured) : (double)NAN,
        .whole = column->whole && !column->text,
        .differ = judged_all_differ(column),
        .different = column->different,
        .text = column->text,
        .numbers = holds_numbers(judge, at),
        .truth = is_truth(column),
        .words = column->words + column->many,
        .sentinels = column->sentinels,
        .wants_log = !column->text && !nim_name_is_log(judge->names->index.name[at]) &&
                     nim_wants_log(column->sample, 1, column->sampled),
        .tells = column->tells};
    for (size_t k = 0; k < column->sentinels; k++) {
        facts->sentinel[k] = column->candidate[column->sentinel[k]].value;
        facts->sentinel_cells[k] = column->candidate[column->sentinel[k]].cells;
    }
}

const char *nim_judge_word(const nim_judge *judge, size_t at, size_t k, size_t *cells) {
    const struct judged *column = &judge->column[at];
    if (cells)
        *cells = column->word[k].cells;
    return column->word[k].text;
}

int nim_judge_is_sentinel(const nim_judge *judge, size_t column, double value) {
    return sentinel_fits(&judge->column[column], value, judge->column[column].cells,
                         judged_holds_errors(judge, column));
}
