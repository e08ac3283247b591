# SPDX-License-Identifier: Apache-2.0
"""docs/from-nn-stretch.md: each of our command lines runs as it is printed, and each flag of NN-Stretch's scripts has its place."""
import csv
import os
import re
import shlex
import shutil
import subprocess

import tool
from stretch_models import CPUS
from tool import MODELS, PATIENCE, ROOT, run

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
            labelled = list(csv.DictReader(file))[:24]
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
        if words[0] == "bench":
            words += ["--duration", "0.1", "--warm-up", "0.05"]
        return words

    def test_each_command_line_runs_as_it_is_printed(self):
        self.assertGreater(len(lines()), 12)
        for _, ours in lines():
            with self.subTest(ours):
                done = subprocess.run([tool.EXECUTABLE, *self.words_of(ours)], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.folder / "r.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["cfg"] for row in csv.DictReader(file)], ["R-34-C.yaml", "R-34-CG.yaml"])
        self.assertTrue((self.folder / "out" / "EN-B5-CD" / "evaluation.json").is_file())
        # The last profile is of eval_lat_acc.sh: latency and accuracy in one row.
        with open(self.folder / "result.csv", newline="", encoding="utf-8") as file:
            [row] = csv.DictReader(file)
        self.assertTrue(float(row["latency"]) > 0 and row["accuracy_n"] == "24", row)

    def test_flags_and_keys_keep_their_names(self):
        section = PAGE.split("## Flags")[1]
        for name in FLAGS:
            self.assertIn(f"`--{name}", section)
        for name in KEYS:
            self.assertIn(f"`{name}`", section)
        told = run("stretch", "profile", "--help-all", expect=0).out + run("stretch", "evaluate", "--help-all", expect=0).out
        for name in FLAGS:
            self.assertIn(f"--{name}", told)
        # What a script's line and ours have in common is spelled alike.
        for theirs, ours in lines():
            for flag in re.findall(r"--\w+", theirs):
                if flag[2:] in FLAGS and "--mode info" not in theirs and not theirs.startswith("taskset"):
                    self.assertIn(f"{flag} ", f"{ours} ", theirs)


if __name__ == "__main__":
    tool.main()
