# SPDX-License-Identifier: Apache-2.0
"""The estimators, and what works with any of them."""
