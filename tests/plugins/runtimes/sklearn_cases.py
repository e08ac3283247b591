# SPDX-License-Identifier: Apache-2.0
"""Estimators of scikit-learn, and what they compute. sklearn_cases.py FOLDER"""
import pickle
import sys

import joblib
import numpy as np
from cases import Cases
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC


def case(cases, name, estimator, samples, call, options="", writer=None, flags=()):
    home = cases.home(name)
    file = home / ("model.joblib" if writer else "model.pkl")
    if writer:
        writer(estimator, file)
    else:
        file.write_bytes(pickle.dumps(estimator))
    with open(file, "rb") as stored:  # what the file holds is what has to be run
        method = getattr(joblib.load(stored), call)
    answers = []
    for sample in samples:
        answer = method(sample["features"])
        answer = answer if isinstance(answer, list) else [answer]
        answer = [a.toarray() if hasattr(a, "toarray") else np.asarray(a) for a in answer]
        answers.append([(call if len(answer) == 1 else f"{call}_{i}", a) for i, a in enumerate(answer)])
    cases.write(home, file, samples, answers, options=f"allow={file.name}" + (f"&{options}" if options else ""), flags=flags)


def main(folder):
    cases = Cases(folder)
    x = cases.normal(120, 5)
    y = (x[:, 0] * x[:, 1] > 0).astype(int) + (x[:, 2] > 1)
    one = [{"features": x[i:i + 1]} for i in range(4)]

    case(cases, "pipeline", make_pipeline(StandardScaler(), PCA(4), LogisticRegression()).fit(x, y), one, "predict_proba")
    case(cases, "forest_of_two", RandomForestClassifier(9, random_state=0).fit(x, np.stack([y, y % 2], 1)), one, "predict_proba")
    case(cases, "boosting", HistGradientBoostingRegressor(max_iter=8).fit(x, x[:, 0] + x[:, 1] ** 2), one, "predict", writer=joblib.dump)
    case(cases, "vectors", SVC().fit(x, y), one, "decision_function")
    case(cases, "classes", SVC().fit(x, y), one, "predict", options="method=predict")
    case(cases, "distances", KMeans(3, n_init=1, random_state=0).fit(x), one, "transform")
    case(cases, "net64", MLPClassifier((8,), max_iter=40, random_state=0).fit(x.astype(float), y), [{"features": s["features"].astype(float)} for s in one],
         "predict_proba", options="dtype=float64")
    case(cases, "sparse", OneHotEncoder(handle_unknown="ignore").fit(np.round(x)), [{"features": np.round(s["features"])} for s in one], "transform")
    case(cases, "batch", LogisticRegression().fit(x, y), [{"features": x[4 * i:4 * i + 4]} for i in range(3)], "predict_proba", flags=["--input-shape",
        "features=4x5"])


main(sys.argv[1])
