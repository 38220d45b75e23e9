# SPDX-License-Identifier: Apache-2.0
"""Predictions for data frames of Spark, in batches, by a ``pandas_udf``.

    frame = spark.read.parquet("sky.parquet")
    nimgp.spark.predict(frame, "sky.nimgp").write.parquet("classes.parquet")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._base.extras import needed
from ._estimators.partition import Reading, SentModel, predict_partition

__all__ = ["predict"]


def predict(
    frame: Any,
    model: Any,
    *,
    columns: Iterable[str] | None = None,
    **how: Any,
) -> Any:
    """The data frame with columns of predictions.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    model : str or path-like, or estimator
        A model file that all executors can read, which each process loads once; or an estimator,
        which is sent with the tasks.
    columns : iterable of str, optional
        The columns that the model and its errors need, so that no others are sent to Python. By default
        all columns of numbers and texts.
    **how
        As in :func:`nimgp.lsdb.predict`: errors, missing_value, exposure, prior, novelty, levels.

    Returns
    -------
    pyspark.sql.DataFrame
        With the columns of the program's `predict`. Nothing is computed before Spark does so.
    """
    functions = needed("pyspark.sql.functions", "spark")
    sent = SentModel.of(model)
    reading = Reading(**how)
    reading.check(sent.estimator())
    simple = ("double", "float", "int", "bigint", "smallint", "tinyint", "string", "boolean")
    if columns is None:
        columns = [name for name, kind in frame.dtypes if kind in simple]
    taken = list(columns)
    empty = frame.select(*taken).limit(0).toPandas()
    made = predict_partition(empty, sent, reading)
    double = [name for name in made if name in frame.columns]
    if double:
        raise ValueError(f"the data frame has a column {double[0]!r} already; rename it")
    kinds = ", ".join(
        f"`{name}` {'string' if name == 'predicted' else 'double'}" for name in made
    )

    def batches(parts: Iterator[Any]) -> Iterator[Any]:
        pandas = needed("pandas", "spark")
        for part in parts:
            yield pandas.DataFrame(predict_partition(part, sent, reading))

    batches.__annotations__ = _types()
    predicted = functions.pandas_udf(batches, kinds)
    packed = functions.struct(*[functions.col(f"`{name}`") for name in taken])
    with_packed = frame.withColumn("_nimgp", predicted(packed))
    return with_packed.select(*[f"`{name}`" for name in frame.columns], "_nimgp.*")


def _types() -> dict[str, Any]:
    """What Spark takes from hints: batches of frames to batches of frames."""
    frame: Any = needed("pandas", "spark").DataFrame
    batches = Iterator.__class_getitem__(frame)  # type: ignore[attr-defined]
    return {"parts": batches, "return": batches}
