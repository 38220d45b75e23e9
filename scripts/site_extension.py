# SPDX-License-Identifier: Apache-2.0
"""For mkdocs.yml: attributes have no text of their own; the docstring of their class describes them."""

import griffe


class NoTextOfValues(griffe.Extension):
    def on_attribute(self, *, attr: griffe.Attribute, **_: object) -> None:
        attr.docstring = None
