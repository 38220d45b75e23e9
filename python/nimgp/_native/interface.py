# SPDX-License-Identifier: Apache-2.0
"""Structures, functions and enumerations of the C headers; written by scripts/interface.py, do not edit.

Handles and arrays of numbers are addresses. The headers document all of it.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from typing import Any


class Sized(ctypes.Structure):
    """A structure that starts with its size, so that the library knows which members it has."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)


class Error(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("message", c_char * 512),
        ("option", c_char * 32),
        ("row", c_size_t),
        ("attribute", c_size_t),
        ("reserved", c_size_t * 4),
    ]


class OptionInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("fallback", c_char_p),
        ("values", c_char_p),
        ("help", c_char_p),
        ("type", c_int),
        ("choices", POINTER(c_char_p)),
        ("least", c_double),
        ("most", c_double),
        ("role", c_int),
        ("tier", c_int),
    ]


class Data(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_size_t),
        ("attributes", c_size_t),
        ("x", c_void_p),
        ("sigma", c_void_p),
        ("sigma_rows", c_size_t),
        ("labels", c_void_p),
        ("weights", c_void_p),
        ("targets", c_void_p),
        ("outputs", c_size_t),
        ("exposure", c_void_p),
        ("correlation", c_void_p),
        ("correlation_rows", c_size_t),
        ("sigma_upper", c_void_p),
        ("limit", c_void_p),
        ("x_stride", c_size_t),
        ("sigma_stride", c_size_t),
        ("x_column", c_void_p),
        ("sigma_column", c_void_p),
        ("target_sigma", c_void_p),
    ]


class Progress(ctypes.Structure):
    _fields_ = [
        ("epoch", c_size_t),
        ("epochs", c_size_t),
        ("batch", c_size_t),
        ("batches", c_size_t),
        ("step", c_size_t),
        ("bound", c_double),
        ("rate", c_double),
        ("jitter", c_double),
    ]


ProgressFunction = CFUNCTYPE(c_int, POINTER(Progress), c_void_p)


class Collectives(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rank", c_size_t),
        ("processes", c_size_t),
        ("sum", CFUNCTYPE(c_int, c_void_p, c_size_t, c_void_p)),
        ("largest", CFUNCTYPE(c_int, c_void_p, c_size_t, c_void_p)),
        ("gather", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        ("context", c_void_p),
        ("sum_parts", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
    ]


class Storage(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("resize", CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t, c_void_p)),
        ("context", c_void_p),
    ]


class Prediction(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("probabilities", c_void_p),
        ("entropy", c_void_p),
        ("latent_mean", c_void_p),
        ("latent_variance", c_void_p),
        ("measurement_part", c_void_p),
        ("model_part", c_void_p),
        ("mean", c_void_p),
        ("deviation", c_void_p),
        ("levels", c_void_p),
        ("level_count", c_size_t),
        ("quantiles", c_void_p),
        ("log_density", c_void_p),
        ("cumulative", c_void_p),
        ("plausibility", c_void_p),
        ("novelty", c_void_p),
        ("input_log_density", c_void_p),
        ("grid", c_void_p),
        ("grid_count", c_size_t),
        ("density", c_void_p),
        ("level_rows", c_size_t),
        ("typical", c_void_p),
        ("crps", c_void_p),
        ("coverage", c_double),
        ("interval", c_void_p),
        ("fit_weights", c_void_p),
    ]


class Sides(ctypes.Structure):
    _fields_ = [
        ("lower", c_long),
        ("upper", c_long),
        ("ends", c_int),
    ]


class ColumnFacts(ctypes.Structure):
    _fields_ = [
        ("cells", c_size_t),
        ("missing", c_size_t),
        ("zeros", c_size_t),
        ("negative", c_size_t),
        ("least", c_double),
        ("most", c_double),
        ("spread", c_double),
        ("whole", c_int),
        ("differ", c_int),
        ("different", c_size_t),
        ("text", c_int),
        ("numbers", c_int),
        ("truth", c_int),
        ("words", c_size_t),
        ("sentinels", c_size_t),
        ("sentinel", c_double * 3),
        ("sentinel_cells", c_size_t * 3),
        ("wants_log", c_int),
        ("tells", c_int),
    ]


class ReportRows(ctypes.Structure):
    _fields_ = [
        ("data", POINTER(Data)),
        ("known", c_void_p),
        ("number", c_void_p),
        ("name", POINTER(c_char_p)),
    ]


ENUMERATIONS = {
    "nim_status": ("ok", "invalid_argument", "bad_data", "out_of_memory", "numerical", "cancelled", "io", "bad_file", "communication"),
    "nim_option_type": ("choice", "flag", "whole", "real"),
    "nim_option_role": ("shapes", "trains", "predicts", "runs"),
    "nim_option_tier": ("everyday", "expert", "research"),
    "nim_target": ("class", "level", "labels", "number", "count"),
    "nim_ability": ("uses_errors", "joins_errors", "learns_noise", "owns_rows", "reads_target"),
    "nim_column_role": ("value", "errors", "limits", "correlation", "covariance", "weight", "one_sided", "orphan", "identity"),
    "nim_column_hint": ("no_hint", "position", "flag"),
    "nim_aside": ("not_aside", "aside_classes", "aside_numbers", "aside_exposure", "aside_other", "aside_errors", "aside_excluded"),
    "nim_standing": ("learned", "learned_truth", "set_aside", "of_another", "unused_errors", "lone_side", "lost_errors", "other_errors", "row_name", "row_number", "words", "nothing"),
}

# Result and arguments. Functions that can fail return a status and take an Error last.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "nim_version": (c_char_p, []),
    "nim_version_number": (c_int, []),
    "nim_status_text": (c_char_p, [c_int]),
    "nim_options_create": (c_void_p, []),
    "nim_options_copy": (c_void_p, [c_void_p]),
    "nim_options_free": (None, [c_void_p]),
    "nim_options_set": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "nim_options_get": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(Error)]),
    "nim_option_rules": (c_size_t, [c_char_p, c_char_p, c_size_t]),
    "nim_option_count": (c_size_t, []),
    "nim_option_describe": (POINTER(OptionInfo), [c_size_t]),
    "nim_option_named": (POINTER(OptionInfo), [c_char_p]),
    "nim_target_name": (c_char_p, [c_int]),
    "nim_likelihood_target": (c_int, [c_char_p]),
    "nim_model_create": (c_int, [c_void_p, POINTER(Data), POINTER(c_void_p), POINTER(Error)]),
    "nim_model_free": (None, [c_void_p]),
    "nim_model_learn_population": (c_int, [c_void_p, POINTER(Data), POINTER(Data), POINTER(Error)]),
    "nim_model_train": (c_int, [c_void_p, POINTER(Data), ProgressFunction, c_void_p, POINTER(Error)]),
    "nim_trainer_create": (c_int, [c_void_p, POINTER(Data), POINTER(c_void_p), POINTER(Error)]),
    "nim_trainer_step": (c_int, [c_void_p, c_void_p, POINTER(Error)]),
    "nim_trainer_free": (None, [c_void_p]),
    "nim_model_set_collectives": (c_int, [c_void_p, POINTER(Collectives), POINTER(Error)]),
    "nim_model_gather": (c_int, [c_void_p, POINTER(Error)]),
    "nim_model_set_storage": (c_int, [c_void_p, POINTER(Storage), POINTER(Error)]),
    "nim_model_name_attributes": (c_int, [c_void_p, POINTER(c_char_p), POINTER(Error)]),
    "nim_model_name_classes": (c_int, [c_void_p, POINTER(c_char_p), POINTER(Error)]),
    "nim_model_attribute_name": (c_char_p, [c_void_p, c_size_t]),
    "nim_model_class_name": (c_char_p, [c_void_p, c_size_t]),
    "nim_model_set_note": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "nim_model_note": (c_char_p, [c_void_p, c_char_p]),
    "nim_model_save": (c_int, [c_void_p, c_char_p, POINTER(Error)]),
    "nim_model_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "nim_model_save_memory": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error)]),
    "nim_model_load_memory": (c_int, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "nim_model_options": (c_void_p, [c_void_p]),
    "nim_model_request": (c_void_p, [c_void_p]),
    "nim_model_reason": (c_size_t, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "nim_model_choice": (c_size_t, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "nim_model_idle": (c_size_t, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "nim_model_set_option": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "nim_options_can": (c_int, [c_void_p, c_int]),
    "nim_model_can": (c_int, [c_void_p, c_int]),
    "nim_model_target": (c_int, [c_void_p]),
    "nim_model_classes": (c_size_t, [c_void_p]),
    "nim_model_functions": (c_size_t, [c_void_p]),
    "nim_model_attributes": (c_size_t, [c_void_p]),
    "nim_model_inducing": (c_size_t, [c_void_p]),
    "nim_model_epochs": (c_size_t, [c_void_p]),
    "nim_model_rows": (c_size_t, [c_void_p]),
    "nim_model_under_way": (c_int, [c_void_p]),
    "nim_model_bound": (c_double, [c_void_p]),
    "nim_model_get": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error)]),
    "nim_model_view": (c_size_t, [c_void_p, c_size_t, c_char_p, c_size_t]),
    "nim_model_denoise": (c_int, [c_void_p, POINTER(Data), c_void_p, c_void_p, POINTER(Error)]),
    "nim_predictor_create": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "nim_predictor_free": (None, [c_void_p]),
    "nim_predict": (c_int, [c_void_p, POINTER(Data), POINTER(Prediction), POINTER(Error)]),
    "nim_predictor_set_progress": (c_int, [c_void_p, ProgressFunction, c_void_p, POINTER(Error)]),
    "nim_predictor_set_shares": (c_int, [c_void_p, c_void_p, POINTER(Error)]),
    "nim_model_estimate_shares": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, POINTER(Error)]),
    "nim_remeasure": (c_int, [c_void_p, POINTER(Data), c_void_p, POINTER(Error)]),
    "nim_take_log": (c_size_t, [c_int, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "nim_take_difference": (None, [c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "nim_names_create": (c_void_p, [POINTER(c_char_p), c_void_p, c_size_t]),
    "nim_names_free": (None, [c_void_p]),
    "nim_names_find": (c_long, [c_void_p, c_char_p]),
    "nim_names_role": (c_int, [c_void_p, c_size_t, POINTER(c_long)]),
    "nim_names_hint": (c_int, [c_void_p, c_size_t]),
    "nim_names_is_verdict": (c_int, [c_void_p, c_size_t]),
    "nim_names_errors": (None, [c_void_p, c_size_t, c_void_p, POINTER(Sides), POINTER(c_long)]),
    "nim_names_limits": (c_long, [c_void_p, c_size_t, c_void_p]),
    "nim_names_sides": (c_int, [c_void_p, c_char_p, POINTER(Sides)]),
    "nim_pattern_fill": (c_int, [c_char_p, c_char_p, c_char_p, c_char_p, c_size_t]),
    "nim_name_says_error": (c_int, [c_char_p]),
    "nim_name_is_identity": (c_int, [c_char_p]),
    "nim_units_agree": (c_int, [c_char_p, c_char_p]),
    "nim_judge_create": (c_void_p, [c_void_p, c_size_t]),
    "nim_judge_free": (None, [c_void_p]),
    "nim_judge_numbers": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "nim_judge_texts": (c_int, [c_void_p, c_size_t, c_char_p, c_void_p, c_size_t]),
    "nim_judge_set_aside": (None, [c_void_p, c_size_t, c_int]),
    "nim_judge_finish": (c_int, [c_void_p]),
    "nim_judge_standing": (c_int, [c_void_p, c_size_t]),
    "nim_judge_facts": (None, [c_void_p, c_size_t, POINTER(ColumnFacts)]),
    "nim_judge_describe": (None, [c_void_p, c_size_t, c_char_p, c_size_t, c_char_p, c_size_t]),
    "nim_judge_word": (c_char_p, [c_void_p, c_size_t, c_size_t, POINTER(c_size_t)]),
    "nim_judge_is_sentinel": (c_int, [c_void_p, c_size_t, c_double]),
    "nim_wants_log": (c_int, [c_void_p, c_size_t, c_size_t]),
    "nim_name_is_log": (c_int, [c_char_p]),
    "nim_is_truth": (c_int, [c_char_p, c_size_t, POINTER(c_int)]),
    "nim_report_create": (c_int, [c_void_p, c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "nim_report_free": (None, [c_void_p]),
    "nim_report_fact": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "nim_report_attribute": (c_int, [c_void_p, c_size_t, c_char_p, c_char_p, POINTER(Error)]),
    "nim_report_left_out": (None, [c_void_p, c_size_t, c_size_t]),
    "nim_report_add": (c_int, [c_void_p, POINTER(ReportRows), POINTER(Error)]),
    "nim_report_text": (c_int, [c_void_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t), POINTER(Error)]),
}
