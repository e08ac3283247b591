# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the first base class of runtimes."""
import argparse


class Runtime:
    def __init__(self, protocol):
        self.protocol = protocol

    @classmethod
    def form_argparse(cls):
        parser = argparse.ArgumentParser(add_help=False)
        return parser, parser.add_argument_group(title="Runtime")

    @classmethod
    def from_argparse(cls, protocol, args):
        return cls(protocol)
