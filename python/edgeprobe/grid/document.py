# SPDX-License-Identifier: Apache-2.0
"""The report as blocks of text, which RST, Markdown and HTML print each in its way."""
from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Heading:
    level: int  #: 1 is the title
    text: str


@dataclass
class Paragraph:
    text: str


@dataclass
class Code:
    text: str


@dataclass
class Table:
    header: list[str]
    rows: list[list[str]]


@dataclass
class Bullets:
    #: Each with the words that it begins with, in bold, and the rest.
    items: list[tuple[str, str]] = field(default_factory=list)


NOT_PROVIDED, NOTHING = "not provided", "–"


def document_of(grid: dict) -> list:
    cells = {(cell["framework"], cell["model"], cell.get("importer", "")): cell for cell in grid["cells"]}
    words = {status: text for status, (text, _) in grid["statuses"].items()}
    blocks: list = [Heading(1, "ONNX conversion"),
                    Paragraph(f"Of edgeprobe {grid['edgeprobe']} on {grid['date']}, {grid['machine']}, with"), Code(grid["command"]),
                    Paragraph(f"Each cell is a process of at most {limits_text(grid['limits'])}. All weights are random, or fitted to random data."),
                    Heading(2, "Export and import by the frameworks")]
    blocks.append(Table(["model", *(one["name"] for one in grid["frameworks"])],
                        [[model["name"], *(own_text(grid, cells, words, one, model["key"]) for one in grid["frameworks"])] for model in grid["models"]]))
    blocks.append(Paragraph("A cell is the export by the framework / the import of that file by the framework's own importer."))
    blocks.append(Bullets([(text, meaning) for text, meaning in grid["statuses"].values()] + [(NOT_PROVIDED, "the grid has no such model of this framework")]))
    blocks.append(Paragraph(grid["rule"]))
    for one in grid["frameworks"]:
        blocks += framework_blocks(grid, cells, words, one)
    blocks.append(Heading(2, "Versions of the importers"))
    blocks.append(Bullets([(one["name"], versions_text(one["versions"]) or "not tried") for one in grid["importers"]]))
    blocks.append(Paragraph("Made by edgeprobe."))
    return blocks


def own_text(grid: dict, cells: dict, words: dict, one: dict, model: str) -> str:
    export = cells.get((one["key"], model, ""))
    if export is None:
        return f"{NOT_PROVIDED} / {NOT_PROVIDED}"
    own = grid["own_importers"].get(one["key"])
    if own is None:
        return f"{words[export['status']]} / {words['unsupported']}"
    found = cells.get((one["key"], model, own))
    return f"{words[export['status']]} / {words[found['status'] if found else 'not_implemented']}"


def framework_blocks(grid: dict, cells: dict, words: dict, one: dict) -> list:
    models = [model for model in grid["models"] if (one["key"], model["key"], "") in cells]
    if not models:
        return []
    steps = ["", *(importer["key"] for importer in grid["importers"])]
    titles = ["export", *(importer["name"] for importer in grid["importers"])]
    blocks = [Heading(2, f"Files of {one['name']}")]
    if one["versions"]:
        python = f", Python {one['python']}" if one["python"] else ""
        blocks.append(Paragraph(versions_text(one["versions"]) + python + "."))
    blocks.append(Table(["model", *titles], [[model["name"], *(words[cells[one["key"], model["key"], step]["status"]] for step in steps)]
                                             for model in models]))
    numbers = [[model["name"], *(numbers_text(cells[one["key"], model["key"], step]) for step in steps)] for model in models]
    if any(text != NOTHING for row in numbers for text in row[1:]):
        blocks.append(Paragraph("Seconds of the export call, and of each import its error and the seconds of its process:"))
        blocks.append(Table(["model", *titles], numbers))
    notes = [(f"{model['name']}, {title}: {words[cell['status']]}.", remark(cell)) for model in models for step, title in zip(steps, titles)
             if (cell := cells[one["key"], model["key"], step])["status"] != "supported" and cell.get("reason") != "there is no file to import"]
    if notes:
        blocks.append(Bullets(merged(notes)))
    return blocks


def merged(notes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """One item for equal remarks."""
    by_text: dict[str, list[str]] = {}
    for what, text in notes:
        by_text.setdefault(text, []).append(what)
    return [("; ".join(what.rstrip(".") for what in whats) + ".", text) for text, whats in by_text.items()]


def remark(cell: dict) -> str:
    parts = [cell.get("reason", ""), cell.get("pair", "")]
    if cell.get("first_node"):
        parts.append(f"First node that differs: {cell['first_node']}")
    parts.append(cell.get("cause", ""))
    return " ".join(begun(part).rstrip(".") + "." for part in parts if part)


def begun(text: str) -> str:
    """With a capital, unless it begins with a name that has none, such as "openvino 2026.4"."""
    return text[0].upper() + text[1:] if re.match(r"error |[a-z]+ (?!\d)", text) else text


def numbers_text(cell: dict) -> str:
    if cell["kind"] == "export":
        return f"{cell['seconds']:.1f} s" if "seconds" in cell else NOTHING
    if "error" not in cell:
        return NOTHING
    return f"{cell['error']:.1e}, {cell['wall_seconds']:.1f} s"


def versions_text(versions: dict) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def limits_text(limits: dict) -> str:
    return f"{limits['seconds']:g} s, {limits['memory'] / 1e6:g} MB of memory and {limits['disk'] / 1e6:g} MB on disk"
