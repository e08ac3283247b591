# SPDX-License-Identifier: Apache-2.0
"""scikit-learn estimators from a pickle."""
from __future__ import annotations

import dataclasses
import pathlib
import warnings
from typing import Any, Literal

import numpy as np

from ..plugins.options import option
from ..plugins.tensor import Tensor

#: The first of these methods that an estimator has gives its answer.
METHODS = ("predict_proba", "decision_function", "transform", "predict")


@dataclasses.dataclass
class Sklearn:
    """A fitted estimator or pipeline of scikit-learn, from a .pkl or .joblib file.

    Loading a pickle runs code that the file names. So the user allows the file by its name: --engine 'sklearn?allow=model.pkl'.
    """

    formats = (".pkl", ".pickle", ".joblib")
    stateful = False
    allow: str = option("", "The name of the pickle that may run code when it is loaded; needed, because every pickle may")
    method: Literal["auto", "predict_proba", "decision_function", "transform", "predict"] = option(
        "auto", "The method that gives the output; auto is the first that the estimator has")
    dtype: Literal["float32", "float64"] = option("float32", "Type of the features")

    @staticmethod
    def version() -> str:
        import sklearn

        return sklearn.__version__

    def load(self, file: pathlib.Path) -> None:
        if self.allow != file.name:
            raise PermissionError(f"a pickle runs code when it is loaded: allow '{file.name}' by its name, as --engine 'sklearn?allow={file.name}', "
                                  "if you trust its author")
        import joblib  # also reads plain pickles

        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                self.estimator: Any = joblib.load(file)
            except Exception as error:
                raise ValueError(f"'{file.name}' cannot be loaded: {' '.join(str(error).split()) or type(error).__name__}") from None
        # Another version may compute other numbers from the same file.
        self.notes = list(dict.fromkeys(" ".join(str(one.message).split()) for one in said if one.category.__name__ == "InconsistentVersionWarning"))
        count = getattr(self.estimator, "n_features_in_", None)
        if count is None:
            raise ValueError(f"'{file.name}' holds {type(self.estimator).__name__}, which is not a fitted estimator of scikit-learn")
        there = [m for m in METHODS if hasattr(self.estimator, m)]
        if self.method != "auto" and self.method not in there or not there:
            raise ValueError(f"{type(self.estimator).__name__} has no method '{self.method}'; it has {', '.join(there) or 'none that answers'}")
        self.name_of_method = there[0] if self.method == "auto" else self.method
        self.call = getattr(self.estimator, self.name_of_method)
        shape = self.input_shapes.get("features") or self.input_shapes.get("") or (1, int(count))
        if len(shape) != 2 or shape[1] != count:
            raise ValueError(f"input 'features' has the shape {list(shape)}; the estimator was fitted on {count} features: [samples, {count}]")
        self.inputs = [Tensor("features", self.dtype, tuple(shape))]
        answers = self.run([np.zeros(shape, self.dtype)])
        names = [self.name_of_method] if len(answers) == 1 else [f"{self.name_of_method}_{i}" for i in range(len(answers))]
        self.outputs = [Tensor(name, answer.dtype.name, answer.shape) for name, answer in zip(names, answers)]

    def _array(self, answer: Any) -> np.ndarray:
        if hasattr(answer, "toarray"):  # sparse
            answer = answer.toarray()
        answer = np.asarray(answer)
        if answer.dtype.kind in "OUS":
            raise ValueError(f"{self.name_of_method} gives texts ({answer.reshape(-1)[0]!r}); edgeprobe compares numbers: choose another method")
        return answer

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        answer = self.call(inputs[0])
        # An estimator of several targets gives a list of probabilities, one array for each.
        return [self._array(one) for one in (answer if isinstance(answer, list) else [answer])]
