# SPDX-License-Identifier: Apache-2.0
"""The pre-processing of an application with a text model, by `tokenizers`' own truncation, padding and templates, and mistakes of such applications.
It shares no code with the search: the package's classes build the tokenizer, the package truncates and pads rows, and faults are planted in its
settings, in Python's str, or in NumPy.
"""
import json
import unicodedata

import numpy as np
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors

import models


class App:
    """Rows of ids, mask, types or positions for a text; `fault` is one of FAULTS, or several."""

    def __init__(self, name, file, faults=()):
        self.name, self.made = name, Tokenizer.from_file(str(file))
        self.ids = {"wordpiece": (2, 3), "bpe": (1, 2), "unigram": (None, 1), "bytes": (None, None)}[name]
        self.length, self.cut, self.side, self.pad, self.filled = models.LENGTH, "right", "right", 0, True
        self.first, self.last, self.between = 1, 1, 1
        self.cut_all = False
        self.text = []      # str -> str
        self.pair = None    # (a, b) -> text or pair
        self.row = []       # dict of arrays -> nothing, in place
        self.after = []     # ids -> ids, before special tokens
        self.base, self.over_padding, self.shift = 2, False, 0
        self.prefix = ""
        if name == "bytes":  # as for generative models
            self.side, self.base, self.prefix = "left", 0, models.PREFIX
        for fault in faults:
            fault(self)

    def template(self):
        first, last = ("[CLS]", "[SEP]") if self.name == "wordpiece" else ("<s>", "</s>")
        one = [f"{first}:0"] * (self.first if self.ids[0] is not None else 0) + ["$A:0"]
        two = one + [f"{last}:0"] * self.between + ["$B:1"] + [f"{last}:1"] * self.last
        if self.ids[1] is None:
            return processors.TemplateProcessing(single=["$A:0"], pair=["$A:0", "$B:1"], special_tokens=[])
        return processors.TemplateProcessing(single=one + [f"{last}:0"] * self.last, pair=two, special_tokens=[(token, i) for token, i in zip((first, last), self.ids) if i is not None])

    def encode(self, *texts):
        for change in self.text:
            texts = tuple(change(t) for t in texts)
        texts = tuple(self.prefix + t for t in texts)
        if self.pair:
            texts = self.pair(*texts)
        made = self.made
        made.no_truncation(), made.no_padding()
        made.post_processor = self.template()
        if self.after:  # builds the row by hand, because a fault changes the ids
            rows = [made.encode(t, add_special_tokens=False).ids for t in texts]
            for change in self.after:
                rows = [change(row) for row in rows]
            lead = [self.ids[0]] * self.first if self.ids[0] is not None else []
            room = self.length - len(lead) - len(rows) * (self.ids[1] is not None)
            if sum(map(len, rows)) > room:
                rows = [row[:room // len(rows)] for row in rows]
            ids = lead + rows[0]
            types = [0] * (len(ids))
            for n, row in enumerate(rows[1:], 1):
                ids, types = ids + [self.ids[1]] + row, types + [0] + [1] * len(row)
            last = [self.ids[1]] * self.last if self.ids[1] is not None else []
            ids, types = ids + last, types + [len(rows) - 1] * len(last)
            ids, types, mask = ids[:self.length], types[:self.length], [1] * min(len(ids), self.length)
            missing = self.length - len(ids)
            around = lambda row, by: [by] * missing + row if self.side == "left" else row + [by] * missing
            ids, types, mask = around(ids, self.pad), around(types, 0), around(mask, 0)
        else:
            if self.length and not self.cut_all:
                made.enable_truncation(self.length, direction=self.cut)
            if self.filled and not self.cut_all:
                made.enable_padding(direction=self.side, pad_id=self.pad, pad_token="?", length=self.filled if self.filled is not True else models.LENGTH)
            coded = made.encode(*texts)
            ids, types, mask = list(coded.ids), list(coded.type_ids), list(coded.attention_mask)
            if self.cut_all:
                ids, types, mask = ids[:models.LENGTH], types[:models.LENGTH], mask[:models.LENGTH]
                missing = models.LENGTH - len(ids)
                ids, types, mask = ids + [self.pad] * missing, types + [0] * missing, mask + [0] * missing
        real = np.array(mask)
        row = {"input_ids": np.array(ids), "attention_mask": real.copy()}
        if self.name == "wordpiece":
            row["token_type_ids"] = np.array(types)
        elif self.name in ("bpe", "bytes"):
            row["position_ids"] = np.where(real == 1, np.cumsum(real) - 1 + self.base, 1)
            if self.over_padding:
                row["position_ids"] = np.arange(len(real)) + self.base
        row["input_ids"] = np.where(real == 1, row["input_ids"] + self.shift, row["input_ids"])
        for change in self.row:
            change(row)
        return {key: one.astype(models.DTYPE[self.name])[None] for key, one in row.items()}


def text(change):
    return lambda app: app.text.append(change)


def settings(**values):
    return lambda app: [setattr(app, key, one) for key, one in values.items()]


def in_row(change):
    return lambda app: app.row.append(change)


def on_tokens(change):
    return lambda app: app.after.append(change)


def rebuilt(change):
    """The tokenizer with another part, made by the package's own classes."""
    return lambda app: change(app.made)


def uncased(**flags):
    usual = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return rebuilt(lambda made: setattr(made, "normalizer", normalizers.BertNormalizer(**(usual | flags))))


def without_normalizer(app):
    made = json.loads(app.made.to_str())
    made["normalizer"] = None
    app.made = Tokenizer.from_str(json.dumps(made))


def at_blanks(normalized):
    """Word pieces without BERT's basic tokenisation: words are separated only by blanks."""
    def plant(app):
        if not normalized:
            without_normalizer(app)
        app.made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return plant


def vocabulary_only(app):
    made = json.loads(app.made.to_str())
    made["model"]["merges"] = []
    app.made = Tokenizer.from_str(json.dumps(made))


def stripped(t):
    return "".join(c for c in unicodedata.normalize("NFKD", t) if not unicodedata.combining(c))




def as_int32(row):
    row["input_ids"] = row["input_ids"].astype("<i8").view("<i4")[:len(row["input_ids"])]


def put(key, value):
    return lambda row: row.update({key: value(row)})


class Buffers:
    """Arrays that an app fills for each text but never clears; they are zero at first."""

    def __init__(self, fill, keys=("input_ids",)):
        self.fill, self.keys, self.held, self.meant, self.count = fill, keys, {}, {}, 0

    def __call__(self, row):
        for key in self.keys or list(row):
            own = row[key].copy()
            held, before = self.held.get(key, np.zeros_like(own)), self.meant.get(key, np.zeros_like(own))
            row[key] = self.fill(own, held, before, self.real(row, key), self.count)
            self.held[key], self.meant[key] = row[key].copy(), own
        self.count += 1

    def real(self, row, key):
        if key == (self.keys or list(row))[0]:
            self.tokens = row["attention_mask"] == 1
        return self.tokens


def buffers(fill, *keys):
    return lambda app: app.row.append(Buffers(fill, keys))


def tail(own, held, before, real, count):
    return np.where(real, own, held)


def late(own, held, before, real, count):
    return before


def late_but_first(own, held, before, real, count):
    return before if count else own


def now_and_then(own, held, before, real, count):
    """In frames 2 and 4 the app does not wait for the new values, so the network reads the old ones."""
    return held if count in (2, 4) else own


W, B, U = ("wordpiece",), ("bpe",), ("unigram",)
BOTH, ALL = W + B, W + B + U
D = ("bytes",)
#: The faults of FAULTS that are also tried on the byte-level tokenizer.
ON_BYTES = """lowered;capitals;accents stripped;NFKC;NFD;NFC;white space collapsed;ends stripped;a line feed behind;line feeds to spaces;punctuation dropped;non-ASCII dropped;UTF-8 as Latin-1;JSON escapes;
merges ignored;cut on the left;cut at 32;vocabulary +1;vocabulary +3;64 bits as 32;padded with 3;mask of ones;mask inverted;mask of zeros;mask of the other side;positions from 1;positions over padding;a suffix"""
ON_BYTES = {one.strip() for one in ON_BYTES.split(";")}
#: name: (plant, words that the cause must contain, tokenizers, "pair" if it needs text pairs)
FAULTS = {
    "lowered": (text(str.lower), "lowers the text", B, ""),
    "capitals": (text(str.upper), "capitals", B, ""),
    "accents stripped": (text(lambda t: "".join(c for c in unicodedata.normalize("NFD", t) if unicodedata.category(c) != "Mn")), "accents", B, ""),
    "NFKC": (text(lambda t: unicodedata.normalize("NFKC", t)), "NFKC", BOTH, ""),
    "NFD": (text(lambda t: unicodedata.normalize("NFD", t)), "NFD", B, ""),
    "NFC": (text(lambda t: unicodedata.normalize("NFC", t)), "NFC", B, ""),
    "white space collapsed": (text(lambda t: " ".join(t.split())), "white space", B + U, ""),
    "ends stripped": (text(str.strip), "strips white space at the ends", B + U, ""),
    "a space in front": (text(lambda t: " " + t), "space before", B + U, ""),
    "a line feed behind": (text(lambda t: t + "\n"), "line feed after", B + U, ""),
    "line feeds to spaces": (text(lambda t: t.replace("\n", " ")), "line feeds into spaces", B + U, ""),
    "punctuation dropped": (text(lambda t: "".join(c for c in t if not unicodedata.category(c).startswith("P"))), "punctuation", ALL, ""),
    "non-ASCII dropped": (text(lambda t: t.encode("ascii", errors="ignore").decode("ascii")), "beyond ASCII", ALL, ""),
    "UTF-8 as Latin-1": (text(lambda t: bytes(t, "utf-8").decode("iso-8859-1")), "Latin-1", ALL, ""),
    "JSON escapes": (text(lambda t: json.dumps(t).strip('"')), "JSON", ALL, ""),
    "case kept": (uncased(lowercase=False, strip_accents=True), "keeps capitals", W, ""),
    "accents kept": (uncased(strip_accents=False), "keeps accents", W, ""),
    "case and accents kept": (uncased(lowercase=False, strip_accents=False), "keeps capitals and accents", W, ""),
    "no normaliser": (without_normalizer, "does not normalise", W, ""),
    "Chinese not split": (uncased(handle_chinese_chars=False), "Chinese", W, ""),
    "word pieces alone": (at_blanks(False), "splits the text at blanks only and does not normalise it", W, ""),
    "split at blanks": (at_blanks(True), "splits the text at blanks only, the reference's at punctuation", W, ""),
    "case kept by the tokenizer": (rebuilt(lambda made: setattr(made, "normalizer", normalizers.NFKC())), "keeps capitals", U, ""),
    "no normaliser at all": (without_normalizer, "does not normalise", U, ""),
    "padded with 2": (settings(pad=2), "pads with id 2", U, ""),
    "no space in front": (rebuilt(lambda made: setattr(made, "pre_tokenizer", pre_tokenizers.Metaspace(prepend_scheme="never"))), "no space before", B + U, ""),
    "merges ignored": (vocabulary_only, "no merges", B, ""),
    "no special tokens": (settings(first=0, last=0, between=0), "adds no (CLS|BOS) and no (SEP|EOS)", BOTH, "single"),
    "special tokens twice": (settings(first=2, last=2), "two (CLS|BOS) and two (SEP|EOS)", BOTH, "single"),
    "no first": (settings(first=0), "adds no (CLS|BOS)", BOTH, ""),
    "no last": (settings(last=0), "adds no (SEP|EOS)", ALL, ""),
    "first twice": (settings(first=2), "two (CLS|BOS)", BOTH, ""),
    "last twice": (settings(last=2), "two (SEP|EOS)", ALL, ""),
    "two between": (settings(between=2), "two (SEP|EOS) between", ALL, "pair"),
    "none between": (settings(between=0), "no (SEP|EOS) between", ALL, "pair"),
    "cut on the left": (settings(cut="left"), "cuts long texts off on the left", ALL, ""),
    "cut at 32": (settings(length=32), "keeps at most 32", ALL, ""),
    "special tokens cut": (settings(cut_all=True), "added special tokens", ALL, ""),
    "vocabulary +1": (settings(shift=1), r"\+1", ALL, ""),
    "vocabulary +3": (settings(shift=3), r"\+3", ALL, ""),
    "64 bits as 32": (in_row(as_int32), "64-bit ids as 32-bit", ALL, ""),
    "padded on the left": (settings(side="left"), "pads on the left", ALL, ""),
    "padded with 1": (settings(pad=1), "pads with id 1", W, ""),
    "padded with 3": (settings(pad=3), "pads with id 3", B, ""),
    "mask of ones": (in_row(put("attention_mask", lambda row: np.ones_like(row["attention_mask"]))), "1 everywhere", ALL, ""),
    "mask inverted": (in_row(put("attention_mask", lambda row: 1 - row["attention_mask"])), "inverted", ALL, ""),
    "mask of zeros": (in_row(put("attention_mask", lambda row: np.zeros_like(row["attention_mask"]))), "0 everywhere", ALL, ""),
    "mask of the other side": (in_row(put("attention_mask", lambda row: row["attention_mask"][::-1])), "other side", ALL, ""),
    "types of ones": (in_row(put("token_type_ids", lambda row: np.ones_like(row["token_type_ids"]))), "token types are 1", W, ""),
    "types of a pair 0": (in_row(put("token_type_ids", lambda row: np.zeros_like(row["token_type_ids"]))), "token types are 0", W, "pair"),
    "positions from 0": (settings(base=0), "counts positions from 0", B, ""),
    "positions from 1": (settings(base=1), "counts positions from 1", B, ""),
    "positions over padding": (settings(over_padding=True), "over padding", B, ""),
    "a prefix": (text(lambda t: "query: the " + t), "before each text", ALL, "single"),
    "a suffix": (text(lambda t: t + " the end of it"), "after each text", ALL, "single"),
    "texts exchanged": (settings(pair=lambda a, b: (b, a)), "exchanges", ALL, "pair"),
    "padding not cleared": (buffers(tail, "input_ids"), r"does not clear its buffer.* ids .*first at frame {first}\b", ALL + D, "single"),
    "nothing cleared": (buffers(tail), r"does not clear its buffer.*values of all inputs.*first at frame {first}\b", W + U, "single"),
    "mask not cleared": (buffers(tail, "attention_mask"), r"does not clear its buffer.*mask.*first at frame {first}\b", ALL + D, "single"),
    "ids of the text before": (buffers(late_but_first, "input_ids"), r"ids of the text before, one frame late.*first at frame {first}\b", ALL + D, "single"),
    "one frame late": (buffers(late), r"values of all inputs of the text before.*first at frame {first}\b", ALL + D, "single"),
    "now and then the frame before": (buffers(now_and_then), r"of all inputs of the frame before once more.*first at frame {first}\b", ALL + D, "single"),
    "now and then its ids": (buffers(now_and_then, "input_ids"), r"ids of the frame before once more.*first at frame {first}\b", ALL + D, "single"),
    "no prefix": (settings(prefix=""), "does not do what the reference does to the text: .query: . before it", D, ""),
    "another prefix": (settings(prefix="passage: "), "passage: . before each text; the reference .query", D, ""),
    "padded on the right": (settings(side="right"), "pads on the right", D, ""),
    "a space in front of all": (settings(prefix=" query: "), "space before", D, ""),
    "second text left out": (settings(pair=lambda a, b: (a,)), "second text out", ALL, "pair"),
}


def scrambled(seed, change):
    random = np.random.default_rng(seed)
    return lambda row: change(row, random)


def of_tokens(change):
    """Applies a fault to the tokens of a row, without the special ids around them."""
    def on(row, random):
        real = np.flatnonzero(row["attention_mask"] == 1)[1:-1]
        row["input_ids"][real] = change(row["input_ids"][real], random)
    return in_row(scrambled(5, on))


#: Faults that are in no list: none may be confirmed.
FOREIGN = {
    "tokens shuffled": of_tokens(lambda ids, random: random.permutation(ids)),
    "tokens reversed": of_tokens(lambda ids, random: ids[::-1]),
    "tokens sorted": of_tokens(lambda ids, random: np.sort(ids)),
    "random ids": of_tokens(lambda ids, random: random.integers(5, 400, len(ids))),
    "a tenth unknown": of_tokens(lambda ids, random: np.where(random.random(len(ids)) < 0.1, 1, ids)),
    "ids in 8 bits": of_tokens(lambda ids, random: ids % 256),
    "every second token twice": on_tokens(lambda ids: [i for k, i in enumerate(ids) for _ in range(1 + k % 2)]),
    "every third token dropped": on_tokens(lambda ids: [i for k, i in enumerate(ids) if k % 3 != 2]),
    "first five dropped": on_tokens(lambda ids: ids[5:]),
    "adjacent repeats merged": on_tokens(lambda ids: [i for k, i in enumerate(ids) if k == 0 or i != ids[k - 1] or k % 2]),
    "words reversed": text(lambda t: " ".join(t.split()[::-1])),
    "stop words removed": text(lambda t: " ".join(w for w in t.split() if w.lower() not in models.COMMON)),
    "40 characters": text(lambda t: t[:40]),
    "vowels dropped": text(lambda t: "".join(c for c in t if c not in "aeiou")),
    "the text before the last": buffers(lambda own, held, before, real, count: own if count % 3 == 0 else held[::-1], "input_ids"),
    "another garbage behind the end": buffers(lambda own, held, before, real, count: np.where(real, own, 7 + (np.arange(len(own)) * 31 + 17 * count) % 300), "input_ids"),
    "half of the frame before": buffers(lambda own, held, before, real, count: np.where(np.arange(len(own)) % 5 < 2, held, own) if count else own, "input_ids"),
    "mask at random": in_row(scrambled(7, lambda row, random: row.update(attention_mask=random.integers(0, 2, len(row["attention_mask"]))))),
}
