# SPDX-License-Identifier: Apache-2.0
"""The C library: its functions, tables in its form, and its models."""
