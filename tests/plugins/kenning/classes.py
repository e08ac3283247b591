# SPDX-License-Identifier: Apache-2.0
"""Classes of a user of Kenning: nothing in them is about edgeprobe. They run on Kenning from release 0.0.3 on."""
from pathlib import Path

import numpy as np

from kenning.core.dataset import Dataset
from kenning.core.model import ModelWrapper
from kenning.core.runtime import Runtime

try:
    from kenning.utils.args_manager import supported_keywords
except ImportError:
    supported_keywords = []
#: Up to release 0.8.0 a list is described in another way.
WHOLE_NUMBERS = {"type": int, "is_list": True} if "is_list" in supported_keywords else {"type": list[int]}


class Points(Dataset):
    """Rows of points.csv: numbers, then the number of the class."""

    arguments_structure = {
        "factor": {"description": "Factor of all numbers", "type": float, "default": 1.0},
        "columns": {"description": "Columns that are read", **WHOLE_NUMBERS, "nullable": True, "default": None},
        "form": {"argparse_name": "--sample-form", "description": "What a sample is", "type": str, "default": "plain", "enum": ["plain", "noisy", "text", "next"]},
        "fault": {"type": str, "default": ""},
    }

    def __init__(self, root, batch_size=1, download_dataset=True, split_seed=1234, factor=1.0, columns=None, form="plain", fault="", **more):
        self.factor, self.columns, self.form, self.fault = factor, columns, form, fault
        super().__init__(root, batch_size, download_dataset, split_seed=split_seed)

    def download_dataset_fun(self):
        raise RuntimeError("there is nothing to download")

    def prepare(self):
        if self.fault == "prepare":
            raise OSError("no points")
        for line in (self.root / "points.csv").read_text().splitlines():
            *numbers, label = line.split(",")
            self.dataX.append([float(one) for one in numbers])
            self.dataY.append(int(label))

    def prepare_input_samples(self, samples):
        if self.fault == "sample" and samples[0] == self.dataX[2]:
            raise ValueError("bad row")
        if self.form == "text":
            return [[" ".join(map(str, one)) for one in samples]]
        rows = np.array(samples, "float32") * np.float32(self.factor)
        if self.form == "next":
            self.at = getattr(self, "at", 0) + 1
            rows = np.array([self.dataX[self.at % len(self.dataX)]], "float32")
        if self.form == "noisy":
            rows += np.random.normal(size=rows.shape).astype("float32")
        return [rows if self.columns is None else rows[:, self.columns]]

    def prepare_output_samples(self, samples):
        return [np.eye(3)[samples]]

    def evaluate(self, predictions, truth):
        return {}

    def get_input_mean_std(self):
        return np.array([1, 2, 3, 4], "float32"), np.array([2, 2, 4, 4], "float32")

    def get_class_names(self):
        return ["low", "middle", "high"]


class Linear(ModelWrapper):
    """Weights in a .npy file, [4, 3]."""

    arguments_structure = {
        "temperature": {"description": "Of the softmax after the model", "type": float, "default": 1.0},
        "fault": {"type": str, "default": ""},
    }

    def __init__(self, model_path, dataset, from_file=True, model_name=None, temperature=1.0, fault=""):
        super().__init__(model_path, dataset, from_file, model_name)
        self.temperature, self.fault = temperature, fault
        self.classes = dataset.get_class_names()

    def get_io_specification_from_model(self):
        names = {"kept": {"shape": (1, -1), "dtype": "float32"}}
        return {"input": [{"name": "row", "shape": [(1, 4), (1, 2, 2)], "dtype": "float32"}],
                "processed_input": [{"name": "standardized", "shape": (1, 4), "dtype": "float32"}],
                "output": [{"name": "scores", "shape": (1, len(self.classes)), "dtype": "float64" if self.fault == "type" else "float32"}],
                "processed_output": [{"name": "shares", "shape": (1, len(self.classes)), "dtype": "float32"}, {"name": "kept", **names["kept"]}]}

    def prepare_model(self):
        if not self.model_prepared:
            self.load_model(self.model_path)
            self.model_prepared = True

    def load_model(self, model_path):
        self.weights = np.load(str(model_path))

    def preprocess_input(self, X):
        mean, std = self.dataset.get_input_mean_std()
        return [(X[0].reshape(1, 4) - mean) / std]

    def run_inference(self, X):
        if self.fault == "run":
            raise ZeroDivisionError("no answer")
        X[0] += np.float32(0)  # in place
        self.last = X[0]
        return [X[0] @ self.weights]

    def postprocess_outputs(self, y):
        e = np.exp(y[0] / np.float32(self.temperature), dtype="float32")
        return [e / e.sum(), y[0][:, y[0][0] > 0]]

    def save_model(self, model_path):
        np.save(model_path, self.weights)

    def save_to_onnx(self, model_path):
        raise NotImplementedError

    def train_model(self):
        raise NotImplementedError

    @classmethod
    def get_framework(cls):
        return "numpy"

    @classmethod
    def get_framework_version(cls):
        return np.__version__

    def get_framework_and_version(self):
        return "numpy", np.__version__

    @classmethod
    def get_output_formats(cls):
        return ["npy"]

    @classmethod
    def derive_io_spec_from_json_params(cls, json_dict):
        return {}

    def convert_input_to_bytes(self, inputdata):
        return inputdata[0].tobytes()

    def convert_output_from_bytes(self, outputdata):
        return [np.frombuffer(outputdata, "float32").reshape(1, -1)]


class LinearRuntime(Runtime):
    """Runs weights in a .npy file on real numbers or on codes."""

    arguments_structure = {
        "model_path": {"argparse_name": "--save-model-path", "description": "Path of the model", "type": Path, "default": "model.npy"},
        "precision": {"description": "Of the scores", "type": str, "default": "exact", "enum": ["exact", "whole"]},
        "fault": {"type": str, "default": ""},
    }

    def __init__(self, model_path, precision="exact", fault="", disable_performance_measurements=False, **more):
        self.model_path, self.precision, self.fault = model_path, precision, fault
        super().__init__(disable_performance_measurements, **more)

    def prepare_model(self, input_data):
        if input_data:
            Path(self.model_path).write_bytes(input_data)
        self.weights = np.load(str(self.model_path))
        return self.fault != "model"

    def load_input(self, input_data):
        self.input = input_data[0]
        return self.fault != "input"

    def run(self):
        self.output = self.input.astype(self.weights.dtype) @ self.weights
        if self.precision != "exact":
            self.output = self.output.round()

    def extract_output(self):
        return [self.output.clip(-128, 127).astype(self.input.dtype) if self.input.dtype == "int8" else self.output]
