# SPDX-License-Identifier: Apache-2.0
"""doctor --processors on this machine, compared with the system's own figures."""
import json
import os
import pathlib
import re
import unittest

import tool
from tool import ROOT, run

DRIVER = ROOT / ".deps" / "gpu" / "mesa"
NO_DRIVER = {"VK_DRIVER_FILES": "/nowhere/icd.json"}


def look(*more, env=None):
    return json.loads(run("doctor", "--processors", "--json", *more, env={**os.environ, **(env or {})}, expect=0).out)


def names(told):
    return [one["what"] for one in told["findings"]]


class ProcessorsTest(tool.ToolTest):
    def test_cpus_are_those_that_this_process_has(self):
        mine = sorted(os.sched_getaffinity(0))
        told = look()
        self.assertEqual(told["processors"]["cpus"]["usable"], mine)
        masks = sum(int(cluster["mask"], 16) for cluster in told["processors"]["cpus"]["clusters"])
        self.assertEqual(masks, sum(1 << cpu for cpu in mine))
        self.assertEqual(told["device"] is None, len(told["processors"]["cpus"]["clusters"]) == 1)

    def test_cpus_that_an_affinity_hides_are_named(self):
        mine = sorted(os.sched_getaffinity(0))
        if len(mine) < 2:
            self.skipTest("this process has one CPU")
        done = run("doctor", "--processors", "--json", expect=0, preexec_fn=lambda: os.sched_setaffinity(0, mine[:1]))
        told = json.loads(done.out)
        self.assertEqual(told["processors"]["cpus"]["usable"], mine[:1])
        self.assertTrue({"cpus_hidden", "one_cpu"} <= set(names(told)), names(told))
        self.assertTrue(set(mine[1:]) <= set(told["processors"]["cpus"]["hidden"]))

    def test_each_finding_has_cause_and_cure_in_text_and_json(self):
        told = look(env=NO_DRIVER)
        text = run("doctor", "--processors", env={**os.environ, **NO_DRIVER}, expect=0).out
        self.assertIn("broken_vulkan_driver", names(told))
        order = ["problem", "warning", "note"]
        self.assertEqual([order.index(one["severity"]) for one in told["findings"]],
                         sorted(order.index(one["severity"]) for one in told["findings"]))
        for one in told["findings"]:
            self.assertTrue(one["cause"].endswith(".") and one["cure"], one)
            self.assertIn(f"[{one['what']}]", text)
            for command in one["commands"]:
                self.assertIn(command, text)

    def test_energy_is_told_as_the_kernel_has_it(self):
        told = look()
        counters = [one for one in told["processors"]["energy"]["sources"] if one["kind"] == "counter"]
        zones = os.path.isdir("/sys/class/powercap") and [zone for zone in os.listdir("/sys/class/powercap") if zone.startswith("intel-rapl:")]
        self.assertGreaterEqual(len(counters), len(zones or []))
        hypervisor = "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text()
        if hypervisor:
            self.assertTrue(told["processors"]["energy"]["virtual_machine"])
        if not told["processors"]["energy"]["sources"]:
            self.assertIn("no_energy_counters", names(told))

    @unittest.skipUnless(DRIVER.exists(), "no .deps/gpu: run script/setup --gpu")
    def test_a_software_driver_is_asked_and_labelled(self):
        environment = {"VK_DRIVER_FILES": str(DRIVER / "lvp_icd.json"), "LD_LIBRARY_PATH": str(DRIVER / "lib")}
        told = look(env=environment)
        device = told["processors"]["gpus"]["vulkan"][0]
        self.assertEqual(device["kind"], "software")
        self.assertRegex(device["version"], r"^Mesa 25\.0\.7")
        self.assertIn("software_vulkan_driver", names(told))
        self.assertNotIn("old_vulkan_driver", names(told))

    def test_every_finding_is_in_the_docs(self):
        page = (ROOT / "docs" / "reference" / "processors.md").read_text()
        listed = set(re.findall(r"^\| `([a-z_]+)` \|", page, re.M))
        source = "".join(file.read_text() for file in (ROOT / "src" / "processors").glob("*.cc"))
        made = set(re.findall(r'Severity::k\w+,\s*"([a-z_]+)"', source)) | set(re.findall(r'kNote,\s*"([a-z_]+)"', source))
        made |= set(re.findall(r':\s*Severity::k\w+,\s*"([a-z_]+)"', source))
        self.assertGreater(len(made), 25)
        self.assertEqual(listed, made)

    def test_commands_of_ours_have_the_flags_that_they_name(self):
        source = "".join(file.read_text() for file in sorted((ROOT / "src" / "processors").glob("*.cc")))
        # Joins adjacent literals, then finds our own commands.
        texts = re.findall(r'"edgeprobe ([^"]*)"', re.sub(r'"\s*"', "", source))
        self.assertGreater(len(texts), 6)
        for text in texts:
            words = text.split()
            verb = words[:2] if words[0] == "stretch" else words[:1]
            flags = re.findall(r"--[a-z-]+", text)
            help_text = run(*verb, "--help-all", expect=0).out if flags else ""
            for flag in flags:
                with self.subTest(command=text):
                    self.assertRegex(help_text, rf"{flag}\b")

    def test_too_many_threads_for_a_choice(self):
        cpu = min(os.sched_getaffinity(0))
        told = look("--cpus", cpu, "--threads", 2)
        self.assertIn("too_many_threads", names(told))


if __name__ == "__main__":
    tool.main()
