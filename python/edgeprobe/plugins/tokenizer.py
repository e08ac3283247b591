# SPDX-License-Identifier: Apache-2.0
"""Serves a tokenizer, ``--tokenizer``.

Its kind is ``file`` (a ``tokenizer.json``, by the Hugging Face package ``tokenizers``), ``function`` (FILE.py and its function: a text in, a list of
ids out) or ``command`` (lines of text in, lines of ids out). No kind adds special ids. Tokenizers are run, never reimplemented. Changes that an app
may make to a text before tokenizing are also made here, by ``str`` and ``unicodedata``. src/pipeline/tokenizer/reply.h reads the answers.
"""
import copy
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import unicodedata
from typing import Any, Callable

from . import process
from .found import load_function
from .messages import OPEN, SAMPLE, Channel, Reader, Writer
from .server import Server

Encode = Callable[[list[str]], list[list[int]]]

TESTED = "0.23.3"


class Refused(process.Refused):
    """A sentence for the user."""

    def __init__(self, sentence: str) -> None:
        super().__init__(process.TARGET, sentence)


def strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


CHANGES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "strip_accents": strip_accents,
    "nfc": lambda t: unicodedata.normalize("NFC", t),
    "nfd": lambda t: unicodedata.normalize("NFD", t),
    "nfkc": lambda t: unicodedata.normalize("NFKC", t),
    "collapse_spaces": lambda t: " ".join(t.split()),
    "strip": str.strip,
    "one_line": lambda t: re.sub(r"\r\n|\r|\n", " ", t),
    "drop_punctuation": lambda t: "".join(c for c in t if not unicodedata.category(c).startswith("P")),
    "ascii": lambda t: t.encode("ascii", "ignore").decode(),
    "latin1": lambda t: t.encode("utf-8").decode("latin-1"),
    "json_escape": lambda t: json.dumps(t)[1:-1],
}


def changed(text: str, steps: list[list[str]]) -> str:
    for name, around in steps:
        text = around + text if name == "prefix" else text + around if name == "suffix" else CHANGES[name](text)
    return text


# Flags of a tokenizer.json that a change of the text cannot replace: an uncased tokenizer, for example, lowers the text again.

def parts(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Every normaliser and pre-tokenizer, nested ones included."""
    found: list[dict[str, Any]] = []
    rest = [settings.get("normalizer"), settings.get("pre_tokenizer")]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            found.append(part)
            rest += part.get("normalizers", []) + part.get("pretokenizers", [])
    return found


def set_flag(settings: dict[str, Any], key: str, value: Any) -> None:
    for part in parts(settings):
        if key in part:
            part[key] = value


def without(settings: dict[str, Any], *kinds: str) -> None:
    """Removes normalisers of these types."""
    normalizer = settings.get("normalizer")
    if isinstance(normalizer, dict) and normalizer.get("type") in kinds:
        settings["normalizer"] = None
    elif isinstance(normalizer, dict) and "normalizers" in normalizer:
        normalizer["normalizers"] = [n for n in normalizer["normalizers"] if n.get("type") not in kinds]


def keep_case(settings: dict[str, Any]) -> None:
    for part in parts(settings):
        if part.get("lowercase") and part.get("strip_accents", True) is None:
            part["strip_accents"] = True  # If strip_accents is not set, BERT's normaliser strips accents when it lowers.
    set_flag(settings, "lowercase", False)
    without(settings, "Lowercase")


def keep_accents(settings: dict[str, Any]) -> None:
    set_flag(settings, "strip_accents", False)
    without(settings, "StripAccents")


def keep_both(settings: dict[str, Any]) -> None:
    keep_accents(settings)
    keep_case(settings)


def edit_model(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda settings: settings["model"].update({key: value}) if key in settings["model"] else None


def split_at_blanks(settings: dict[str, Any]) -> None:
    """Separates words only by blanks, as if BERT's basic tokenisation were omitted."""
    if settings.get("pre_tokenizer") is not None:
        settings["pre_tokenizer"] = {"type": "WhitespaceSplit"}


def word_pieces_alone(settings: dict[str, Any]) -> None:
    if settings.get("normalizer") is not None and settings.get("pre_tokenizer") is not None:
        split_at_blanks(settings)
        settings["normalizer"] = None


def split_digits(settings: dict[str, Any]) -> None:
    if settings.get("pre_tokenizer") is not None:
        digits = {"type": "Digits", "individual_digits": True}
        settings["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [digits, settings["pre_tokenizer"]]}


EDITS: dict[str, Callable[[dict[str, Any]], None]] = {
    "case_kept": keep_case,
    "lowercase": lambda s: set_flag(s, "lowercase", True),
    "accents_kept": keep_accents,
    "accents_stripped": lambda s: set_flag(s, "strip_accents", True),
    "case_and_accents_kept": keep_both,
    "text_not_normalized": lambda s: s.update(normalizer=None),
    "no_clean_text": lambda s: set_flag(s, "clean_text", False),
    "chinese_not_split": lambda s: set_flag(s, "handle_chinese_chars", False),
    "no_prefix_space": lambda s: (set_flag(s, "add_prefix_space", False), set_flag(s, "prepend_scheme", "never")) and None,
    "prefix_space": lambda s: (set_flag(s, "add_prefix_space", True), set_flag(s, "prepend_scheme", "always")) and None,
    "added_tokens_split": lambda s: s.update(added_tokens=[]),
    "merges_ignored": edit_model("merges", []),
    "words_not_split": lambda s: s.update(pre_tokenizer=None),
    "split_at_blanks": split_at_blanks,
    "word_pieces_alone": word_pieces_alone,
    "digits_split": split_digits,
}


def other_kind(data: bytes) -> str:
    """For a file that is not a tokenizer.json: its kind, and the line that converts it or reads it by a function; empty if unknown."""
    function = "give a function (--tokenizer FILE.py:ids)"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ("a SentencePiece model: give a function (--tokenizer FILE.py:ids) around sentencepiece.SentencePieceProcessor(model_file=…).encode(text), "
                "or the tokenizer.json that transformers' AutoTokenizer.from_pretrained(DIR).save_pretrained(DIR) writes") if data[:1] == b"\n" else ""
    try:
        held = json.loads(text)
    except ValueError:
        lines = set(text.split("\n"))
        return ("a vocabulary, one piece a line: BertWordPieceTokenizer('vocab.txt', lowercase=True).save('tokenizer.json') of the package tokenizers "
                "makes a tokenizer.json of it (lowercase=False for a cased model)") if lines & {"[UNK]", "[CLS]", "<unk>"} else ""
    if not isinstance(held, dict):
        return ""
    if held.get("class_name") == "Tokenizer" and isinstance(held.get("config"), dict):
        return f"a tokenizer of Keras: {function} around tokenizer_from_json(open(FILE).read()).texts_to_sequences([text])[0]"
    if "tokenizer_class" in held and "model" not in held:
        return "a tokenizer_config.json, which contains only settings: use the tokenizer.json in the same folder"
    if len(held) > 3 and all(isinstance(number, int) for number in held.values()) and set(held.values()) == set(range(len(held))):
        return ("a vocabulary of pieces and numbers: ByteLevelBPETokenizer('vocab.json', 'merges.txt').save('tokenizer.json') of the package tokenizers "
                "makes a tokenizer.json of it and its merges.txt")
    return ""


class File:
    """A tokenizer.json, and copies with one flag edited."""

    def __init__(self, path: str) -> None:
        try:
            import tokenizers
        except ImportError as error:
            raise Refused(f"{sys.executable} cannot import 'tokenizers' ({error}); install it there (pip install "
                          f"tokenizers=={TESTED}), or name another interpreter with --python or EDGEPROBE_PYTHON") from None
        self.environment = f"tokenizers {tokenizers.__version__}"
        self.make = tokenizers.Tokenizer.from_str
        data = b""
        try:
            with open(path, "rb") as file:
                data = file.read()
            self.settings = json.loads(data)
            if not isinstance(self.settings, dict) or "model" not in self.settings:
                raise ValueError("it has no 'model'")
            self.known = {"": self.make(json.dumps(self.settings))}
        except Exception as error:  # the package raises plain Exception
            if kind := other_kind(data):
                raise Refused(f"'{os.path.basename(path)}' is {kind}") from None
            raise Refused(f"'{os.path.basename(path)}' is not a tokenizer.json that tokenizers {tokenizers.__version__} reads: "
                          + " ".join(str(error).split())[:300]) from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.edits = [name for name, edit in EDITS.items() if self._edited(edit) is not None]

    def _edited(self, edit: Callable[[dict[str, Any]], None]) -> "dict[str, Any] | None":
        settings = copy.deepcopy(self.settings)
        try:
            edit(settings)
        except (KeyError, TypeError, AttributeError):
            return None
        return settings if settings != self.settings else None

    def encode(self, texts: list[str], edit: str) -> list[list[int]]:
        if edit not in self.known:
            if edit not in EDITS:
                raise Refused(f"tokenize(edit={edit}): this tokenizer has no such flag; it has " + (", ".join(self.edits) or "none"))
            settings = self._edited(EDITS[edit])
            try:
                self.known[edit] = self.make(json.dumps(settings if settings is not None else self.settings))
            except Exception as error:
                raise Refused(f"tokenize(edit={edit}): " + " ".join(str(error).split())[:300]) from None
        tokenizer = self.known[edit]
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return [one.ids for one in tokenizer.encode_batch(texts, add_special_tokens=False)]

    def text(self, ids: list[int]) -> str:
        return self.known[""].decode([i for i in ids if 0 <= i < 1 << 31], skip_special_tokens=False)

    def word(self, number: int) -> "str | None":
        return self.known[""].id_to_token(number) if 0 <= number < 1 << 31 else None


class Other:
    """A tokenizer that is a function or a command: it has no flags and cannot show the words of ids."""

    edits: list[str] = []

    def __init__(self, encode: Encode, environment: str, sha256: str = "") -> None:
        self._encode, self.environment, self.sha256 = encode, environment, sha256

    def encode(self, texts: list[str], edit: str) -> list[list[int]]:
        if edit:
            raise Refused(f"tokenize(edit={edit}) is for a tokenizer.json; this tokenizer has no flags")
        return self._encode(texts)

    def text(self, ids: list[int]) -> str:
        return ""

    def word(self, number: int) -> "str | None":
        return None


def ids_of(value: Any, text: str) -> list[int]:
    try:
        ids = [int(i) for i in value]
        if ids != list(value):
            raise ValueError
    except (TypeError, ValueError):
        raise Refused(f"for {text[:40]!r} it gave {type(value).__name__} {str(value)[:60]}, expected a list of whole numbers") from None
    return ids


def by_function(file: str, name: str) -> Other:
    function, folder = load_function(file, name)

    def encode(texts: list[str]) -> list[list[int]]:
        out = []
        for text in texts:
            try:
                value = function(text)
            except Exception as error:
                process.show(error)
                raise Refused(process.one_line(error) + process.where(error, folder)) from None
            except SystemExit as error:
                raise Refused(f"it ended the program (exit code {error.code})") from None
            out.append(ids_of(value, text))
        return out

    with open(file, "rb") as source:
        return Other(encode, "a function", hashlib.sha256(source.read()).hexdigest())


MOST_OF_AN_ANSWER = 32 << 20  # Most bytes of an answer; the list of ids takes thirty times as many in memory.


def answer_of(command: str, given: bytes) -> tuple[bytes, int]:
    """The answer of a command to these bytes, and its exit code. It is read as it arrives, so that an endless answer is refused."""
    with subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ran:
        def give() -> None:
            try:
                ran.stdin.write(given)  # type: ignore[union-attr]
                ran.stdin.close()  # type: ignore[union-attr]
            except BrokenPipeError:
                pass  # The command has read all the input it needs.

        giver = threading.Thread(target=give, daemon=True)
        giver.start()
        said = bytearray()
        while piece := ran.stdout.read1(1 << 16):  # type: ignore[union-attr]
            said += piece
            if len(said) > MOST_OF_AN_ANSWER:
                ran.kill()
                raise Refused(f"the command answered more than {MOST_OF_AN_ANSWER >> 20} MB to {len(given)} bytes of text; it has to answer a line of ids to each line")
        code = ran.wait()
        giver.join()
        return bytes(said), code


def by_command(command: str) -> Other:
    def encode(texts: list[str]) -> list[list[int]]:
        for text in texts:
            if "\n" in text or "\r" in text:
                raise Refused(f"the text {text[:40]!r} has several lines, and a command takes a text a line: give a tokenizer.json, or a "
                              "function (FILE.py:FUNCTION)")
        said, code = answer_of(command, "".join(t + "\n" for t in texts).encode())
        lines = said.decode("utf-8", "replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        if code:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise Refused(f"the command ended with {how}")
        if len(lines) != len(texts):
            raise Refused(f"the command answered {len(lines)} lines to {len(texts)} lines of text; it has to answer a line of ids to each")
        out = []
        for number, line in enumerate(lines, 1):
            try:
                out.append([int(word) for word in line.replace(",", " ").split()])
            except ValueError:
                raise Refused(f"line {number} of its answer is {line[:60]!r}, expected ids with blanks between them") from None
        return out

    return Other(encode, "a command")


def answer(tokenizer: "File | Other", request: dict[str, Any]) -> dict[str, Any]:
    if "words" in request:
        return {"words": [tokenizer.word(number) for number in request["words"]]}
    if "text_of" in request:
        return {"text": tokenizer.text(request["text_of"])}
    texts = [changed(text, request["before"]) for sample in request["texts"] for text in sample]
    ids = iter(tokenizer.encode(texts, request["edit"]))
    return {"ids": [[next(ids) for _ in sample] for sample in request["texts"]]}


class TokenizerServer(Server):
    """Bodies are JSON in UTF-8."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.steps = {OPEN: self.open, SAMPLE: self.request}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        kind, what, function = given.text(), given.text(), given.text()
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            self.tokenizer = File(what) if kind == "file" else by_function(what, function) if kind == "function" else by_command(what)
        except Refused as error:
            raise process.Refused(process.USAGE, str(error)) from None
        self.say(out, {"environment": f"Python {sys.version.split()[0]}, {self.tokenizer.environment}", "sha256": self.tokenizer.sha256, "edits": self.tokenizer.edits})

    def request(self, given: Reader, _descriptor: int, out: Writer) -> None:
        self.say(out, answer(self.tokenizer, json.loads(given.body)))

    @staticmethod
    def say(out: Writer, value: dict[str, Any]) -> None:
        out.parts.append(json.dumps(value).encode())
