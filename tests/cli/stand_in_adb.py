#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for adb and the device: 'adb -s SERIAL shell -T COMMAND' runs COMMAND in this machine's shell. Exit codes and standard error
are returned separately, as in adb's shell protocol since Android 7. No real device was tested."""
import os
import sys

words = sys.argv[1:]
if len(words) != 5 or words[0] != "-s" or words[2:4] != ["shell", "-T"]:
    sys.exit(f"stand-in adb: unexpected arguments {words}")
if words[1] != os.environ["STAND_IN_SERIAL"]:
    print(f"adb: device '{words[1]}' not found", file=sys.stderr)
    sys.exit(1)
os.execvp("sh", ["sh", "-c", words[4]])
