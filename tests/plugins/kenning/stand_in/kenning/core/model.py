# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the base class of model wrappers."""
import pathlib

from .arguments import HasArguments


class ModelWrapper(HasArguments):
    arguments_structure = {
        "model_path": {"argparse_name": "--model-path", "type": pathlib.Path, "required": True},
        "model_name": {"argparse_name": "--model-name", "description": "For the report", "type": str},
    }

    def __init__(self, model_path, dataset, from_file=True, model_name=None):
        self.model_path, self.dataset, self.from_file, self.model_name = model_path, dataset, from_file, model_name
        self.model_prepared = False

    @classmethod
    def from_json(cls, json_dict, dataset=None, from_file=True):
        return cls(dataset=dataset, from_file=from_file, **cls._values(json_dict))

    def get_io_specification(self):
        return self.get_io_specification_from_model()

    def _quantize_inputs(self, X, io_spec=None):
        return X

    def preprocess_input(self, X):
        return X

    def _preprocess_input(self, X, io_spec=None):
        return self._quantize_inputs(self.preprocess_input(X))

    def postprocess_outputs(self, y):
        return y

    def _postprocess_outputs(self, y, io_spec=None):
        return self.postprocess_outputs(y)
