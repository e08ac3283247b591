# SPDX-License-Identifier: Apache-2.0
"""The command lines of Edge AI tester as its documents have them, from a data set to a report; only the module's name is ours.

seed_test.py EDGEPROBE. It trains, so it runs where EDGEPROBE_KERAS_PYTHON names a Python that has Keras and TensorFlow."""
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import tool  # noqa: E402
from tool import MODELS, PATIENCE, ROOT, ToolTest, run  # noqa: E402

sys.path.insert(0, str(MODELS))
KERAS = os.environ.get("EDGEPROBE_KERAS_PYTHON", "")
WRAPPER = "edge_ai_tester.modelwrappers.classification.tensorflow_pet_dataset.TensorFlowPetDatasetMobileNetV2"
DATASET = "edge_ai_tester.datasets.pet_dataset.PetDataset"
TRAIN = f"""model_training
    {WRAPPER}
    {DATASET}
    --logdir build/logs
    --dataset-root build/pet-dataset
    --model-path build/trained-model.h5
    --batch-size 16
    --learning-rate 0.0005
    --num-epochs 1"""
ON_HOST = f"""inference_performance
    {WRAPPER}
    {DATASET}
    build/host tf-on-host
    --model-path build/trained-model.h5
    --dataset-root build/pet-dataset"""
CLIENT = f"""inference_client
    {WRAPPER}
    edge_ai_tester.compilers.tflite.TFLiteCompiler
    edge_ai_tester.runtimeprotocols.network.NetworkProtocol
    edge_ai_tester.runtimes.tflite.TFLiteRuntime
    {DATASET}
    build/target tflite-on-target
    --model-path build/trained-model.h5
    --model-framework keras
    --target default
    --compiled-model-path build/compiled-model.tflite
    --host 127.0.0.1
    --port PORT
    --packet-size 32768
    --save-model-path build/sent.tflite
    --dataset-root build/pet-dataset
    --inference-batch-size 1
    --verbosity INFO"""
SERVER = """inference_server
    edge_ai_tester.runtimeprotocols.network.NetworkProtocol
    edge_ai_tester.runtimes.tflite.TFLiteRuntime
    --host 127.0.0.1
    --port PORT
    --packet-size 32768
    --save-model-path build/received.tflite
    --verbosity INFO"""


@unittest.skipUnless(KERAS, "no Python with Keras is named (EDGEPROBE_KERAS_PYTHON)")
class SeedTest(ToolTest):
    def command(self, text, port=0):
        """`python -m edgeprobe.scenarios.NAME …`, and its environment."""
        words = shlex.split(text.replace("PORT", str(port)))
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), EDGEPROBE_BUILD=str(pathlib.Path(tool.EXECUTABLE).parent), EDGEPROBE_PYTHON=KERAS)
        return [sys.executable, "-m", f"edgeprobe.scenarios.{words[0]}", *words[1:]], environment

    def scenario(self, text, port=0):
        words, environment = self.command(text, port)
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        return done

    def test_from_a_data_set_to_a_report(self):
        import pets
        pets.write(self.folder / "build" / "pet-dataset", 6, 80, 5)
        self.scenario(TRAIN)
        trained = self.folder / "build" / "trained-model.h5"
        self.assertGreater(trained.stat().st_size, 1_000_000)

        self.scenario(ON_HOST)
        host = json.loads((self.folder / "build" / "host" / "measurements.json").read_text())
        self.assertEqual(host["model_framework"], "keras")
        self.assertEqual(len(host["eval_confusion_matrix"]), 8)
        self.assertEqual(host["total"], 48)
        report = (self.folder / "build" / "host" / "report.rst").read_text()
        for word in ("Confusion matrix", "G-mean", "mean AUC", "precision", "recall", "F1", "top-5"):
            self.assertIn(word, report)
        charts = {path.name.split("_", 2)[-1] for path in (self.folder / "build" / "host").glob("*.svg")}
        self.assertLessEqual({"time.svg", "cpu.svg", "memory.svg"}, {name.split("_")[-1] for name in charts}, charts)

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words, environment = self.command(SERVER, port)
        with subprocess.Popen(words, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            try:
                self.assertIn(str(port), server.stdout.readline())
                self.scenario(CLIENT, port)
            finally:
                server.terminate()
                server.communicate(timeout=PATIENCE)
        self.assertTrue((self.folder / "build" / "compiled-model.tflite").is_file())
        target = json.loads((self.folder / "build" / "target" / "measurements.json").read_text())
        # The same float network by another runtime gives the same answers.
        self.assertEqual(target["eval_confusion_matrix"], host["eval_confusion_matrix"])
        self.assertIn("protocol_inference_step", target)

        refused = run("run", trained, "--input-shape", "1x3x224x224", "--data", f"pets:{self.folder / 'build' / 'pet-dataset'}", "--python", KERAS,
                      "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("which is ?x224x224x3: its channels come last; give 1x224x224x3", refused.err)


if __name__ == "__main__":
    tool.main()
