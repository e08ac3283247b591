# SPDX-License-Identifier: Apache-2.0
"""A Dataset of Kenning as a data set."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import random
from typing import Any

import numpy as np

from ..plugins.options import Option
from ..plugins.process import Method, Refused
from .annotations import annotations_of
from .classes import named
from .options import inside, made, parameters_of, taken

#: Each sample is one inference.
LEFT_OUT = ("batch_size", "inference_batch_size")
#: Its default here is false, because of this.
DOWNLOAD = "Downloads the data set first; Kenning empties the folder before, unless it wrote the folder's checksum itself"
SPLITS = ("all", "train", "test", "val")


def options_of(kenning: type) -> list[Option]:
    """The parameters of a Dataset as options."""
    own = [one.option for one in parameters_of(kenning) if one.parameter not in LEFT_OUT]
    return [dataclasses.replace(one, default=False, help=DOWNLOAD) if one.name == "download_dataset" else one for one in own]


def opened(kenning: type, values: dict[str, Any], call: Method) -> Any:
    """The object."""
    quiet = {one.name: one.default for one in options_of(kenning) if one.name == "download_dataset"}
    start_random(0)
    return call("__init__", lambda: made(kenning, {**quiet, **values}))


def start_random(seed: int) -> None:
    """Some data sets draw from these; the samples must be the same in every process and order."""
    random.seed(seed)
    np.random.seed(seed)


class DatasetAdapter:
    """Serves the samples of ``prepare_input_samples()``, which are inputs of the model in its order, if the model wrapper does not prepare them further."""

    kenning: type
    folder: str

    @classmethod
    def options_for(cls, given: dict[str, str]) -> list[Option]:
        own = options_of(cls.kenning)
        more = [Option("split", "str", "all", "The samples of iter_train(), iter_test() or iter_val(), in their order", None, None, SPLITS),
                Option("model_wrapper", "str", "", "The ModelWrapper whose preprocess_input() makes the model's inputs, named like a plug-in; its options are "
                       "model_wrapper.NAME", None, None, ())]
        own += [one for one in more if one.name not in {two.name for two in own}]
        if given.get("model_wrapper"):
            own += inside("model_wrapper", [one.option for one in parameters_of(named("model_wrapper", given["model_wrapper"], "ModelWrapper").plugin)])
        return own

    def __init__(self, **values: Any) -> None:
        own = {one.name for one in options_of(self.kenning)}
        split, wrapper = ("all" if "split" in own else values.pop("split", "all")), values.pop("model_wrapper", "")
        wrapper_values = taken("model_wrapper", values)
        self.call = Method(self.kenning.__name__, self.folder)
        self.data = opened(self.kenning, values, self.call)
        self.rows = self._rows(split)
        self.classes = self._classes()
        self.wrapper: Any = None
        if wrapper:
            found = named("model_wrapper", wrapper, "ModelWrapper")
            self.call_wrapper = Method(found.plugin.__name__, found.folder)
            self.wrapper = self.call_wrapper("__init__", lambda: made(found.plugin, wrapper_values, dataset=self.data, from_file=True))

    def _rows(self, split: str) -> list[tuple[Any, Any]]:
        """The inputs and the outputs of each sample, as Kenning keeps them before it loads them."""
        data = self.data
        if len(data.dataX) != len(data.dataY):
            self.call.fail("prepare", f"left {len(data.dataX)} inputs in dataX and {len(data.dataY)} outputs in dataY; expected as many")
        if split == "all":
            return list(zip(data.dataX, data.dataY))
        if hasattr(data, f"iter_{split}"):
            method = f"iter_{split}"
            chosen = self.call(method, getattr(data, method))
            return [(data.dataX[i], data.dataY[i]) for i in chosen.indices]
        if split == "val":
            self.call.fail("train_test_split_representations", "of this release makes no part val; it makes train and test")
        train_x, test_x, train_y, test_y = self.call("train_test_split_representations", data.train_test_split_representations)
        return list(zip(train_x, train_y) if split == "train" else zip(test_x, test_y))

    def _classes(self) -> list[str]:
        """The names of the classes; none for a data set without them."""
        try:
            names = self.data.get_class_names()
        except Exception:  # Kenning's own say in this way that they have none
            names = list(getattr(self.data, "classnames", []))
            names = [self.data.classnames[key] for key in sorted(names)] if isinstance(getattr(self.data, "classnames", None), dict) else names
        return [str(name) for name in names or []]

    def samples(self) -> list[str]:
        names = self._names()
        self.places = {name: at for at, name in enumerate(names)}
        self.found = annotations_of([self.call("prepare_output_samples", self.data.prepare_output_samples, [y]) for _, y in self.rows], self.classes, self._size())
        self._check_order(names)
        return names

    def _check_order(self, names: list[str]) -> None:
        """Refused for a data set that gives the next sample instead of the one that it is asked for, such as a video: the values would be shifted unseen."""
        try:
            before, _, after = (self.load(name) for name in (names[0], names[-1], names[0]))
        except Refused:
            return  # a sample that fails is reported when it is its turn
        if isinstance(before, dict) and any(one.tobytes() != two.tobytes() for one, two in zip(before.values(), after.values())) or isinstance(before, str) and before != after:
            self.call.fail("prepare_input_samples", f"gives other values when it is asked for {names[0]!r} again: it depends on the order of the samples; "
                           "save what it gives as files")

    def _names(self) -> list[str]:
        """Paths below the folder of the data, or numbers."""
        inputs = [x for x, _ in self.rows]
        if inputs and all(isinstance(x, (str, pathlib.Path)) for x in inputs):
            root = getattr(self.data, "root", ".")
            names = [os.path.relpath(x, root).replace(os.sep, "/") for x in inputs]
            if len(set(names)) == len(names) and not any(name.startswith("..") for name in names):
                return names
        return [f"{at:0{max(6, len(str(len(inputs))))}d}" for at in range(len(inputs))]

    def _size(self) -> tuple[int, int] | None:
        width, height = (getattr(self.data, f"image_{side}", None) for side in ("width", "height"))
        return (int(width), int(height)) if width and height else None

    def load(self, name: str) -> Any:
        at = self.places[name]
        start_random(at)
        prepared = self.call("prepare_input_samples", self.data.prepare_input_samples, [self.rows[at][0]])
        if self.wrapper is not None:
            prepared = self.call_wrapper("preprocess_input", self.wrapper._preprocess_input, prepared)
            prepared = prepared if isinstance(prepared, (list, tuple)) else [prepared]
        inputs = list(prepared)
        first = inputs[0] if inputs else None
        if isinstance(first, (list, tuple)) and len(first) == 1 and isinstance(first[0], str):
            first = first[0]
        if isinstance(first, str):
            return first
        if not inputs:
            self.call.fail("prepare_input_samples", f"returned nothing for {name!r}; expected an array for each input of the model")
        # By position: a data set of Kenning does not know the names of a model's inputs.
        return {f"arr_{i}": np.asarray(one) for i, one in enumerate(inputs)}

    def annotation(self, name: str) -> Any:
        return self.found[self.places[name]]
