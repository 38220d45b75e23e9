/* SPDX-License-Identifier: Apache-2.0 */
/* What a column's name says of another column: the words for errors, limits and correlations. */
#include "measure/names.h"

#include "text/ascii.h"

#include <stdio.h>
#include <string.h>

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether a word may begin or end before name[place]. */
static bool parts_words(const char *name, size_t place) {
    char left = place ? name[place - 1] : '\0', right = name[place];
    return !left || !right || is_separator(left) || is_separator(right) || left == '(' ||
           right == '(' || is_digit(left) != is_digit(right) ||
           (is_upper(right) && !is_upper(left));
}

/* ---------------------------------------------------------------- words ----------------------- */

enum place { LATER, AT_START, ANYWHERE };

/* Words for errors, longer ones first. Of several columns about one value, the lowest rank wins. */
static const struct rule {
    const char *word;
    enum place place;
    int rank;
    const char *instead; /* what the value has in the place of the word */
    bool apart;          /* it stands apart on both sides */
} rule[] = {
    {"standard_deviation", ANYWHERE, 13, "", false},
    {"standard_error", ANYWHERE, 9, "", false},
    {"uncertainty", ANYWHERE, 8, "", false},
    {"uncert", ANYWHERE, 8, "", false},
    {"stderror", ANYWHERE, 9, "", false},
    {"std_error", ANYWHERE, 9, "", false}, /* here _ is any separator */
    {"std_err", ANYWHERE, 9, "", false},
    {"std_dev", ANYWHERE, 13, "", false},
    {"stderr", ANYWHERE, 9, "", false},
    {"stddev", ANYWHERE, 13, "", false},
    {"stdev", ANYWHERE, 13, "", false},
    {"error", LATER, 1, "", false},
    {"error", AT_START, 7, "", false},
    {"1sigma", LATER, 7, "", false},
    {"sigma", AT_START, 4, "", false},
    {"sigma", AT_START, 4, "mag", false}, /* ZTF: sigmapsf of magpsf */
    {"sigma", LATER, 7, "", false},
    {"sigcom", LATER, 10, "", false}, /* 2MASS: j_msigcom, the total error of j_m */
    {"cmsig", LATER, 11, "m", false}, /* and j_cmsig */
    {"err", LATER, 0, "", false},
    {"err", AT_START, 6, "", false},
    {"unc", AT_START, 3, "", false},
    {"unc", LATER, 5, "", false},
    {"sig", ANYWHERE, 12, "", false},
    {"sigm", LATER, 12, "mag", false}, /* AllWISE: w1sigm of w1mag */
    {"std", ANYWHERE, 14, "", false},
    {"sem", LATER, 15, "", true},
    {"se", LATER, 15, "", true},
    {"sd", LATER, 15, "", true},
    {"e", AT_START, 2, "", true},
    {"+-", LATER, 16, "", false},
    {"\u00b1", LATER, 16, "", false},
    {"\u03c3", ANYWHERE, 17, "", false}, /* sigma */
};

/* The lower and upper side of a pair. */
static const struct sides_words {
    const char *lower, *upper;
    bool only_after; /* the word for errors: too short to stand elsewhere */
} side_words[] = {{"2", "1", true},          {"lo", "hi", false},   {"low", "high", false},
                  {"lower", "upper", false}, {"low", "up", false},  {"down", "up", false},
                  {"minus", "plus", false},  {"neg", "pos", false}, {"l", "u", true},
                  {"min", "max", true}};

/* Pairs without a word for errors: lengths, or where the error bar ends. */
static const struct {
    const char *lower, *upper;
    bool ends;
} pair_words[] = {{"minus", "plus", false}, {"lolim", "hilim", true}, {"lower", "upper", true},
                  {"lo", "hi", true},       {"l68", "u68", true},     {"p16", "p84", true},
                  {"q16", "q84", true},     {"em", "ep", false}};

/* What may stand behind an error's word, and not in the name of its value, in order. */
static const char *const qualifier[] = {"tot", "total", "diag", "raw", "stat", "random", "rand"};

/* What the name of the value may have that the name of its errors lacks: Simbad's plx_value and
 * plx_err. A mean may have a standard deviation that is no error of it. */
static const char *const value_word[] = {"_value", "_radvel", "_mean", "_median"};
enum { FIRST_MEAN = 2 };

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A part of a name: from `start`, of so many characters. */
struct part {
    size_t start, end;
};

enum { LONGEST_STEM = LONGEST_NAME + 16 }; /* with what stands in the place of a word, or behind */

static long find_value(const struct nim_names *names, size_t column, const char *stem) {
    long found = name_index_near(&names->index, stem);
    return found == (long)column ? NO_NAME : found;
}

/* A name without some parts, the first of which is replaced. stem: LONGEST_STEM characters. False
 * if nothing is left. */
static bool write_without(const char *name, struct part one, const char *instead, struct part two,
                          char *stem) {
    size_t length = strlen(name), used = 0;
    if (length >= LONGEST_NAME)
        return false;
    for (size_t i = 0; i <= length; i++) {
        if (i == one.start)
            for (const char *c = instead; *c; c++)
                stem[used++] = *c;
        bool gone = (i >= one.start && i < one.end) || (i >= two.start && i < two.end);
        bool again = used && is_separator(stem[used - 1]) && is_separator(name[i]);
        bool ahead = !used && is_separator(name[i]);
        if (i < length && !gone && !again && !ahead)
            stem[used++] = name[i];
    }
    while (used && is_separator(stem[used - 1]))
        used--;
    stem[used] = '\0';
    return used > 0;
}

/* The value whose name is this one without some parts. */
static long find_without(const struct nim_names *names, size_t column, struct part one,
                         const char *instead, struct part two) {
    char stem[LONGEST_STEM];
    return write_without(names->index.name[column], one, instead, two, stem)
               ? find_value(names, column, stem)
               : NO_NAME;
}

/* Whether the word stands there, apart from what is around it. */
static bool stands_at(const char *name, size_t place, const char *word, bool apart) {
    size_t end = place + strlen(word);
    for (size_t i = place; i < end; i++)
        if (word[i - place] == '_' ? !is_separator(name[i])
                                   : ascii_lower(name[i]) != ascii_lower(word[i - place]))
            return false;
    bool left = parts_words(name, place), right = parts_words(name, end);
    return apart ? left && right : left || right;
}

/* ---------------------------------------------------------------- errors ---------------------- */

struct reader {
    const struct nim_names *names;
    size_t column;
    const char *name;
    const struct rule *rule;
    struct part word; /* that says error */
};

static const struct part nothing = {0, 0};

static bool set_relation(struct relation *relation, enum side side, int rank, long of) {
    if (of < 0)
        return false;
    *relation = (struct relation){NIM_ERRORS, side, of, NO_NAME, rank};
    return true;
}

static bool read_without(const struct reader *reader, struct part other, enum side side, int rank,
                         struct relation *relation) {
    char stem[LONGEST_STEM];
    if (!write_without(reader->name, reader->word, reader->rule->instead, other, stem))
        return false;
    bool spread = ascii_starts(reader->rule->word, "st") || ascii_starts(reader->rule->word, "sd");
    size_t words = spread ? FIRST_MEAN : COUNT(value_word), end = strlen(stem);
    long found = find_value(reader->names, reader->column, stem);
    for (size_t i = 0; found == NO_NAME && i < words; i++) {
        strcpy(stem + end, value_word[i]);
        found = find_value(reader->names, reader->column, stem);
    }
    return set_relation(relation, side, rank, found);
}

/* A word such as "lo" that ends before a place, or begins there; its part of the name. */
static bool word_behind(const struct reader *reader, const char *word, struct part *part) {
    size_t start = reader->word.end;
    while (is_separator(reader->name[start]))
        start++;
    *part = (struct part){start, start + strlen(word)};
    return ascii_starts(reader->name + start, word) && parts_words(reader->name, part->end);
}

static bool word_ahead(const struct reader *reader, const char *word, struct part *part) {
    size_t end = reader->word.start, length = strlen(word);
    while (end && is_separator(reader->name[end - 1]))
        end--;
    if (end < length)
        return false;
    *part = (struct part){end - length, end};
    return ascii_starts(reader->name + part->start, word) && parts_words(reader->name, part->start);
}

/* Unc_x_1 */
static bool word_last(const struct reader *reader, const char *word, struct part *part) {
    size_t length = strlen(reader->name), tail = strlen(word);
    *part = (struct part){length - tail, length};
    return reader->word.start == 0 && length > reader->word.end + tail + 1 &&
           is_separator(reader->name[part->start - 1]) &&
           ascii_starts(reader->name + part->start, word);
}

static bool read_side(const struct reader *reader, size_t pair, bool upper,
                      struct relation *relation) {
    const struct sides_words *words = &side_words[pair];
    const char *word = upper ? words->upper : words->lower;
    int family = 64 * (4 * (int)pair + 8) + reader->rule->rank;
    struct part part;
    enum side side = upper ? UPPER_SIDE : LOWER_SIDE;
    if (word_behind(reader, word, &part) && read_without(reader, part, side, family, relation))
        return true;
    if (!words->only_after && word_ahead(reader, word, &part) &&
        read_without(reader, part, side, family + 64, relation))
        return true;
    if (!word_last(reader, word, &part))
        return false;
    bool swap = pair == 0; /* Fermi's vectors have the lower error first */
    return read_without(reader, part, upper != swap ? UPPER_SIDE : LOWER_SIDE,
                        family - (swap ? 256 : -128), relation);
}

/* VizieR's e_x and E_x: lower and upper errors where both are there; b_x and B_x: the ends. */
static bool read_twins(const struct nim_names *names, size_t column, struct relation *relation) {
    const char *name = names->index.name[column];
    char twin[LONGEST_NAME];
    size_t length = strlen(name);
    char small = length > 2 && length < sizeof twin && name[1] == '_' ? ascii_lower(*name) : '\0';
    if (small != 'e' && small != 'b')
        return false;
    memcpy(twin, name, length + 1);
    twin[0] = *name == small ? (char)(small - 'a' + 'A') : small;
    long other = name_index_find(&names->index, twin);
    if (other < 0 || strcmp(names->index.name[other], twin) != 0)
        return false;
    enum side lower = small == 'e' ? LOWER_SIDE : LOWER_END;
    return set_relation(relation, *name == small ? lower : (enum side)(lower + 1), 0,
                        find_without(names, column, (struct part){0, 2}, "", nothing));
}

static bool read_word(const struct reader *reader, struct relation *relation) {
    int rank = reader->rule->rank;
    struct part part;
    if (read_without(reader, nothing, ONLY_SIDE, rank, relation))
        return true;
    for (size_t i = 0; i < COUNT(side_words); i++)
        for (int upper = 0; upper < 2; upper++)
            if (read_side(reader, i, upper, relation))
                return true;
    for (size_t i = 0; i < COUNT(qualifier); i++)
        if ((word_behind(reader, qualifier[i], &part) || word_last(reader, qualifier[i], &part)) &&
            read_without(reader, part, ONLY_SIDE, 100 + 32 * (int)i + rank, relation))
            return true;
    return false;
}

/* Whether a rule's word may be taken at this place of the name. */
static bool may_stand(const struct rule *taken, const char *name, size_t place) {
    bool place_is_right = taken->place == ANYWHERE || (taken->place == AT_START) == (place == 0);
    if (strcmp(taken->word, "e") == 0)
        return place == 0 && ascii_starts(name, "e") &&
               (name[1] == '_' || (name[0] == 'e' && is_upper(name[1])) ||
                ascii_starts(name + 1, "neg_") || ascii_starts(name + 1, "pos_"));
    if (strcmp(taken->word, "sig") == 0 && place > 6 && ascii_starts(name + place - 6, "noise_"))
        return false; /* Gaia: a significance */
    return place_is_right && stands_at(name, place, taken->word, taken->apart);
}

static bool read_errors(const struct nim_names *names, size_t column, struct relation *relation) {
    const char *name = names->index.name[column];
    struct reader reader = {.names = names, .column = column, .name = name};
    for (size_t i = 0; i < COUNT(rule); i++)
        for (size_t place = 0; name[place]; place++) {
            if (!may_stand(&rule[i], name, place))
                continue;
            reader.rule = &rule[i];
            reader.word = (struct part){place, place + strlen(rule[i].word)};
            if (read_word(&reader, relation))
                return true;
        }
    return false;
}

/* x_minus and x_plus, x_lo and x_hi; whether both are there is found out later. */
static bool read_pairs(const struct nim_names *names, size_t column, struct relation *relation) {
    const char *name = names->index.name[column];
    for (size_t i = 0; i < COUNT(pair_words); i++)
        for (int upper = 0; upper < 2; upper++) {
            const char *word = upper ? pair_words[i].upper : pair_words[i].lower;
            size_t length = strlen(word);
            for (size_t place = 1; *name && name[place]; place++) {
                struct part part = {place, place + length};
                if (!is_separator(name[place - 1]) || !stands_at(name, place, word, true) ||
                    (name[part.end] && !is_separator(name[part.end])))
                    continue;
                enum side low = pair_words[i].ends ? LOWER_END : LOWER_SIDE;
                if (set_relation(relation, upper ? (enum side)(low + 1) : low,
                                 WITHOUT_WORD + (int)i,
                                 find_without(names, column, part, "", nothing)))
                    return true;
            }
        }
    return false;
}

/* ---------------------------------------------------------------- limits, correlations -------- */

static const struct {
    const char *word;
    bool ahead;
} limit_word[] = {{"_limit", false}, {"l_", true}, {"lim", false}};

/* Numbers are told from measurements such as a speed and its limit by the name alone: the ending of
 * archives. */
static bool read_limits(const struct nim_names *names, size_t column, struct relation *relation) {
    const char *name = names->index.name[column];
    size_t length = strlen(name);
    bool archive = length > 3 && ascii_same(name + length - 3, "lim");
    for (int i = 0; (names->is_text[column] || archive) && i < (int)COUNT(limit_word); i++) {
        size_t tail = strlen(limit_word[i].word);
        struct part part = {limit_word[i].ahead ? 0 : length - tail,
                            limit_word[i].ahead ? tail : length};
        if (length <= tail || !ascii_starts(name + part.start, limit_word[i].word))
            continue;
        long of = find_without(names, column, part, "", nothing);
        if (of >= 0) {
            *relation = (struct relation){NIM_LIMITS, ONLY_SIDE, of, NO_NAME, i};
            return true;
        }
    }
    return false;
}

/* Two columns whose names are joined by an underscore in this part of a name. */
static bool find_two(const struct nim_names *names, const char *start, const char *end,
                     struct relation *relation) {
    char first[LONGEST_NAME], second[LONGEST_NAME];
    if (end - start >= LONGEST_NAME)
        return false;
    for (const char *joint = start + 1; joint < end; joint++) {
        if (*joint != '_')
            continue;
        snprintf(first, sizeof first, "%.*s", (int)(joint - start), start);
        snprintf(second, sizeof second, "%.*s", (int)(end - joint - 1), joint + 1);
        relation->of = name_index_find(&names->index, first);
        relation->with = relation->of < 0 ? NO_NAME : name_index_find(&names->index, second);
        if (relation->with < 0) { /* LSST: coord_ra_dec_Cov of coord_ra and coord_dec */
            const char *last = strrchr(first, '_');
            if (relation->of < 0 || !last)
                continue;
            snprintf(second, sizeof second, "%.*s_%.*s", (int)(last - first), first,
                     (int)(end - joint - 1), joint + 1);
            relation->with = name_index_find(&names->index, second);
        }
        if (relation->with >= 0 && relation->with != relation->of)
            return true;
    }
    return false;
}

static bool read_correlation(const struct nim_names *names, size_t column,
                             struct relation *relation) {
    static const struct {
        const char *word;
        enum nim_column_role role;
    } ending[] = {{"_corr", NIM_CORRELATION}, {"_cov", NIM_COVARIANCE}};
    const char *name = names->index.name[column];
    size_t length = strlen(name);
    for (size_t i = 0; i < COUNT(ending); i++) {
        size_t tail = strlen(ending[i].word);
        relation->role = ending[i].role;
        if (length > tail && ascii_same(name + length - tail, ending[i].word) &&
            find_two(names, name, name + length - tail, relation))
            return true;
    }
    relation->role = NIM_COVARIANCE;
    return length > 4 && ascii_starts(name, "cov_") &&
           find_two(names, name + 4, name + length, relation);
}

/* FLUX_IVAR_G: 1 / sigma^2 of FLUX_G. */
static bool read_weight(const struct nim_names *names, size_t column, struct relation *relation) {
    const char *name = names->index.name[column];
    for (size_t place = 0; name[place]; place++)
        if (stands_at(name, place, "ivar", true)) {
            long of = find_without(names, column, (struct part){place, place + 4}, "", nothing);
            *relation =
                (struct relation){of < 0 ? NIM_ORPHAN : NIM_WEIGHT, ONLY_SIDE, of, NO_NAME, 0};
            return true;
        }
    return false;
}

struct relation relation_read(const struct nim_names *names, size_t column) {
    struct relation relation = {NIM_VALUE, ONLY_SIDE, NO_NAME, NO_NAME, 0};
    if (read_correlation(names, column, &relation) || read_twins(names, column, &relation) ||
        read_errors(names, column, &relation) || read_pairs(names, column, &relation) ||
        read_limits(names, column, &relation) || read_weight(names, column, &relation))
        return relation;
    return (struct relation){NIM_VALUE, ONLY_SIDE, NO_NAME, NO_NAME, 0};
}

bool relation_is_delta(const struct nim_names *names, size_t column, long *of) {
    static const char *const word[] = {"delta_", "\u0394", "d"};
    const char *name = names->index.name[column];
    *of = NO_NAME;
    for (size_t i = 0; *of < 0 && i < COUNT(word); i++)
        if (ascii_starts(name, word[i]) && name[strlen(word[i])])
            *of = name_index_find(&names->index, name + strlen(word[i]));
    return *of >= 0 && *of != (long)column;
}

/* ---------------------------------------------------------------- words of one name ----------- */

/* The next word of a name from *place: letters of one kind, without the separators. */
static bool next_word(const char *name, size_t *place, struct part *word) {
    while (name[*place] && (is_separator(name[*place]) || strchr("()[]/#:", name[*place])))
        ++*place;
    word->start = *place;
    while (name[*place] && (*place == word->start || !parts_words(name, *place)))
        ++*place;
    word->end = *place;
    return word->end > word->start;
}

static bool word_is(const char *name, struct part word, const char *is) {
    return word.end - word.start == strlen(is) && ascii_starts(name + word.start, is);
}

static bool word_ends(const char *name, struct part word, const char *end) {
    size_t tail = strlen(end), length = word.end - word.start;
    return length >= tail && ascii_starts(name + word.end - tail, end);
}

/* One word of several that says error; `first`: it is the first of the name. */
static bool word_says_error(const char *name, struct part word) {
    static const char *const later[] = {"se", "sem", "sd"};
    static const char *const whole[] = {"unc", "uncertainty", "uncert", "sigma", "sig",
                                        "std", "stdev",       "stddev", "\u03c3"};
    static const char *const end[] = {"err", "error", "msig", "stderr"};
    bool joined = name[word.end] >= 'A' && name[word.end] <= 'Z'; /* SigCurv is a significance */
    for (size_t i = 0; i < COUNT(later); i++)
        if (word_is(name, word, later[i]))
            return word.start > 0;
    for (size_t i = 0; i < COUNT(whole); i++)
        if (word_is(name, word, whole[i]))
            return strcmp(whole[i], "sig") != 0 || !joined;
    for (size_t i = 0; i < COUNT(end); i++)
        if (word_ends(name, word, end[i]))
            return true;
    bool sig = ascii_starts(name + word.start, "sig") && word.end - word.start > 4 &&
               !ascii_starts(name + word.start, "sign") && !ascii_starts(name + word.start, "sigm");
    return sig || ascii_starts(name + word.start, "err") ||
           (word.start == 0 && word_is(name, word, "e") && name[word.end] == '_');
}

int nim_name_says_error(const char *name) {
    size_t place = 0;
    struct part word, before = nothing;
    bool says = false;
    while (next_word(name, &place, &word)) {
        bool whole = word.start == 0 && !name[word.end] && strlen(name) <= 6; /* "sigma" alone */
        if (word_is(name, before, "over") || /* parallax_over_error, sig_to_noise, noise_sig */
            (word_is(name, before, "sig") && word_is(name, word, "to")) ||
            (word_is(name, before, "noise") && word_is(name, word, "sig")))
            return 0;
        says = says || (!whole && word_says_error(name, word));
        before = word;
    }
    return says;
}

int nim_name_is_identity(const char *name) {
    static const char *const whole[] = {"",           "index",       "row",   "idx", "#",
                                        "no.",        "nr",          "kepid", "tid", "cid",
                                        "Unnamed: 0", "designation", "fid",   "pid", "nid"};
    static const char *const words[] = {"id",  "recno", "tic", "toi",   "ctoi",   "kic",  "epic",
                                        "hip", "tyc",   "key", "plate", "camcol", "rerun"};
    static const char *const ends[] = {"objid",  "rowid",     "srcid",    "detuid",   "specid",
                                       "obsid",  "starid",    "fileid",   "plateid",  "fiberid",
                                       "kepid",  "fieldid",   "targetid", "sourceid", "detid",
                                       "candid", "programid", "rcid"};
    struct part word;
    size_t place = 0;
    for (size_t i = 0; i < COUNT(whole); i++)
        if (ascii_same(name, whole[i]))
            return 1;
    while (next_word(name, &place, &word)) {
        for (size_t i = 0; i < COUNT(words); i++)
            if (word_is(name, word, words[i]))
                return 1;
        for (size_t i = 0; i < COUNT(ends); i++)
            if (word_ends(name, word, ends[i]))
                return 1;
    }
    return 0;
}

enum nim_column_hint nim_names_hint(const nim_names *names, size_t column) {
    static const char *const sky[] = {"ra",     "dec",    "decl",   "raj",    "dej",     "decj",
                                      "rajd",   "decjd",  "glon",   "glat",   "gallong", "gallat",
                                      "eclong", "eclat",  "lii",    "bii",    "elon",    "elat",
                                      "radeg",  "dedeg",  "decdeg", "ramean", "decmean", "rarad",
                                      "derad",  "ramdeg", "demdeg", "lon",    "lat"};
    static const char *const two[][2] = {
        {"l", "b"},         {"alpha", "delta"}, {"_RA", "_DE"}, {"RA_ICRS", "DE_ICRS"},
        {"lambda", "beta"}, {"cx", "cy"},       {"cz", "cy"}};
    static const char *const flag[] = {"flag", "flags", "flg", "warn", "warning", "bitmask"};
    const char *name = names->index.name[column];
    struct part word;
    size_t place = 0;
    bool moves = false, somewhere = false;
    while (next_word(name, &place, &word)) {
        for (size_t i = 0; i < COUNT(flag); i++)
            if (word_ends(name, word, flag[i]))
                return NIM_FLAG;
        moves = moves || word_is(name, word, "pm") || word_is(name, word, "mu");
        for (size_t i = 0; i < COUNT(sky); i++)
            somewhere = somewhere || word_is(name, word, sky[i]);
    }
    if (ascii_starts(name, "is_") || ascii_starts(name, "has_"))
        return NIM_FLAG;
    for (size_t i = 0; i < COUNT(two); i++)
        for (int k = 0; k < 2; k++)
            somewhere = somewhere || (ascii_same(name, two[i][k]) &&
                                      name_index_find(&names->index, two[i][!k]) >= 0);
    return somewhere && !moves ? NIM_POSITION : NIM_NO_HINT;
}

int nim_names_is_verdict(const nim_names *names, size_t column) {
    static const char *const words[] = {"score",          "prob",      "probability",
                                        "pred",           "predicted", "class",
                                        "classification", "label",     "disposition"};
    const char *name = names->index.name[column];
    struct part word;
    size_t place = 0;
    while (next_word(name, &place, &word))
        for (size_t i = 0; i < COUNT(words); i++)
            if (word_ends(name, word, words[i]))
                return 1;
    return 0;
}
