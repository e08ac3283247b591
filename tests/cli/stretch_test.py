# SPDX-License-Identifier: Apache-2.0
"""stretch regions: compared with a brute-force search over ONNX's own graph; each branch that it cuts computes the same in ONNX Runtime and
LiteRT as in the whole model."""
import itertools
import json
import sys

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter

import tool
from tool import MODELS, ROOT, SHARED, run

sys.path.insert(0, str(ROOT / "bench" / "stretch"))
import nets  # noqa: E402

INCEPTION = MODELS / "inception_like.onnx"
# The available models beyond the project's own.
FURTHER = [path for name in ("light_squeezenet", "version-RFB-320_without_postprocessing") for path in sorted(SHARED.glob(f"models/**/{name}.onnx"))]


def found_by_brute_force(path):
    """{(fork, join, {branch, ...})} as node indices, None for the inputs and the outputs; and the constant nodes. All paths from u meet in node v if no
    output can be reached from u without v."""
    graph = onnx.load(path).graph
    stored = {one.name for one in graph.initializer}
    maker = {name: i for i, node in enumerate(graph.node) for name in node.output}
    constant = set()
    for i, node in enumerate(graph.node):
        if all(name in stored or name == "" or maker.get(name) in constant for name in node.input):
            constant.add(i)
    SOURCE, SINK = -1, len(graph.node)
    after = {i: set() for i in (*range(-1, len(graph.node) + 1),)}
    for i, node in enumerate(graph.node):
        if i not in constant:
            for name in node.input:
                if name and name not in stored and maker.get(name) not in constant:
                    after[maker.get(name, SOURCE)].add(i)
    for output in graph.output:
        after[maker[output.name]].add(SINK)
    before = {i: {j for j in after if i in after[j]} for i in after}

    regions = set()

    def add(fork, allowed):
        """The region of the paths from this node through these nodes. If one part has all the work, the region of the paths through that part."""
        def ways(start, without=None):
            """The nodes reached only through these nodes, and whether other nodes are reached."""
            seen, open_, left = set(), [start], False
            while open_:
                at = open_.pop()
                for one in after[at]:
                    if one == without or one in seen:
                        continue
                    if one in allowed:
                        seen.add(one)
                        open_.append(one)
                    elif at != fork or whole:
                        left = True
            return seen, left

        whole = len(allowed) == SINK + 1
        behind, _ = ways(fork)
        meeting = [v for v in sorted(behind) if not ways(fork, without=v)[1]]
        join = meeting[0] if meeting else SINK
        if not whole and not meeting:
            return
        inside = ways(fork, without=join)[0]
        parts = set()
        while inside:
            part, open_ = set(), [min(inside)]
            while open_:
                one = open_.pop()
                if one in inside:
                    inside.remove(one)
                    part.add(one)
                    open_ += before[one] | after[one]
            if all(before[one] <= part | {fork} for one in part):
                parts.add(frozenset(part))
        working = [part for part in parts if any(graph.node[i].op_type in ("Conv", "Gemm", "MatMul") for i in part)]
        if len(working) > 1:
            regions.add((fork if fork >= 0 else None, join if join < SINK else None, frozenset(parts)))
        elif working and len(after[fork] & working[0]) > 1:
            add(fork, working[0])

    for fork in range(-1, len(graph.node)):
        if fork not in constant and len(after[fork]) > 1:
            add(fork, frozenset(range(-1, SINK)))
    return regions, constant


class Stretch(tool.ToolTest):
    def regions(self, model, *flags):
        return json.loads(run("stretch", "regions", model, "--json", "-", *flags, expect=0).out)

    def test_regions_are_those_of_a_search_by_brute_force(self):
        attention = self.folder / "attention.onnx"
        onnx.save(nets.NETS["attention_4"](), attention)
        for path in [INCEPTION, attention, *FURTHER]:
            with self.subTest(path.name):
                right, constant = found_by_brute_force(path)
                told = set()
                for region in self.regions(path)["regions"]:
                    # Constants belong to the layers that read them.
                    branches = frozenset(frozenset(branch["layers"]) - constant for branch in region["branches"])
                    ends = (region[key] and region[key]["layer"] for key in ("from", "to"))
                    told.add((*ends, branches))
                self.assertEqual(told, right)
                self.assertGreater(len(told), 0)

    def test_a_branch_that_is_cut_computes_what_it_computes_in_the_model(self):
        for path in [INCEPTION, *FURTHER]:
            with self.subTest(path.name):
                cut = self.folder / path.stem
                told = self.regions(path, "--cut", cut)
                whole = onnx.load(path)
                names = {name for region in told["regions"] for branch in region["branches"] for name in branch["inputs"] + branch["outputs"]}
                known = {one.name for one in (*whole.graph.input, *whole.graph.output)}
                whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in sorted(names - known))
                options = onnxruntime.SessionOptions()
                # Fused layers have no outputs of their own.
                options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
                session = onnxruntime.InferenceSession(whole.SerializeToString(), options)
                feed = session.get_inputs()[0]
                values = {feed.name: np.random.default_rng(1).random([1 if isinstance(d, str) or d is None else d for d in feed.shape], np.float32)}
                values.update(zip((one.name for one in session.get_outputs()), session.run(None, values)))
                pieces = 0
                for r, region in enumerate(told["regions"], 1):
                    for b, branch in enumerate(region["branches"], 1):
                        piece = onnxruntime.InferenceSession(cut / f"region-{r}-branch-{b}.onnx", options)
                        self.assertEqual([one.name for one in piece.get_inputs()], branch["inputs"])
                        answers = piece.run(branch["outputs"], {name: values[name] for name in branch["inputs"]})
                        for name, answer in zip(branch["outputs"], answers):
                            np.testing.assert_array_equal(answer, values[name])
                            pieces += 1
                        self.assertEqual(branch["bytes_out"], sum(answer.nbytes for answer in answers))
                self.assertGreaterEqual(pieces, 2)

    def test_a_branch_of_a_tflite_runs(self):
        path = next(SHARED.glob("models/**/version-RFB-320_without_postprocessing.tflite"), None)
        if path is None:
            self.skipTest(f"there is no version-RFB-320_without_postprocessing.tflite in {SHARED} (EDGEPROBE_SHARED_DATA)")
        told = self.regions(path, "--cut", self.folder / "cut")
        whole = Interpreter(str(path), experimental_preserve_all_tensors=True, num_threads=1)
        whole.allocate_tensors()
        feed = whole.get_input_details()[0]
        whole.set_tensor(feed["index"], np.random.default_rng(1).random(feed["shape"], np.float32))
        whole.invoke()
        values = {one["name"]: whole.get_tensor(one["index"]) for one in whole.get_tensor_details() if one["name"]}
        for b, branch in enumerate(told["regions"][0]["branches"], 1):
            piece = Interpreter(str(self.folder / "cut" / f"region-1-branch-{b}.tflite"), num_threads=1)
            piece.allocate_tensors()
            for one in piece.get_input_details():
                piece.set_tensor(one["index"], values[one["name"]])
            piece.invoke()
            for one in piece.get_output_details():
                np.testing.assert_allclose(piece.get_tensor(one["index"]), values[one["name"]], rtol=1e-5, atol=1e-6)

    def test_work_is_summed_and_the_longest_way_limits(self):
        told = self.regions(INCEPTION)
        layers = json.loads(run("inspect", INCEPTION, "--json", "-", expect=0).out)["layers"]
        macs = [layer["macs"] for layer in layers]
        self.assertEqual(told["macs"], sum(macs))
        gain = 0
        for region in told["regions"]:
            work = [sum(macs[i] for i in branch["layers"]) for branch in region["branches"]]
            self.assertEqual(work, [branch["macs"] for branch in region["branches"]])
            # Of all assignments of four branches to two processors, the longest-first one is reported.
            least = min(max(sum(w for w, s in zip(work, sides) if s), sum(w for w, s in zip(work, sides) if not s)) for sides in itertools.product((0, 1), repeat=len(work)))
            gain += sum(work) - least
        self.assertAlmostEqual(told["speed_up"]["2"], sum(macs) / (sum(macs) - gain))
        self.assertGreaterEqual(told["limit"], told["speed_up"]["4"])
        self.assertIn("each branch on one of two equal processors 1.62 times", run("stretch", "regions", INCEPTION, expect=0).out)

    def test_a_chain_and_bad_input_are_told(self):
        out = run("stretch", "regions", MODELS / "signs_float.tflite", expect=0).out
        self.assertIn("no branches with work that lie side by side", out)
        self.assertIn("at most 1 times, since the longest way has 100.0 % of the work", out)
        self.assertIn("nowhere.onnx", run("stretch", "regions", "nowhere.onnx", expect=1).err)
        cut = self.folder / "cut"
        run("stretch", "regions", INCEPTION, "--cut", cut, expect=0)
        self.assertEqual(len(list(cut.iterdir())), 12)
        self.assertIn("exists; give another --cut", run("stretch", "regions", INCEPTION, "--cut", cut, expect=2).err)
        run("stretch", "regions", INCEPTION, "--cut", cut, "--force", expect=0)
        (self.folder / "file").write_text("")
        self.assertIn("cannot make the folder", run("stretch", "regions", INCEPTION, "--cut", self.folder / "file" / "x", expect=1).err)


if __name__ == "__main__":
    tool.main()
