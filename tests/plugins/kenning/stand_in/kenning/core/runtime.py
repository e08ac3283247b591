# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the base class of runtimes."""
import json

from .arguments import HasArguments


class Runtime(HasArguments):
    arguments_structure = {
        "disable_performance_measurements": {"argparse_name": "--disable-performance-measurements", "type": bool, "default": False},
        "batch_size": {"argparse_name": "--batch-size", "type": int, "default": 1},
    }

    def __init__(self, disable_performance_measurements=False, batch_size=1):
        self.batch_size = batch_size
        self.input_spec = self.output_spec = self.processed_input_spec = None

    @classmethod
    def from_json(cls, json_dict):
        return cls(**cls._values(json_dict))

    def prepare_io_specification(self, input_data):
        said = json.loads(input_data)
        self.input_spec, self.output_spec, self.processed_input_spec = said["input"], said["output"], said.get("processed_input")
        return True

    def prepare_local(self):
        return self.prepare_io_specification(None) and self.prepare_model(None)

    def extract_output(self):
        raise NotImplementedError
