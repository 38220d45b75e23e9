# SPDX-License-Identifier: Apache-2.0
"""What all rooms of the package use: error bars, masks, warnings, optional packages."""
