/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The data that a report has collected from the rows. */

#include "report/kept_rows.h"
#include "report/report.h"
#include "score/assessment.h"
#include "score/ranking.h"

/* Numbers of rows that are kept: a sample, those shown in charts, and those in each table. */
enum { SAMPLE_ROWS = 1000, SHOWN_ROWS = 300, WORTHY_ROWS = 40 };

/* Rows predicted at a time. */
enum { PORTION = 4096 };

/* Equal bins of the highest probability, for rows with or without a known target. */
enum { CONFIDENCE_BINS = 20 };

/* Bins of novelty and their width; the last bin has all larger values. */
enum { NOVELTY_BINS = 20 };

/* Classes of which curves are drawn, at most. */
enum { MOST_RANKED = 20 };
#define NOVELTY_BIN 0.25

/* Sets of classes contain the true class with this probability. */
#define SET_COVERAGE 0.9

enum entropy_part { PART_REST, PART_MEASUREMENT, ENTROPY_PARTS };

struct fact {
    char *key, *text;
};

struct attribute_facts {
    char *unit, *error_column; /* or NULL */
    size_t missing;            /* cells */
    size_t without_error;      /* cells whose error is unknown */
    struct moments value;      /* of cells that are not missing */
};

struct nim_report {
    const nim_model *model;
    nim_predictor *predictor;
    enum predicts predicts;
    size_t classes, functions, attributes;

    size_t facts;
    struct fact *fact;
    struct attribute_facts *attribute;
    size_t no_target, unknown_target; /* rows left out */

    size_t rows, known, next_number;
    bool errors;    /* rows have error bars */
    bool names;     /* rows have names */
    bool all_known; /* no row without a target yet */
    struct assessment assessment;
    struct ranking *ranking; /* classes, where a row has one of not too many; otherwise NULL */
    double *predicted; /* classes: rows for which it is the most probable; labels: rows in which
                          its probability is above 1/2 */
    double *expected;  /* classes: sum of its probabilities */
    double confidence[CONFIDENCE_BINS];          /* rows, by highest probability */
    struct moments part[ENTROPY_PARTS], entropy; /* all rows */
    double (*part_of)[ENTROPY_PARTS]; /* classes: sums over rows predicted as this class */
    struct moments mean, deviation, latent_deviation; /* of numbers and counts */

    bool knows_novelty, knows_sets;
    double novelty[NOVELTY_BINS]; /* rows */
    double *set_size;             /* classes + 1: rows by the number of classes in their set */
    struct moments held;          /* known rows: whether the set contains the true class */

    struct kept_rows strangers;            /* the most unusual rows */
    struct kept_rows sample;               /* random, independent of the order of the rows */
    struct kept_rows to_label, to_measure; /* rows most worth a label, or exact measurements;
                                              to_label: rows without targets, if there are any */

    /* A portion. */
    struct predictions predictions;
    size_t *number;

    char *json, *page; /* the texts, after the first request; no rows may be added then */
    size_t json_size, page_size;
    nim_error failure; /* of writing them */
};

/* Rows that were predicted already, all parts included. */
nim_status report_gather(nim_report *report, const nim_report_rows *rows,
                         const struct predictions *predictions, nim_error *error);

/* Sections of the document: what was learned, and what to do next. False when out of memory or when
 * the library cannot predict, which report->failure then says. */
bool report_write_learned(nim_report *report, struct json_writer *json);
bool report_write_worthy(nim_report *report, struct json_writer *json);
bool report_no_memory(nim_report *report); /* false */

/* A number for a picture: five digits. */
void write_rounded(struct json_writer *json, const char *key, double value);

/* The same as failure() of the library, which is not accessible here. */
nim_status report_failure(nim_error *error, nim_status status, const char *message);
nim_status report_out_of_memory(nim_error *error);
