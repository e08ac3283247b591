# SPDX-License-Identifier: Apache-2.0
"""stretch shape: bounds, files, counts by a second route, cache, Ctrl-C and refusals: stretch_shape_test.py EDGEPROBE."""
import json
import signal
import subprocess
import time
import unittest

import yaml

import tool
from stretch_models import PAIR, TWO, StretchTest
from tool import run

BASE = """family: 1
name: tiny
classes: 5
block: basic
stem: {type: small, width: 16}
stages:
  - {depth: 2, width: 32}
  - {depth: 2, width: 32, stride: 2}
"""


def macs_of(net, size):
    """Multiply-accumulates of a network of basic blocks, from its short form."""
    channels, total, per_stage = net["stem"]["width"], 3 * net["stem"]["width"] * 9 * size * size, []
    for stage in net["stages"]:
        size //= stage["stride"]
        branches = []
        for branch in stage["branches"]:
            width, read, work = branch["width"], channels, 0
            for block in range(branch["depth"]):
                work += (read * width + width * width) * 9 * size * size
                if read != width or (block == 0 and stage["stride"] > 1):
                    work += read * width * size * size
                read = width
            branches.append(work)
        channels = sum(branch["width"] for branch in stage["branches"])
        per_stage.append(branches)
    return total + sum(map(sum, per_stage)) + channels * net["classes"], per_stage


@TWO
class ShapeTest(StretchTest):
    def base(self, text=BASE):
        path = self.folder / "base.yml"
        path.write_text(text)
        return path

    def shape(self, *args, out="shapes", base=None):
        """Exit code 4 is an answer too: this machine may be busy."""
        done = run("stretch", "shape", base or self.base(), "--size", 8, "--processors", "cpu,dsp", "--cpus", PAIR, "--seconds", 0.02, "--best", 2,
                   "--output", self.folder / out, "--json", *args)
        self.assertIn(done.returncode, (0, 4), done.err)
        found = json.loads(done.out)
        self.assertEqual(done.returncode, 0 if found["decided"] else 4)
        return found

    def test_finds_networks_within_the_bounds_and_writes_them(self):
        found = self.shape("--sum-share", 1)
        folder = self.folder / "shapes"
        self.assertEqual(json.loads((folder / "shapes.json").read_text()), found)
        kinds = [one["kind"] for one in found["candidates"]]
        self.assertEqual(kinds.count("branched"), 2)
        for kind in ("base", "split", "narrowed"):
            self.assertIn(kind, kinds)
        base = yaml.safe_load((folder / "base.yml").read_text())
        base_total, base_stages = macs_of(base, 8)
        for one in found["candidates"]:
            self.assertEqual(one["refused"], "")
            self.assertGreaterEqual(one["measured"]["processes"], 3)
            self.assertLessEqual(one["measured"]["low_s"], one["measured"]["median_s"])
            net = yaml.safe_load((folder / one["configuration"]).read_text())
            total, stages = macs_of(net, 8)
            self.assertEqual(one["macs"], total, one["name"])
            self.assertTrue((folder / one["plan"]).is_file())
            if one["kind"] != "branched":
                continue
            self.assertGreater(one["predicted_s"], 0)
            self.assertTrue(any(len(stage) > 1 for stage in stages))
            for stage, whole, branches in zip(stages, base_stages, one["stages"]):
                self.assertGreaterEqual(sum(stage), sum(whole))  # the fair run
                self.assertGreaterEqual(max(stage), 0.4 * sum(whole))
                self.assertEqual(max(branch["depth"] for branch in branches), 2)  # the receptive field
                for branch in branches:
                    self.assertEqual(branch["width"] % 16, 0)
            self.assertEqual(one["receptive_field"], found["candidates"][0]["receptive_field"])
        # The plan is one of the model that the configuration makes, and runs.
        run("stretch", "generate", folder / "two-1.yml", "--output", folder / "two-1.onnx", expect=0)
        plan = run("stretch", "explain", folder / "two-1.json", folder / "two-1.onnx", "--runs", 20, expect=0)
        self.assertIn("branch 2", plan.out)

        # Branches are known from the first search; whole networks are measured again.
        again = self.shape("--sum-share", 1, "--force")
        self.assertGreater(again["points"]["from_cache"], 0)
        self.assertEqual(again["points"]["measured"] + again["points"]["from_cache"], found["points"]["measured"] + found["points"]["from_cache"])
        self.assertEqual(self.refused("--sum-share", 1), f"edgeprobe: --output: the folder '{folder}' is not empty; name another one, or give --force to replace its files")

    def test_too_few_processes_are_no_answer(self):
        done = run("stretch", "shape", self.base(), "--size", 8, "--cpus", PAIR, "--seconds", 0.02, "--best", 1, "--rounds", 1,
                   "--output", self.folder / "few", expect=4)
        self.assertIn("undecided: ", done.out)
        self.assertIn("and 3 are needed", done.out)
        self.assertIn("edgeprobe stretch train", done.out)

    def refused(self, *args, base=None, out="shapes"):
        done = run("stretch", "shape", base or self.base(), "--size", 8, "--cpus", PAIR, "--output", self.folder / out, *args, expect=2)
        self.assertEqual(done.out, "")
        return done.err.strip()

    def test_refusals(self):
        for flag, value, most in (("--main-share", 1.5, 1), ("--sum-share", -1, 4), ("--depth-share", 2, 1), ("--field-share", 1.01, 1)):
            self.assertEqual(self.refused(flag, value, out="no"), f"edgeprobe: {flag} {value}: expected 0 to {most}")
        self.assertIn("stage 1: no depths and widths are within the bounds", self.refused("--sum-share", 4, out="no"))
        self.assertIn("stage 1: no width up to 32 is a multiple of --grid 160; give a smaller --grid", self.refused("--grid", 160, out="no").replace("\n", " "))
        self.assertIn("'cpu' is listed twice", self.refused("--processors", "cpu,cpu", out="no"))
        self.assertIn("branches need 2 or 3", self.refused("--processors", "cpu", out="no"))
        branched = self.base(BASE.replace("- {depth: 2, width: 32}", "- {branches: [{depth: 1, width: 16}, {depth: 1, width: 16}]}"))
        self.assertIn("stage 1 has 2 branches; the search starts from a network without branches", self.refused(base=branched, out="no"))
        self.assertFalse((self.folder / "no").exists())

    def test_ctrl_c_keeps_the_measured_branches(self):
        command = [tool.EXECUTABLE, "stretch", "shape", str(self.base()), "--size", "8", "--cpus", PAIR, "--seconds", "0.3", "--fresh", "--output", str(self.folder / "stopped")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("the next search goes on from the branches that were measured", err)
        self.assertFalse((self.folder / "stopped").exists())


if __name__ == "__main__":
    tool.main()
