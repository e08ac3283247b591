# SPDX-License-Identifier: Apache-2.0
"""The forms of the report: reStructuredText, Markdown, HTML and JSON."""
