# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the first base class of model wrappers."""
import argparse
import pathlib


class ModelWrapper:
    def __init__(self, modelpath, dataset, from_file=True):
        self.modelpath, self.dataset, self.from_file = modelpath, dataset, from_file
        self.prepare_model()

    @classmethod
    def form_argparse(cls):
        parser = argparse.ArgumentParser(add_help=False)
        group = parser.add_argument_group(title="Model")
        group.add_argument("--model-path", required=True, type=pathlib.Path)
        return parser, group

    @classmethod
    def from_argparse(cls, dataset, args, from_file=True):
        return cls(args.model_path, dataset, from_file)

    def _preprocess_input(self, X):
        return self.preprocess_input(X)

    def _postprocess_outputs(self, y):
        return self.postprocess_outputs(y)
