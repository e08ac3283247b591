# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the base class of data sets."""
import pathlib
import shutil

import numpy as np

from .arguments import HasArguments


class Part:
    """What iter_train() and iter_test() return, as far as it is read here."""

    def __init__(self, indices):
        self.indices = indices


class Dataset(HasArguments):
    arguments_structure = {
        "root": {"argparse_name": "--dataset-root", "description": "Folder of the data", "type": pathlib.Path, "required": True},
        "batch_size": {"argparse_name": "--inference-batch-size", "type": int, "default": 1},
        "download_dataset": {"argparse_name": "--download-dataset", "type": bool, "default": True},
        "split_seed": {"argparse_name": "--split-seed", "description": "Start of the split", "type": int, "default": 1234},
    }

    def __init__(self, root, batch_size=1, download_dataset=True, split_seed=1234):
        self.root, self.batch_size, self.split_seed = pathlib.Path(root), batch_size, split_seed
        self.dataX, self.dataY = [], []
        if download_dataset:
            shutil.rmtree(self.root, ignore_errors=True)
            self.download_dataset_fun()
        self.prepare()

    @classmethod
    def from_json(cls, json_dict):
        return cls(**cls._values(json_dict))

    def _parts(self):
        order = np.random.default_rng(self.split_seed).permutation(len(self.dataX)).tolist()
        return order[len(order) // 5:], order[:len(order) // 5]

    def iter_train(self):
        return Part(self._parts()[0])

    def iter_test(self):
        return Part(self._parts()[1])

    def prepare_input_samples(self, samples):
        return [samples]

    def prepare_output_samples(self, samples):
        return [samples]
