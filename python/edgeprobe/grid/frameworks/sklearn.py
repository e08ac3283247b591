# SPDX-License-Identifier: Apache-2.0
"""scikit-learn, exported by skl2onnx. The models are fitted to random data, as weights that nothing was fitted to mean nothing here."""
from __future__ import annotations

import os

from . import Case

NAME = "scikit-learn"
PACKAGES = ("scikit-learn", "skl2onnx", "onnx", "protobuf")
MODULES = ("sklearn", "skl2onnx", "onnx")
FEATURES, CLASSES = 12, 4


def _makers(seed: int) -> dict:
    """Name -> a function that makes the estimator. A list of names must not import scikit-learn."""

    def make(module, name, **options):
        def made():
            import importlib

            return getattr(importlib.import_module(f"sklearn.{module}"), name)(**options)

        return made

    def pipeline():
        from sklearn.decomposition import PCA
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), PCA(5), LogisticRegression())

    return {
        "mlp": make("neural_network", "MLPClassifier", hidden_layer_sizes=(20, 10), random_state=seed, max_iter=50),
        "logistic-regression": make("linear_model", "LogisticRegression"),
        "decision-tree": make("tree", "DecisionTreeClassifier", random_state=seed),
        "random-forest": make("ensemble", "RandomForestClassifier", n_estimators=20, random_state=seed),
        "gradient-boosting": make("ensemble", "GradientBoostingClassifier", n_estimators=10, random_state=seed),
        "hist-gradient-boosting": make("ensemble", "HistGradientBoostingClassifier", max_iter=10, random_state=seed),
        "svm": make("svm", "SVC"),
        "nearest-neighbors": make("neighbors", "KNeighborsClassifier"),
        "naive-bayes": make("naive_bayes", "GaussianNB"),
        "pipeline": pipeline,
    }


MODELS = tuple(_makers(0))


def build(model: str, seed: int) -> Case:
    return Fitted(_makers(seed)[model](), seed)


class Fitted(Case):
    def __init__(self, estimator, seed: int):
        import numpy

        random = numpy.random.default_rng(seed)
        data = random.normal(size=(400, FEATURES)).astype(numpy.float32)
        classes = (data[:, :3] @ random.normal(size=(3, CLASSES))).argmax(1)
        self.estimator = estimator.fit(data, classes)
        # One batch, as no one calls these models for a single row.
        self.samples = [[random.normal(size=(200, FEATURES)).astype(numpy.float32)]]

    def run(self, sample):
        scores = self.estimator.predict_proba if hasattr(self.estimator, "predict_proba") else self.estimator.decision_function
        return [self.estimator.predict(sample[0]), scores(sample[0])]

    def export(self, path):
        import skl2onnx

        # Without this option, probabilities are a list of dictionaries, which no engine but ONNX Runtime gives back.
        model = skl2onnx.to_onnx(self.estimator, self.samples[0][0][:1], options={id(self.estimator): {"zipmap": False}})
        with open(path, "wb") as file:
            file.write(model.SerializeToString())

    def save(self, folder):
        import pickle

        with open(os.path.join(folder, "model.pkl"), "wb") as file:
            pickle.dump(self.estimator, file)
        return {"model": "model.pkl", "engine": "sklearn"}
