# SPDX-License-Identifier: Apache-2.0
"""Classes of a user of Edge AI tester, the first release: nothing in them is about edgeprobe."""
from pathlib import Path

import numpy as np

from edge_ai_tester.core.dataset import Dataset
from edge_ai_tester.core.model import ModelWrapper
from edge_ai_tester.core.runtime import Runtime


class Points(Dataset):
    """Rows of points.csv: numbers, then the number of the class."""

    def __init__(self, root, batch_size=1, download_dataset=False, factor=1.0):
        self.factor = factor
        super().__init__(root, batch_size, download_dataset)

    @classmethod
    def form_argparse(cls):
        parser, group = super().form_argparse()
        group.add_argument("--factor", help="Factor of all numbers", type=float, default=1.0)
        return parser, group

    @classmethod
    def from_argparse(cls, args):
        return cls(args.dataset_root, args.inference_batch_size, args.download_dataset, args.factor)

    def prepare(self):
        self.classnames = {0: "low", 1: "middle", 2: "high"}
        for line in (self.root / "points.csv").read_text().splitlines():
            *numbers, label = line.split(",")
            self.dataX.append([float(one) for one in numbers])
            self.dataY.append(int(label))

    def prepare_input_samples(self, samples):
        return [np.array(one, "float32") * np.float32(self.factor) for one in samples]

    def prepare_output_samples(self, samples):
        return list(np.eye(3)[samples])


class Linear(ModelWrapper):
    """Weights in a .npy file, [4, 3]."""

    def prepare_model(self):
        self.weights = np.load(str(self.modelpath))

    def get_input_spec(self):
        return {"row": (1, 4)}, "float32"

    def preprocess_input(self, X):
        return np.array(X, dtype="float32") / 2

    def run_inference(self, X):
        return X @ self.weights

    def postprocess_outputs(self, y):
        return y


class LinearRuntime(Runtime):
    """Runs weights in a .npy file."""

    def __init__(self, protocol, modelpath):
        self.modelpath = modelpath
        super().__init__(protocol)

    @classmethod
    def form_argparse(cls):
        parser, group = super().form_argparse()
        group.add_argument("--save-model-path", help="Path where the model will be uploaded", type=Path, default="model.npy")
        return parser, group

    @classmethod
    def from_argparse(cls, protocol, args):
        return cls(protocol, args.save_model_path)

    def prepare_model(self, input_data):
        self.protocol.log.info("loading")
        Path(self.modelpath).write_bytes(input_data)
        self.weights = np.load(str(self.modelpath))
        return True

    def prepare_input(self, input_data):
        self.input = np.frombuffer(input_data, "float32").reshape(1, 4)
        return True

    def run(self):
        self.output = self.input @ self.weights

    def upload_output(self, input_data):
        return self.output.tobytes()
