# SPDX-License-Identifier: Apache-2.0
"""Which files a client may name: those below the folders of --allow."""
from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Entries of a data folder whose links are followed up.
_MOST_ENTRIES = 200_000
_LONGEST = 4096
_LONGEST_RECIPE = 1 << 20
_BLANKS = " \t\r\n"


class Refused(Exception):
    """A sentence for the client: which argument, why, and what to do."""


class Allowed:
    """Relative names are below the first folder."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = [folder.resolve(strict=True) for folder in folders]

    @property
    def base(self) -> Path:
        return self.folders[0]

    def existing(self, name: str, argument: str) -> Path:
        """A file or folder that is read. The target of a link counts, also for links inside a folder."""
        path = self._resolved(name, argument)
        if not path.exists():
            raise Refused(f"{argument}: there is no {name!r} below {self._list()}")
        if path.is_dir():
            for link in _links(path):
                if not self._holds(link.resolve()):
                    raise Refused(f"{argument}: in {name!r} the link {link.name!r} leads out of {self._list()}")
        return path

    def new(self, name: str, argument: str) -> Path:
        """A file that is written."""
        path = self._resolved(name, argument)
        if path.is_dir():
            raise Refused(f"{argument}: {name!r} is a folder; name a file")
        if not path.parent.is_dir():
            raise Refused(f"{argument}: there is no folder {str(path.parent)!r} to write into")
        return path

    def recipe(self, text: str, argument: str) -> str:
        """A recipe as text, or the file that contains it. Its steps may name files (`labels(FILE)`), and the same rule applies to them."""
        prefix, rest = ("", text) if self._is_there(text) else _split_input(text)
        # The program's own rule: an existing file, or a single word with a slash or a file extension.
        if self._is_there(rest) or not re.search(r"[(|]", rest) and re.search(r"[/.]", rest):
            path = self.existing(rest, argument)
            if not path.is_file() or path.stat().st_size > _LONGEST_RECIPE:
                raise Refused(f"{argument}: {rest!r} is not a recipe, which is a short text")
            self._files_of(re.sub(r"#.*", "", path.read_text(encoding="utf-8", errors="replace")), argument)
            return f"{prefix}{path}"
        self._files_of(text, argument)
        # A colon outside of parentheses may end the name of an input, so the text after it could be a file.
        for piece in re.sub(r"\([^()]*\)", "", text).split(":")[1:]:
            if "/" in piece:
                self._resolved(piece.strip(_BLANKS), f"{argument}, a file in the recipe")
        return text

    def _files_of(self, recipe: str, argument: str) -> None:
        """Yields each argument of a step that could be a file. A number such as 1/255 counts only if a file has that name."""
        for word in re.split(r"[(),=|\n]", recipe):
            for one in dict.fromkeys((word, *word.split(":"))):
                one = one.strip(_BLANKS)
                if one and (one.startswith("/") or ".." in one.split("/") or self._is_there(one)):
                    self.existing(one, f"{argument}, a file in the recipe")

    def _is_there(self, name: str) -> bool:
        return bool(name) and os.path.lexists(self.base / name[:_LONGEST].replace("\0", ""))

    def _resolved(self, name: str, argument: str) -> Path:
        if not name or "\0" in name or len(name) > _LONGEST:
            raise Refused(f"{argument}: expected the path of a file")
        if ".." in name.split("/"):
            raise Refused(f"{argument}: {name!r} has '..'; name the file from one of the allowed folders on: {self._list()}")
        try:
            path = (self.base / name).resolve()
        except (OSError, RuntimeError) as error:  # a circle of links
            raise Refused(f"{argument}: {name!r} cannot be followed: {error}") from None
        if not self._holds(path):
            raise Refused(f"{argument}: {name!r} is outside {self._list()}; the user can allow its folder with 'edgeprobe mcp --allow DIR'")
        return path

    def _holds(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self.folders)

    def _list(self) -> str:
        return " and ".join(repr(str(folder)) for folder in self.folders)


def _links(folder: Path) -> Iterator[Path]:
    seen = 0
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            seen += 1
            if seen > _MOST_ENTRIES:
                raise Refused(f"{str(folder)!r} contains more than {_MOST_ENTRIES} files; name a smaller folder")
            path = Path(above, name)
            if path.is_symlink():
                yield path


def _split_input(text: str) -> tuple[str, str]:
    """Splits "NAME: recipe", the recipe of one of several inputs, into the name with its colon and the recipe. The program's input_of_recipe splits
    in the same way."""
    colon = text.partition("(")[0].rfind(":")
    rest = text[colon + 1:].lstrip(" \t") if colon > 0 else text
    return text[:len(text) - len(rest)], rest
