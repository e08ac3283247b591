# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the first base class of data sets."""
import argparse
import pathlib


class Dataset:
    def __init__(self, root, batch_size=1, download_dataset=False):
        self.root, self.batch_size = pathlib.Path(root), batch_size
        self.dataX, self.dataY = [], []
        self.prepare()

    @classmethod
    def form_argparse(cls):
        parser = argparse.ArgumentParser(add_help=False)
        group = parser.add_argument_group(title="Dataset")
        group.add_argument("--dataset-root", help="Folder of the data", required=True, type=pathlib.Path)
        group.add_argument("--download-dataset", action="store_true")
        group.add_argument("--inference-batch-size", type=int, default=1)
        return parser, group

    @classmethod
    def from_argparse(cls, args):
        return cls(args.dataset_root, args.inference_batch_size, args.download_dataset)

    def prepare_input_samples(self, samples):
        return samples

    def prepare_output_samples(self, samples):
        return samples

    def train_test_split_representations(self, test_fraction=0.25, seed=1234):
        at = int(len(self.dataX) * (1 - test_fraction))
        return self.dataX[:at], self.dataX[at:], self.dataY[:at], self.dataY[at:]
