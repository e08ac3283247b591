# SPDX-License-Identifier: Apache-2.0
"""Answers of classes of Kenning by Kenning's own calls, for kenning_test.py; imports nothing of edgeprobe.

cases.py FOLDER [first]: a folder for each case, with case.json and expected.npz. Run by a Python that has Kenning, or with a stand-in on its path;
first: of classes for the first release."""
import importlib
import json
import pathlib
import random
import sys

import numpy as np

HERE, HOME = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[1])
RANDOM = np.random.default_rng(5)


def start(seed):
    """As edgeprobe does before it makes a data set and before each sample."""
    random.seed(seed)
    np.random.seed(seed)


def write(name, expected, **case):
    folder = HOME / name
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "expected.npz", **{f"{i} {j}": array for i, arrays in enumerate(expected) for j, array in enumerate(arrays)})
    (folder / "case.json").write_text(json.dumps({**case, "samples": len(expected)}))
    print("made", name)


def described(arrays, name):
    """Inputs for a model that takes these arrays."""
    return [[f"{name}{j}", "float32" if one.dtype == "float64" else one.dtype.name, list(one.shape)] for j, one in enumerate(arrays)]


def dataset_case(name, plugin, data, rows, names, labels, boxes=None):
    """One whose samples and labels are those of these rows, prepared one at a time."""
    samples = []
    for at, row in enumerate(rows):
        start(at)
        samples.append([np.asarray(one) for one in data.prepare_input_samples([row])])
    write(name, [[one.astype("float32") if one.dtype == "float64" else one for one in arrays] for arrays in samples], kind="dataset", plugin=plugin,
          inputs=described(samples[0], "x"), names=names, labels=labels, boxes=boxes)


def engine_case(name, plugin, model, inputs, samples, answer, outputs):
    """``answer`` is Kenning's for one list of inputs."""
    folder = HOME / name
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "data.npz", **{key: np.stack([arrays[j] for arrays in samples]) for j, (key, *_) in enumerate(inputs)})
    write(name, [[np.asarray(one) for one in answer([one.copy() for one in arrays])] for arrays in samples], kind="engine", plugin=plugin, model=str(model),
          inputs=inputs, outputs=outputs)


def truths(data):
    """The number of each sample's class, by Kenning's own preparation of the outputs."""
    return [int(np.argmax(np.asarray(data.prepare_output_samples([y])[0]).reshape(-1))) for y in data.dataY]


def rows(count, *shape):
    return [[RANDOM.normal(0, 2, shape).astype("float32")] for _ in range(count)]


def points():
    root = HOME / "points"
    root.mkdir(parents=True)
    (root / "points.csv").write_text("".join(",".join(f"{one:.3f}" for one in RANDOM.normal(size=4)) + f",{i % 3}\n" for i in range(15)))
    return root


def weights():
    np.save(HOME / "weights.npy", RANDOM.normal(size=(4, 3)).astype("float32"))
    return HOME / "weights.npy"


def users():
    """The classes of classes.py."""
    sys.path.insert(0, str(HERE))
    from classes import Linear, LinearRuntime, Points

    root, model, file = points(), weights(), HERE / "classes.py"
    numbers = [f"{i:06d}" for i in range(15)]
    for name, options, values in (("plain", "", {}), ("columns", "&columns=2,0&factor=3", {"columns": [2, 0], "factor": 3.0}), ("noisy", "&sample_form=noisy", {"sample_form": "noisy"})):
        start(0)
        data = Points.from_json({"dataset_root": str(root), "download_dataset": False, **values})
        dataset_case(f"points_{name}", f"{file}:Points?dataset_root={root}{options}", data, data.dataX, numbers, truths(data))
    for part in ("train", "test"):
        chosen = getattr(data, f"iter_{part}")().indices
        dataset_case(f"points_{part}", f"{file}:Points?dataset_root={root}&split={part}&sample_form=noisy", data, [data.dataX[i] for i in chosen],
                     numbers[:len(chosen)], [truths(data)[i] for i in chosen])

    wrapper = Linear.from_json({"model_path": str(model), "temperature": 0.5}, dataset=data, from_file=True)
    wrapper.prepare_model()
    plugin = f"{file}:Linear?temperature=0.5&dataset={file}:Points&dataset.dataset_root={root}"
    engine_case("linear", plugin, model, [["standardized", "float32", [1, 4]]], rows(4, 1, 4), wrapper.run_inference, [["scores", "float32", [1, 3]]])
    engine_case("linear_whole", plugin + "&io=dataset", model, [["row", "float32", [1, 4]]], rows(4, 1, 4),
                lambda X: wrapper._postprocess_outputs(wrapper.run_inference(wrapper._preprocess_input(X))),
                [["shares", "float32", [1, 3]], ["kept", "float32", [1, -1]]])

    prepared = []
    for at, row in enumerate(data.dataX):
        start(at)
        prepared.append([np.asarray(one) for one in wrapper._preprocess_input(data.prepare_input_samples([row]))])
    write("points_prepared", prepared, kind="dataset", plugin=f"{file}:Points?dataset_root={root}&sample_form=noisy&model_wrapper={file}:Linear&model_wrapper.model_path={model}",
          inputs=described(prepared[0], "x"), names=numbers, labels=truths(data), boxes=None)

    runtime = LinearRuntime.from_json({"save_model_path": str(model)})
    codes = {"dtype": "int8", "prequantized_dtype": "float32", "scale": 0.5, "zero_point": 3}
    for name, told, samples in (("real", {"dtype": "float32"}, rows(3, 1, 4)), ("codes", codes, [[RANDOM.integers(-128, 128, (1, 4), "int8")] for _ in range(3)])):
        said = {"input": [{"name": "row", "shape": [1, 4], **told}], "output": [{"name": "scores", "shape": [1, 3], **told}]}
        (HOME / f"{name}.json").write_text(json.dumps(said))
        runtime.prepare_io_specification(json.dumps(said).encode())
        runtime.prepare_model(None)

        def answer(X, runtime=runtime):
            runtime.load_input(X)
            runtime.run()
            return runtime.extract_output()

        engine_case(f"runtime_{name}", f"{file}:LinearRuntime?io_spec={HOME}/{name}.json", model, [["row", told["dtype"], [1, 4]]], samples, answer,
                    [["scores", told["dtype"], [1, 3]]])


def first():
    """The classes of first_classes.py."""
    sys.path.insert(0, str(HERE))
    from first_classes import Linear, LinearRuntime, Points

    root, model, file = points(), weights(), HERE / "first_classes.py"
    data = Points(root, factor=2.5)
    chosen = data.train_test_split_representations()
    dataset_case("points", f"{file}:Points?dataset_root={root}&factor=2.5", data, data.dataX, [f"{i:06d}" for i in range(15)], truths(data))
    dataset_case("points_test", f"{file}:Points?dataset_root={root}&factor=2.5&split=test", data, chosen[1], [f"{i:06d}" for i in range(len(chosen[1]))],
                 list(map(int, chosen[3])))
    wrapper = Linear(model, None)
    engine_case("linear", f"{file}:Linear", model, [["row", "float32", [1, 4]]], rows(3, 1, 4), lambda X: [wrapper.run_inference(X[0])],
                [["output_0", "float32", [1, 3]]])
    engine_case("linear_whole", f"{file}:Linear?io=dataset", model, [["row", "float32", [1, 4]]], rows(3, 1, 4),
                lambda X: [wrapper._postprocess_outputs(wrapper.run_inference(wrapper._preprocess_input(list(X[0]))))], [["output_0", "float32", [1, 3]]])
    (HOME / "weights.npy.json").write_text(json.dumps({"input": [{"name": "row", "shape": [1, 4], "dtype": "float32"}],
                                                       "output": [{"name": "scores", "shape": [1, 3], "dtype": "float32"}]}))
    table = np.load(model)
    engine_case("runtime", f"{file}:LinearRuntime", model, [["row", "float32", [1, 4]]], rows(3, 1, 4), lambda X: [X[0] @ table], [["scores", "float32", [1, 3]]])


def picture(path, width, height):
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(RANDOM.integers(0, 256, (height, width, 3), "uint8")).save(path)


def pets():
    root, lines = HOME / "pets", ["#Image CLASS-ID SPECIES BREED-ID"]
    for label, breed in enumerate(("Abyssinian", "american_bulldog", "Bengal")):
        for i in range(8):
            picture(root / "images" / f"{breed}_{i}.jpg", 60 + 10 * label + i, 50 + i)
            lines.append(f"{breed}_{i} {label + 1} {1 if label != 1 else 2} 1")
    (root / "annotations").mkdir()
    (root / "annotations" / "list.txt").write_text("\n".join(lines) + "\n")
    PetDataset = importlib.import_module("kenning.datasets.pet_dataset").PetDataset
    for layout in ("NHWC", "NCHW"):
        data = PetDataset.from_json({"dataset_root": str(root), "download_dataset": False, "image_memory_layout": layout})
        dataset_case(f"pets_{layout}", f"python:kenning:PetDataset?dataset_root={root}&image_memory_layout={layout}", data, data.dataX,
                     [f"images/{pathlib.Path(x).name}" for x in data.dataX], truths(data))
    # Kenning's own loop over its test part.
    prepared = [(np.asarray(X[0]), int(np.argmax(y[0]))) for X, y in data.iter_test()]
    write("pets_test", [[x] for x, _ in prepared], kind="dataset", plugin=f"python:kenning:PetDataset?dataset_root={root}&image_memory_layout=NCHW&split=test",
          inputs=described([prepared[0][0]], "x"), names=[f"images/{pathlib.Path(data.dataX[i]).name}" for i in data.iter_test().indices], labels=[y for _, y in prepared], boxes=None)
    return data, root


def images():
    root, labels = HOME / "imagenet", {}
    for i in range(6):
        picture(root / "images" / f"a{i}.png", 40 + i, 30)
        labels[f"a{i}.png"] = int(RANDOM.integers(0, 1000))
    (root / "labels.json").write_text(json.dumps(labels))
    ImageNetDataset = importlib.import_module("kenning.datasets.imagenet_dataset").ImageNetDataset
    data = ImageNetDataset.from_json({"dataset_root": str(root), "download_dataset": False, "preprocess_type": "torch"})
    dataset_case("imagenet", f"python:kenning:ImageNetDataset?dataset_root={root}&preprocess_type=torch", data, data.dataX,
                 [f"images/{name}" for name in labels], list(labels.values()))


def wands():
    root = HOME / "wand"
    for label in ("wing", "ring", "slope", "negative"):
        (root / label).mkdir(parents=True)
        lines = ["-,-,-"]
        for length in (150, 170):
            lines += [",".join(f"{one:.1f}" for one in RANDOM.normal(0, 300, 3)) for _ in range(length)] + ["-,-,-"]
        (root / label / "output.txt").write_text("\n".join(lines) + "\n")
    MagicWandDataset = importlib.import_module("kenning.datasets.magic_wand_dataset").MagicWandDataset
    start(0)
    data = MagicWandDataset.from_json({"dataset_root": str(root), "download_dataset": False})
    dataset_case("wand", f"python:kenning:MagicWandDataset?dataset_root={root}", data, data.dataX,
                 [f"{i:06d}" for i in range(len(data.dataX))], truths(data))
    return data, root


def objects():
    root, pictures, boxes = HOME / "coco", [], []
    for i in range(4):
        picture(root / "val2017" / f"{i:012d}.jpg", 80, 60)
        pictures.append({"id": i + 1, "file_name": f"{i:012d}.jpg", "width": 80, "height": 60})
        for b in range(0 if i == 2 else 1 + i):
            boxes.append({"id": len(boxes) + 1, "image_id": i + 1, "category_id": 1 + b % 2 * 2, "bbox": [5 + b, 6.5, 20 + i, 10], "area": 200, "iscrowd": int(b == 2)})
    (root / "annotations").mkdir()
    (root / "annotations" / "instances_val2017.json").write_text(json.dumps(
        {"images": pictures, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}, {"id": 3, "name": "dog"}]}))
    COCODataset2017 = importlib.import_module("kenning.datasets.coco_dataset").COCODataset2017
    data = COCODataset2017.from_json({"dataset_root": str(root), "download_dataset": False, "image_width": 160, "image_height": 120})
    # In pixels of the pictures that the model gets, twice as large as the files.
    told = [[[(one["category_id"] - 1) // 2, *(2 * v for v in one["bbox"]), 4 * one["bbox"][2] * one["bbox"][3], one["iscrowd"]] for one in boxes if one["image_id"] == i + 1]
            for i in range(4)]
    dataset_case("coco", f"python:kenning:COCODataset2017?dataset_root={root}&image_width=160&image_height=120", data, data.dataX,
                 [f"val2017/{i:012d}.jpg" for i in range(4)], None, told)


def randoms():
    RandomizedClassificationDataset = importlib.import_module("kenning.datasets.random_dataset").RandomizedClassificationDataset
    start(0)
    data = RandomizedClassificationDataset.from_json({"dataset_root": str(HOME / "none"), "download_dataset": False, "num_samples": 7, "input_dims": [4, 3]})
    named = all(isinstance(x, str) for x in data.dataX)
    dataset_case("random", f"python:kenning:RandomizedClassificationDataset?dataset_root={HOME}/none&num_samples=7&input_dims=4,3", data, data.dataX,
                 [f"images/{i}.jpg" if named else f"{i:06d}" for i in range(7)], truths(data))


def wand_wrapper():
    data, root = wands()
    Wrapper = importlib.import_module("kenning.modelwrappers.classification.tflite_magic_wand").MagicWandModelWrapper
    model = HOME / "wand.h5"
    Wrapper(model, data, from_file=False).prepare_model()
    wrapper = Wrapper(model, data, from_file=True)
    wrapper.prepare_model()
    plugin = ("python:kenning:MagicWandModelWrapper?dataset=kenning:MagicWandDataset"
              f"&dataset.dataset_root={root}")
    out = [["out_layer", "float32", [1, 4]]]
    engine_case("wand_wrapper", plugin, model, [["input_1", "float32", [1, 128, 3, 1]]], rows(3, 1, 128, 3, 1), wrapper.run_inference, out)
    engine_case("wand_wrapper_whole", plugin + "&io=dataset", model, [["input_1", "float32", [1, 128, 3]]], rows(3, 1, 128, 3),
                lambda X: wrapper._postprocess_outputs(wrapper.run_inference(wrapper._preprocess_input(X))), out)
    import tensorflow as tf

    converter = tf.lite.TFLiteConverter.from_keras_model(wrapper.model)
    (HOME / "wand.tflite").write_bytes(converter.convert())
    (HOME / "wand.tflite.json").write_text(json.dumps({"input": [{"name": "input_1", "shape": [1, 128, 3, 1], "dtype": "float32"}],
                                                       "output": [{"name": "out_layer", "shape": [1, 4], "dtype": "float32"}]}))
    runtime_case("tflite", "kenning.runtimes.tflite", "TFLiteRuntime", HOME / "wand.tflite", [["input_1", "float32", [1, 128, 3, 1]]], out)


    prepared = [[np.asarray(wrapper._preprocess_input(data.prepare_input_samples([x]))[0])] for x in data.dataX]
    write("wand_prepared", prepared, kind="dataset", plugin=f"python:kenning:MagicWandDataset?dataset_root={root}&model_wrapper=kenning:MagicWandModelWrapper"
          f"&model_wrapper.model_path={model}", inputs=described(prepared[0], "x"), names=[f"{i:06d}" for i in range(len(prepared))], labels=truths(data), boxes=None)


def pet_wrapper():
    data, root = pets()
    import tensorflow as tf

    Wrapper = importlib.import_module("kenning.modelwrappers.classification.tensorflow_pet_dataset").TensorFlowPetDatasetMobileNetV2
    layers = tf.keras.layers
    tf.keras.Sequential([layers.InputLayer(input_shape=(224, 224, 3)), layers.Conv2D(4, 7, strides=4), layers.GlobalAveragePooling2D(), layers.Dense(3)]).save(
        HOME / "pets.h5", save_format="h5")
    wrapper = Wrapper(HOME / "pets.h5", data, from_file=True)
    wrapper.prepare_model()
    engine_case("pet_wrapper", "python:kenning:TensorFlowPetDatasetMobileNetV2"
                f"?dataset=kenning:PetDataset&dataset.dataset_root={root}", HOME / "pets.h5", [["input_1", "float32", [1, 224, 224, 3]]],
                rows(2, 1, 224, 224, 3), wrapper.run_inference, [["out_layer", "float32", [1, 3]]])


def tree_wrapper():
    import joblib
    from sklearn.tree import DecisionTreeClassifier

    TabularDataset = importlib.import_module("kenning.datasets.tabular_dataset").TabularDataset
    Wrapper = importlib.import_module("kenning.modelwrappers.classification.sklearn_generic_decision_tree").SKLearnGenericDecisionTreeClassifier
    table, root = HOME / "table.csv", HOME / "table"
    values = np.array([[k, k * 2 % 7, k * 3 % 5] for k in range(20)])
    table.write_text("a,b,c,y\n" + "".join(",".join(map(str, row)) + f",{k % 2}\n" for k, row in enumerate(values.tolist())))
    joblib.dump(DecisionTreeClassifier(random_state=0).fit(values, np.arange(20) % 2), HOME / "tree.pkl")
    told = {"dataset_root": str(root), "dataset_path": str(table), "cols_x": ["a", "b", "c"], "col_y": "y", "expand_classes": False}
    data = TabularDataset.from_json(told)  # "downloads" the table into its folder
    options = f"dataset_root={root}&dataset_path={table}&cols_x=a,b,c&col_y=y&expand_classes=false"
    where = "python:kenning:TabularDataset"
    dataset_case("table", f"{where}?{options}", data, data.dataX, [f"{i:06d}" for i in range(20)], [k % 2 for k in range(20)])
    wrapper = Wrapper.from_json({"model_path": str(HOME / "tree.pkl")}, dataset=data, from_file=True)
    wrapper.prepare_model()
    named = "&".join("dataset." + one for one in options.split("&"))
    engine_case("tree", f"python:{Wrapper.__module__}:{Wrapper.__name__}?dataset={where}&{named}", HOME / "tree.pkl",
                [["input_1", "int64", [1, 3]]], [[values[k:k + 1]] for k in (0, 3, 8)], wrapper.run_inference,
                [["classification_result", "int64", [1]], ["class_probabilities", "int64", [1, 2]]])


def onnx_runtime():
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    table = numpy_helper.from_array((RANDOM.normal(size=(6, 4)) / 5).astype("float32"), "w")
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["s"]), helper.make_node("Softmax", ["s"], ["y"])], "g",
                              [value("x", TensorProto.FLOAT, [1, 6])], [value("y", TensorProto.FLOAT, [1, 4])], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, HOME / "net.onnx")
    runtime_case("onnx", "kenning.runtimes.onnx", "ONNXRuntime", HOME / "net.onnx", [["x", "float32", [1, 6]]], [["y", "float32", [1, 4]]])


def runtime_case(name, module, cls, model, inputs, outputs):
    runtime = getattr(importlib.import_module(module), cls)(model_path=model)
    runtime.prepare_io_specification(None)
    runtime.prepare_model(None)

    def answer(X):
        runtime.load_input(X)
        runtime.run()
        return runtime.extract_output()

    engine_case(name, f"python:{module}:{cls}", model, inputs, rows(3, *inputs[0][2]), answer, outputs)


def main():
    if "first" in sys.argv[2:]:
        return first()
    users()
    if not hasattr(importlib.import_module("kenning"), "__path__") or "stand_in" in str(importlib.import_module("kenning").__file__):
        return None
    for made in (pet_wrapper, images, wand_wrapper, objects, randoms, tree_wrapper, onnx_runtime):
        try:
            made()
        except ImportError as error:
            print(f"skipped: {made.__name__}: {error}")
    return None


main()
