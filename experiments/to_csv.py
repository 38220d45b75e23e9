# SPDX-License-Identifier: Apache-2.0
"""Converts IDX files (MNIST) and LIBSVM files, which have no error bars, to CSV for nimgp.

IDX: each element after the first dimension is a column x1, x2, ...; with a second file, the labels
are the last column, class. LIBSVM: "label index:value ...", absent values are zero.

usage: python experiments/to_csv.py train-images-idx3-ubyte.gz [train-labels-idx1-ubyte.gz] > train.csv
       python experiments/to_csv.py rows.libsvm > rows.csv
"""

import gzip
import sys
from pathlib import Path

import numpy as np

IDX_TYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def content(path: str) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def read_idx(data: bytes) -> np.ndarray:
    """Rows x elements of a row."""
    shape = np.frombuffer(data, ">u4", data[3], 4).astype(int)
    values = np.frombuffer(data, IDX_TYPES[data[2]], offset=4 + 4 * data[3])
    return values.reshape(shape[0], -1)


def read_libsvm(text: str) -> tuple[np.ndarray, list[str]]:
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    rows = [line for line in lines if line]
    pairs = [[cell.split(":") for cell in row[1:] if not cell.startswith("qid:")] for row in rows]
    x = np.zeros((len(rows), max((int(i) for row in pairs for i, _ in row), default=0) + 1))
    for row, cells in enumerate(pairs):
        for index, value in cells:
            x[row, int(index)] = float(value)
    return x[:, 1:], [row[0] for row in rows]


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    data = content(sys.argv[1])
    labels: list[str] | None = None
    if data[:2] == b"\0\0":
        x = read_idx(data)
        if len(sys.argv) == 3:
            labels = [str(label) for label in read_idx(content(sys.argv[2]))[:, 0]]
    else:
        x, labels = read_libsvm(data.decode())
    if labels is not None and len(labels) != len(x):
        sys.exit(f"{sys.argv[2]}: {len(labels)} labels for {len(x)} rows")
    print(",".join([f"x{j + 1}" for j in range(x.shape[1])] + ["class"] * (labels is not None)))
    for i, row in enumerate(x):
        print(",".join([f"{value:.17g}" for value in row] + ([] if labels is None else [labels[i]])))


if __name__ == "__main__":
    main()
