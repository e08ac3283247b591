# SPDX-License-Identifier: Apache-2.0
"""scenario: one file runs the verbs that it names, locally and with a second process, and requests to Kenning become such a file."""
import json
import re
import shutil
import subprocess
import sys

import numpy as np
from jsonschema import Draft202012Validator
from mcap.reader import make_reader

import tool
import traces
from processes import interrupt, wait_for
from tool import MODELS, RECIPE, ROOT, run

SCHEMA = ROOT / "docs" / "reference" / "scenario.schema.json"


def as_yaml(blocks):
    """In block style; texts without quotes where YAML allows it."""
    lines = []
    for name, block in blocks.items():
        lines.append(f"{name}: {block}" if isinstance(block, str) else f"{name}:")
        lines += [f"  {key}: {value}" for key, value in block.items()] if isinstance(block, dict) else []
    return "\n".join(lines) + "\n"


class Server:
    """A second process, started from its own scenario."""

    def __init__(self, file, *flags):
        self.process = subprocess.Popen([tool.EXECUTABLE, "scenario", "run", file, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.kill()
            raise AssertionError(line + self.process.stderr.read())
        self.address = "tcp://" + line.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.log = self.process.communicate(timeout=tool.PATIENCE)[1]


class ScenarioTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        for name in ("signs_float.tflite", "signs_int8.tflite", "signs.recipe", "signs_float.onnx"):
            shutil.copy(MODELS / name, self.folder)
        (self.folder / "pictures").mkdir()
        for file in sorted((MODELS / "data" / "test").iterdir())[:24]:
            shutil.copy(file, self.folder / "pictures")
        shutil.copy(MODELS / "data" / "labels.csv", self.folder)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def scenario(self, **blocks):
        return {"kind": "inference_performance", "model": "signs_float.tflite", "dataset": {"data": "pictures", "labels": "labels.csv"},
                "recipe": "signs.recipe", **blocks}

    def outputs(self, trace):
        """The answer to each picture, from the format's official reader."""
        answers = {}
        with open(trace, "rb") as file:
            for _, channel, message in make_reader(file).iter_messages():
                if channel.topic.startswith("/model_output/"):
                    answers.setdefault(message.sequence, []).append(message.data)
        return [answers[key] for key in sorted(answers)]

    def refused(self, content, *flags, name="s.yml"):
        done = run("scenario", "run", self.write(name, content), *flags, expect=2)
        self.assertFalse(list(self.folder.glob("*-results")), done.err)
        return done.err

    def test_performance_is_what_the_verbs_give(self):
        done = run("scenario", "run", self.write("quality.yml", self.scenario()), cwd="/", expect=0)
        trace = self.folder / "quality-results" / "trace.mcap"
        self.assertIn("$ edgeprobe run ", done.err)
        by_hand = self.folder / "by_hand.mcap"
        run("run", self.folder / "signs_float.tflite", "--recipe", RECIPE, "--data", self.folder / "pictures", "--labels", self.folder / "labels.csv", "--trace", by_hand, expect=0)
        self.assertEqual(self.outputs(trace), self.outputs(by_hand))
        row = re.search(r"trace +24 +(\d+\.\d)", done.out)
        self.assertTrue(row, done.out)
        self.assertGreater(float(row[1]), 80)

    def test_json_holds_each_step(self):
        (self.folder / "out").mkdir()
        file = self.write("s.json", self.scenario(report={"folder": "out", "bench": True, "runs": 20, "warm_up": 0.1}))
        result = json.loads(run("scenario", "run", file, "--json", expect=0).out)
        self.assertEqual([step["command"].split()[1] for step in result["steps"]], ["run", "bench", "measurements", "report"])
        self.assertEqual([step["exit_code"] for step in result["steps"]], [0, 0, 0, 0])
        frames, bench, measured, report = [step["result"] for step in result["steps"]]
        self.assertEqual(frames["frames"], 24)
        self.assertEqual(json.loads((self.folder / "out" / "bench.json").read_text()), bench)
        self.assertEqual(report["rows"][0]["top1"]["of"], 24)
        kept = json.loads((self.folder / "out" / "measurements.json").read_text())
        matrix = np.array(kept["eval_confusion_matrix"])
        self.assertEqual(matrix.sum(), 24)
        self.assertAlmostEqual(matrix.trace() / 24, report["rows"][0]["top1"]["share"])
        self.assertEqual(len(kept["target_inference_step"]), 24)
        self.assertTrue(all(0 < percent <= 100 for percent in kept["session_utilization_mem_percent"]))
        self.assertEqual(measured["sets"][0]["target_seconds"]["n"], 24)

    def test_a_report_is_written_in_every_form(self):
        file = self.write("signs.yml", self.scenario(report={"folder": "out", "html": True, "markdown": True, "rst": True, "svg": True}))
        for flags in ((), ("--force",)):
            run("scenario", "run", file, *flags, expect=0)
        files = {path.name for path in (self.folder / "out").iterdir()}
        self.assertLessEqual({"trace.mcap", "measurements.json", "report.html", "report.md", "report.rst", "signs_inference_time.svg", "signs_confusion_matrix.svg"}, files)
        self.assertIn("signs_confusion_matrix.svg", (self.folder / "out" / "report.md").read_text())

    def test_yaml_and_json_are_the_same(self):
        files = [self.write("a.json", json.dumps(self.scenario(), indent="\t")), self.write("a.yml", as_yaml(self.scenario()))]
        lines = [run("scenario", "run", file, "--dry-run", expect=0).out for file in files]
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(len(lines[0].splitlines()), 3)
        self.assertFalse((self.folder / "a-results").exists())

    def test_client_and_server_are_two_processes(self):
        server = self.write("server.yml", "kind: inference_server\nengine:\n  threads: 1\ntarget: tcp://127.0.0.1:0\n")
        with Server(server) as served:
            client = self.write("client.yml", {**self.scenario(), "kind": "inference_client", "target": "tcp://127.0.0.1:1"})
            run("scenario", "run", client, "--target", served.address, expect=0)
        self.assertIn("requests", served.log)
        run("scenario", "run", self.write("here.yml", self.scenario()), expect=0)
        self.assertEqual(self.outputs(self.folder / "client-results" / "trace.mcap"), self.outputs(self.folder / "here-results" / "trace.mcap"))

    def test_a_compiled_model_is_checked_and_runs(self):
        recipe = RECIPE.replace("nhwc", "nchw")
        content = self.scenario(model="signs_float.onnx", recipe=recipe, compiler={"to": "int8", "out": "int8.onnx", "calibration_frames": 12, "python": sys.executable})
        with Server(self.write("server.yml", "kind: inference_server\ntarget: tcp://127.0.0.1:0\n")) as served:
            file = self.write("c.json", {**content, "kind": "inference_client", "target": served.address})
            result = json.loads(run("scenario", "run", file, "--json", expect={0, 3, 4}).out)
        convert, frames, _, report = [step["result"] for step in result["steps"]]
        self.assertEqual((convert["to"], convert["calibration_frames"]), ("int8", 12))
        self.assertEqual(frames["frames"], 24)
        self.assertGreater(report["rows"][0]["top1"]["share"], 0.8)
        self.assertIn(b"QuantizeLinear", (self.folder / "int8.onnx").read_bytes())

    def test_a_compiled_tflite_runs_by_the_recipe_of_its_source(self):
        # Its inputs are codes, those of the source are not; one recipe serves both, whichever model it was written for.
        # The conversion tool is not part of the tests: a stand-in returns the int8 model that the tool once made from this one.
        tool_python = self.folder / "python"
        tool_python.write_text(f"#!{sys.executable}\nimport json, shutil, sys\nrequest = json.load(sys.stdin)\nshutil.copy({str(MODELS / 'signs_int8.tflite')!r}, request['out'])\nprint(json.dumps({{'tool': 'stand-in 1'}}))\n")
        tool_python.chmod(0o755)
        outputs = []
        for number, recipe in enumerate((RECIPE, RECIPE + " | quantize(model)")):
            folder = f"c{number}"
            content = self.scenario(recipe=recipe, compiler={"to": "int8", "out": f"{folder}.tflite", "calibration_frames": 12, "python": str(tool_python)}, report={"folder": folder, "bench": True, "runs": 3})
            result = json.loads(run("scenario", "run", self.write(f"{folder}.yml", content), "--json", expect={0, 3, 4}).out)
            words = {step["command"].split()[1]: step["command"] for step in result["steps"]}
            self.assertNotIn("quantize(model)", words["convert"])
            self.assertIn("quantize(model)", words["run"])
            self.assertIn("quantize(model)", words["bench"])
            outputs.append(self.outputs(self.folder / folder / "trace.mcap"))
        self.assertEqual(outputs[0], outputs[1])
        # The predecessor's main flow gives the same as the verbs.
        run("run", self.folder / "c0.tflite", "--recipe", RECIPE + " | quantize(model)", "--data", self.folder / "pictures", "--labels", self.folder / "labels.csv", "--trace", self.folder / "own.mcap", expect=0)
        self.assertEqual(self.outputs(self.folder / "own.mcap"), outputs[0])
        dry = run("scenario", "run", self.folder / "c0.yml", "--dry-run", expect=0)
        self.assertIn("quantize(model) where the converted one takes integers", dry.err)

    def test_libraries_of_operators_are_paths_that_need_trust(self):
        library = self.folder / "ops.so"
        library.write_bytes(b"no library")
        content = {**self.scenario(model="signs_float.onnx", recipe=RECIPE.replace("nhwc", "nchw")), "engine": {"name": "onnxruntime", "custom_ops": ["ops.so"]}}
        file = self.write("o.json", content)
        self.assertIn("give --trust if you trust that file", run("scenario", "run", file, expect=2).err)
        self.assertIn(f"--custom-ops {library}", run("scenario", "run", file, "--dry-run", expect=0).out)
        # A single text counts as a list.
        one = {**content, "engine": {"name": "onnxruntime", "custom_ops": "ops.so"}}
        self.assertIn(f"--custom-ops {library}", run("scenario", "run", self.write("one.json", one), "--dry-run", expect=0).out)
        self.assertIn("ops.so", run("scenario", "run", file, "--trust", expect=1).err)

    def test_a_model_that_is_not_there_fails(self):
        done = run("scenario", "run", self.write("s.yml", self.scenario(model="no.tflite")), "--json", expect=1)
        step, = json.loads(done.out)["steps"]
        self.assertIn("no.tflite", step["error"])

    def test_ctrl_c_keeps_what_is_done(self):
        data = {"data": str(MODELS / "data" / "test")}
        file = self.write("s.yml", self.scenario(dataset=data, report={"level": "layers"}))
        process = subprocess.Popen([tool.EXECUTABLE, "scenario", "run", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        results = self.folder / "s-results"
        wait_for(lambda: any(part.stat().st_size > 1_000_000 for part in results.glob("*trace*")))
        interrupt(process)
        out, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertNotIn("$ edgeprobe report", err)
        run("trace", "verify", results / "trace.mcap", expect=0)

    def test_schema_is_that_of_the_program(self):
        text = run("scenario", "schema", expect=0).out
        self.assertEqual(text, SCHEMA.read_text())
        validator = Draft202012Validator(json.loads(text))
        Draft202012Validator.check_schema(json.loads(text))
        good = [self.scenario(), self.scenario(engine="tflite:/x.so", compiler={"to": "int8", "out": "o.tflite"}),
                {"kind": "inference_server"}, {"kind": "inference_server", "engine": {"cpus": 0, "delegate": ["gpu", "nnapi"]}},
                {**self.scenario(target="unix:/s"), "kind": "inference_client"}]
        bad = [{"kind": "x"}, {**self.scenario(), "kind": "inference_client"}, self.scenario(enigne="x"), self.scenario(engine="tflit"), self.scenario(engine={"thread": 1}),
               self.scenario(engine={"threads": 0}), self.scenario(engine={"no_spinning": "yes"}), self.scenario(compiler={"to": "int8"}), {"kind": "inference_performance"},
               self.scenario(target={"insecure": True}), self.scenario(report={"level": "all"}), {"kind": "inference_server", "dataset": "d"}]
        for content in good:
            self.assertEqual([e.message for e in validator.iter_errors(content)], [], content)
            if content["kind"] != "inference_server":
                run("scenario", "run", self.write("s.json", content), "--dry-run", expect=0)
        for content in bad:
            self.assertFalse(validator.is_valid(content), content)
            self.refused(content, "--dry-run", name="s.json")

    def test_choices_are_those_of_the_verbs(self):
        """Each key is a flag of the verb that takes it, and the flag's help contains each of its words."""
        helps = {verb: run(verb, "--help-all", expect=0).out for verb in ("run", "bench", "convert", "serve")}
        lines = {"engine": "run", "compiler": "convert", "target": "serve", "report": "run"}
        schema = json.loads(SCHEMA.read_text())
        for variant in schema["oneOf"]:
            for block, verb in lines.items():
                forms = variant["properties"].get(block, {})
                for form in forms.get("anyOf", [forms]):
                    for key, value in form.get("properties", {}).items():
                        flag = {"engine": "--engine", "out": "--out"}.get(key if key != "name" else "engine", "--" + key.replace("_", "-"))
                        if key not in ("address", "folder", "bench", "html", "markdown", "rst", "svg"):
                            self.assertTrue(any(re.search(rf"^  .*{flag}\b", text, re.M) for text in helps.values()), f"{block}.{key}")
                        for word in value.get("enum", []):
                            self.assertIn(word, helps[verb], f"{block}.{key}")

    def test_a_readme_line_runs_where_the_model_is_ours(self):
        (self.folder / "pets").mkdir()
        (self.folder / "pictures").rename(self.folder / "pets" / "images")
        (self.folder / "pets" / "annotations").mkdir()
        names = sorted(path.stem for path in (self.folder / "pets" / "images").iterdir())
        (self.folder / "pets" / "annotations" / "list.txt").write_text("".join(f"{name} 1 2 1\n" for name in names))
        made = self.folder / "pets.yml"
        done = run("scenario", "from-command",
                   "python -m edge_ai_tester.scenarios.inference_performance \\\n"
                   "    edge_ai_tester.modelwrappers.classification.tensorflow_pet_dataset.TensorFlowPetDatasetMobileNetV2 \\\n"
                   "    edge_ai_tester.datasets.pet_dataset.PetDataset build/results report \\\n"
                   "    --model-path signs_float.tflite --dataset-root pets --inference-batch-size 1", "-o", made, expect=0)
        self.assertIn("--inference-batch-size 1: ", done.err)
        self.assertIn("pets:ROOT", done.err)
        run("scenario", "run", made, "--recipe", RECIPE, expect=0)
        self.assertEqual(len(self.outputs(self.folder / "build" / "results" / "trace.mcap")), 24)
        # Its own recipe is valid, unchanged from the file, on a model of its size.
        recipe = json.loads(re.search("^recipe: (.*)$", made.read_text(), re.M)[1])
        self.assertIn("224", run("recipe", "show", recipe, expect=0).out)

    def test_recipes_of_data_sets_are_what_kenning_computes(self):
        """The recipes of PetDataset and ImageNetDataset, compared with Pillow and NumPy doing what Kenning's Python does, through a model that
        returns its input."""
        from PIL import Image
        made = {}
        for name, parameters in (("PetDataset", {}), ("ImageNetDataset", {}), ("ImageNetDataset", {"preprocess_type": "tf"}), ("ImageNetDataset", {"preprocess_type": "torch"})):
            file = self.write("k.json", {"model_wrapper": {"type": "TensorFlowImageNet", "parameters": {"model_path": "signs_float.tflite"}},
                                         "dataset": {"type": name, "parameters": {"dataset_root": "r", **parameters}}})
            made[name + parameters.get("preprocess_type", "")] = json.loads(run("scenario", "from-command", file, "--json", expect=0).out)["scenario"]["recipe"]
        picture = sorted((self.folder / "pictures").iterdir())[0]
        pixels = np.array(Image.open(picture).convert("RGB").resize((64, 64))).astype(np.float32)
        mean, std = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
        wanted = {"PetDataset": (pixels / 255 - mean) / std, "ImageNetDatasettorch": (pixels / 255 - mean) / std, "ImageNetDatasettf": pixels / 127.5 - 1,
                  "ImageNetDataset": pixels[:, :, ::-1] - np.float32([103.939, 116.779, 123.68])}
        for name, values in wanted.items():
            with self.subTest(name):
                trace = self.folder / f"{name}.mcap"
                run("run", self.folder / "signs_float.tflite", "--recipe", made[name].replace("224x224", "64x64"), "--data", picture, "--trace", trace, expect=0)
                arrays = traces.exported(trace)
                key, = [key for key in arrays if key.startswith("model_input/") and arrays[key].size == values.size]
                np.testing.assert_allclose(arrays[key].reshape(values.shape), values, atol=1e-4)

    def test_a_file_of_kenning_becomes_ours(self):
        file = self.write("kenning.yml", "platform:\n  type: LocalPlatform\nmodel_wrapper:\n  type: TensorFlowPetDatasetMobileNetV2\n  parameters:\n"
                          "    model_path: signs_float.tflite\ndataset:\n  type: PetDataset\n  parameters:\n    dataset_root: pets\n    download_dataset: false\n"
                          "optimizers:\n- type: TFLiteCompiler\n  parameters:\n    target: int8\n    compiled_model_path: int8.tflite\nruntime:\n  type: TFLiteRuntime\n"
                          "  parameters:\n    save_model_path: x\n    num_threads: 2\n")
        result = json.loads(run("scenario", "from-command", file, "--json", expect=0).out)
        scenario = result["scenario"]
        self.assertEqual(scenario["compiler"], {"to": "int8", "out": "int8.tflite"})
        self.assertEqual(scenario["engine"], {"name": "tflite", "threads": 2})
        self.assertEqual(scenario["dataset"], {"data": "pets:pets"})
        self.assertFalse([note for note in result["notes"] if "download" in note["what"]])
        self.assertTrue(Draft202012Validator(json.loads(SCHEMA.read_text())).is_valid(scenario))
        command = run("scenario", "from-command", f"kenning optimize test --cfg {file} --measurements build/m.json", "--json", expect=0)
        self.assertEqual(json.loads(command.out)["scenario"], {**scenario, "report": {"folder": "build/m"}})

    def test_a_script_and_an_older_command_name_the_file(self):
        self.write("native.json", {"model_wrapper": {"type": "kenning.a.TensorFlowImageNet", "parameters": {"model_path": "m.onnx"}},
                                   "dataset": {"type": "kenning.b.ImageNetDataset", "parameters": {"dataset_root": "r"}}})
        script = self.write("native.sh", "#!/bin/bash\n\n# what it is for\npython -m kenning.scenarios.json_inference_tester \\\n    native.json ./build/native.json \\\n    --verbosity INFO\n")
        scenario = json.loads(run("scenario", "from-command", script, "--json", cwd=self.folder, expect=0).out)["scenario"]
        self.assertEqual((scenario["model"], scenario["dataset"], scenario["report"]), ({"file": "m.onnx"}, {"data": "r/images"}, {"folder": "./build/native"}))


if __name__ == "__main__":
    tool.main()
