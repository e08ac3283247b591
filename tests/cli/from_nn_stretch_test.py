# SPDX-License-Identifier: Apache-2.0
"""docs/from-nn-stretch.md: each of our command lines runs as it is printed, and each flag of NN-Stretch's scripts has its place."""
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import tool
from stretch_models import CPUS
from tool import MODELS, PATIENCE, ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "train"))
import torch_pythons  # noqa: E402

PAGE = (ROOT / "docs" / "from-nn-stretch.md").read_text(encoding="utf-8")
#: Of run_pipeline.py, eval_acc.py and run_net.py.
FLAGS = ("serial adb_host workdir mbm_pycls_path host_tmp_dir device_tmp_dir output_csv configs no_root android_runtime num_threads core_affinity use_real_weights "
         "input_image cfg models num_gpus out_dir mode").split()
KEYS = "OUT_DIR NUM_GPUS TEST.WEIGHTS DATA_LOADER.MODE".split()


def lines():
    """(theirs, ours) of each row of the page."""
    table = PAGE.split("<!-- commands: begin -->")[1].split("<!-- commands: end -->")[0]
    rows = [re.split(r" \| ", row.strip("| ")) for row in table.strip().splitlines()[2:]]
    return [(row[0].strip("`"), row[1].strip("`")) for row in rows]


class FromNnStretchTest(tool.ToolTest):
    torch = next(iter(torch_pythons.found()), "")

    def setUp(self):
        super().setUp()
        families = MODELS / "families"
        for folder, name, source in (("pixel", "R-34-C", "basic"), ("pixel", "R-34-CG", "basic-two"), ("mi", "EN-B5-CD", "mbconv-two")):
            (self.folder / "data" / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(families / f"{source}.yml", self.folder / "data" / folder / f"{name}.yaml")
        config = self.folder / "data" / "mi" / "EN-B5-CD.yaml"
        run("stretch", "generate", config, "--weights-output", config.with_suffix(".safetensors"), expect=0)
        (self.folder / "models").mkdir()
        shutil.copy(config.with_suffix(".safetensors"), self.folder / "models")
        run("stretch", "generate", config, "-o", self.folder / "plan.onnx", "--plan", self.folder / "plan.json", expect=0)
        with open(MODELS / "data" / "labels.csv", newline="", encoding="utf-8") as file:
            labelled = list(csv.DictReader(file))[:120]
        (self.folder / "pictures").mkdir()
        for row in labelled:
            shutil.copy(MODELS / "data" / "test" / row["file"], self.folder / "pictures")
        (self.folder / "labels.csv").write_text("file,label\n" + "".join(f"{row['file']},{row['label']}\n" for row in labelled))
        (self.folder / "images").mkdir()
        shutil.copy(next((MODELS / "data" / "test").glob("*.jpg")), self.folder / "images" / "ILSVRC2012_val_00000001.JPEG")
        shutil.copy(MODELS / "signs_nchw.recipe", self.folder / "net.recipe")
        shutil.copy(MODELS / "signs_float.tflite", self.folder / "net.tflite")
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}

    def words_of(self, line):
        """With the folders of the page below this test's own, and a mask of CPUs that this machine has."""
        words = shlex.split(line)
        mask = hex(sum(1 << cpu for cpu in CPUS[:2]))
        words = [mask if word == "c0" else str(self.folder) + word if re.match("/(data|models|out)(/|$)", word) else word for word in words[1:]]
        if words[:2] == ["stretch", "profile"]:
            words += ["--seconds", "0.02"]
            if "--output_csv" not in words:
                words += ["--force"]
        if words[:2] == ["stretch", "train"]:
            words += ["OPTIM.MAX_EPOCH", "1", "--python", self.torch]
        if words[0] == "bench":
            words += ["--duration", "0.1", "--warm-up", "0.05"]
        return words

    def test_each_command_line_runs_as_it_is_printed(self):
        self.assertGreater(len(lines()), 12)
        for _, ours in lines():
            with self.subTest(ours):
                if ours.startswith("edgeprobe stretch train") and not self.torch:
                    self.skipTest("no Python with PyTorch here: EDGEPROBE_TORCH_PYTHON names one")
                done = subprocess.run([tool.EXECUTABLE, *self.words_of(ours)], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.folder / "r.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["cfg"] for row in csv.DictReader(file)], ["R-34-C.yaml", "R-34-CG.yaml"])
        self.assertTrue((self.folder / "out" / "EN-B5-CD" / "evaluation.json").is_file())
        # The last profile is of eval_lat_acc.sh: latency and accuracy in one row.
        with open(self.folder / "result.csv", newline="", encoding="utf-8") as file:
            [row] = csv.DictReader(file)
        self.assertTrue(float(row["latency"]) > 0 and row["accuracy_n"] == "120", row)

    def test_flags_and_keys_keep_their_names(self):
        section = PAGE.split("## Flags")[1]
        for name in FLAGS:
            self.assertIn(f"`--{name}", section)
        for name in KEYS:
            self.assertIn(f"`{name}`", section)
        told = run("stretch", "profile", "--help-all", expect=0).out + run("stretch", "evaluate", "--help-all", expect=0).out
        for name in FLAGS:
            self.assertIn(f"--{name}", told)
    def test_what_is_trained_is_what_is_evaluated(self):
        """With the size, the classes and the recipe that training leaves next to the weights."""
        out, config = self.folder / "out" / "net", self.folder / "net.yaml"
        out.mkdir(parents=True)
        config.write_text("MODEL: {TYPE: mbanynet, NUM_CLASSES: 1000}\nANYNET: {STEM_W: 8, STEM_K: 3, BLOCK_TYPE: res_basic_block, DEPTHS: [[1, 1]], WIDTHS: [[8, 8]], "
                          "STRIDES: [[2, 2]], DEVICES: [cpu, dsp], ORIGINAL_WIDTHS: [16]}\nTRAIN: {IM_SIZE: 96}\n")
        run("stretch", "generate", config, "--size", 64, "--classes", 12, "--network", out / "model.network.json", "--weights-output", out / "model.safetensors", expect=0)
        shutil.copy(self.folder / "net.recipe", out / "model.recipe")
        words = ("stretch", "evaluate", "--cfg", config, "--models", self.folder / "out", "--data", self.folder / "pictures", "--labels", self.folder / "labels.csv")
        done = run(*words, "--json", expect=0)
        [row] = json.loads(done.out)["evaluations"]
        self.assertEqual((row["resolution"], row["classes"], row["recipe"]), ("64x64", 12, (self.folder / "net.recipe").read_text().strip()))
        self.assertIn("with which its weights were trained", done.err)
        self.assertNotIn("224 pixels", done.err)
        done = run(*words, "--size", 32, "--recipe", (self.folder / "net.recipe").read_text().replace("64x64", "32x32"), expect=0)
        self.assertIn("has 32 pixels (--size), and its weights were trained at 64", done.err)

    def test_keys_of_training(self):
        words = ("stretch", "train", "--cfg", self.folder / "data" / "mi" / "EN-B5-CD.yaml", "--data", self.folder / "pictures", "--labels", self.folder / "labels.csv", "--mode")
        for more, expected in ((("train", "OUT_DIR"), "'OUT_DIR' has no value"), (("test",), "--mode test is 'edgeprobe stretch evaluate CONFIG' here"),
                               (("train", "OPTIM.NESTEROV", "False"), "'OPTIM.NESTEROV' cannot be changed"), (("train", "OPTIM.BASE_LR", "x"), "OPTIM.BASE_LR 'x': expected a number"),
                               (("train", "OPTIM.MAX_EPOCH", "0"), "OPTIM.MAX_EPOCH '0': expected a whole number"), (("train",), "--output is required")):
            with self.subTest(expected):
                self.assertIn(expected, run(*words, *more, expect=2).err)
        self.assertIn("one word too many", run("stretch", "train", "a.yaml", "b", "c", "--output", self.folder / "o.safetensors", expect=2).err)

    def test_flags_in_both_lines_are_spelled_alike(self):
        for theirs, ours in lines():
            for flag in re.findall(r"--\w+", theirs):
                if flag[2:] in FLAGS and "--mode info" not in theirs and not theirs.startswith("taskset"):
                    self.assertIn(f"{flag} ", f"{ours} ", theirs)


if __name__ == "__main__":
    tool.main()
