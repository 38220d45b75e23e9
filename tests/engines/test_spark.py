# SPDX-License-Identifier: Apache-2.0
"""Data frames of Spark, in local mode with two processes."""

from __future__ import annotations

import nimgp
import nimgp.spark
import pytest
from conftest import same_as
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark():
    made = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    made = made.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    session = made.config("spark.sql.execution.arrow.maxRecordsPerBatch", "300").getOrCreate()
    yield session
    session.stop()


def test_predictions_are_those_of_the_program(spark, sky, model, by_program):
    frame = spark.createDataFrame(sky).repartition(5)
    found = nimgp.spark.predict(frame, str(model), novelty=True)
    assert found.columns == [*sky.columns, *by_program.columns]
    assert same_as(found.toPandas(), by_program)


def test_only_named_columns_are_sent(spark, sky, model, by_program):
    names = ["flux", "spectral_index", "curvature", "variability", "latitude"]
    names += [f"{name}_err" for name in names[:-1]]
    found = nimgp.spark.predict(spark.createDataFrame(sky), nimgp.load(model), columns=names, novelty=True)
    assert same_as(found.toPandas(), by_program)
    with pytest.raises(ValueError, match="no column 'spectral_index'"):
        nimgp.spark.predict(spark.createDataFrame(sky[["id", "flux"]]), model)
