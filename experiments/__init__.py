# SPDX-License-Identifier: Apache-2.0
"""Every table and figure of the paper: `python -m experiments NAME` (README.md)."""
