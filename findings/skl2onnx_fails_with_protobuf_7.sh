#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# skl2onnx 1.20.0 with scikit-learn 1.9.1 and onnx 1.23.2: HistGradientBoostingClassifier is exported with protobuf 6.33.6, and fails with
# protobuf 7.36.2, which pip installs by itself: "Expected an int, got a boolean", inside of an error about the node. skl2onnx puts truth
# values among a node's integers, which protobuf takes up to version 6. One would expect that pip's newest versions work together, or that
# skl2onnx requires protobuf below 7. Other models, such as a random forest, are exported with both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 6.33.6 7.36.2; do
  "$folder/venv/bin/pip" install --quiet skl2onnx==1.20.0 scikit-learn==1.9.1 onnx==1.23.2 numpy==2.4.6 protobuf==$version
  "$folder/venv/bin/python" - <<'PYTHON'
import google.protobuf
import numpy as np
import skl2onnx
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

random = np.random.default_rng(1)
x = random.normal(size=(400, 12)).astype(np.float32)
y = (x[:, :3] @ random.normal(size=(3, 4))).argmax(1)
skl2onnx.to_onnx(RandomForestClassifier(5, random_state=1).fit(x, y), x[:1])
said = ""
try:
    skl2onnx.to_onnx(HistGradientBoostingClassifier(max_iter=5).fit(x, y), x[:1])
except ValueError as error:
    said = str(error.__cause__ or error.__context__)
print(f"protobuf {google.protobuf.__version__}: {said or 'exported'}")
assert ("got a boolean" in said) == google.protobuf.__version__.startswith("7"), said
PYTHON
done
