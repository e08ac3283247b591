# SPDX-License-Identifier: Apache-2.0
"""Text recognisers whose outputs have the form of public ones, and greedy CTC decoding by its definition.

A model reads its scores from a picture with one row of pixels per step and one column per class. `decoded` follows PaddleOCR's
CTCLabelDecode (argmax, repeats merged, blank dropped, mean of the kept scores) in plain Python; `faults` are mistakes of apps.
"""
import itertools

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

STEPS = 24
CHARACTERS = list("0123456789abcdefghijklmnopqrstuvwxyzé漢") + ["　"]  # The last one is a wide space, which is a character.
WORDS = ["hello", "book keeper", "aa", "4711", "é漢é", "zzz9", "0 0 1 7", "", "balloon", "access", "e2e　x", "committee 3"]
# Blank, space, activation in the graph, order of the output.
FORMS = {"paddle": ("first", True, True, "steps"), "keras": ("last", False, True, "steps"), "crnn": ("first", True, False, "batch second"),
         "plates": ("last", True, False, "classes")}


def classes(form):
    return len(CHARACTERS) + 1 + FORMS[form][1]


def blank_of(form):
    return 0 if FORMS[form][0] == "first" else classes(form) - 1


def alphabet(form):
    """The text of each class, without the blank's place."""
    return CHARACTERS + [" "] * FORMS[form][1]


def model(path, form):
    """[1, 1, steps, classes] -> logits -> probabilities, in the form's order."""
    softmax, order = FORMS[form][2:]
    shape = {"steps": [1, STEPS, classes(form)], "batch second": [STEPS, 1, classes(form)], "classes": [1, classes(form), STEPS]}[order]
    first = [1, STEPS, classes(form)] if order == "classes" else shape
    nodes = [helper.make_node("Mul", ["image", "gain"], ["logits"]), helper.make_node("Reshape", ["logits", "shape"], ["rows"])]
    nodes += [helper.make_node("Softmax", ["rows"], ["scores"], axis=2)] if softmax else [helper.make_node("Identity", ["rows"], ["scores"])]
    nodes += [helper.make_node("Transpose", ["scores"], ["output0"], perm=[0, 2, 1])] if order == "classes" else [helper.make_node("Identity", ["scores"], ["output0"])]
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph(nodes, form, [value("image", [1, 1, STEPS, classes(form)])], [value("output0", shape)],
                              [numpy_helper.from_array(np.array(9, np.float32), "gain"), numpy_helper.from_array(np.array(first, np.int64), "shape")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path


def line_model(path, with_dictionary):
    """A recogniser of PP-OCR's form: a line of 48 rows, one step for 8 columns, and RapidOCR's dictionary in the metadata."""
    count = len(CHARACTERS) + 2
    nodes = [helper.make_node("Conv", ["x", "w"], ["maps"], strides=[48, 8]), helper.make_node("Squeeze", ["maps", "rows"], ["columns"]),
             helper.make_node("Transpose", ["columns"], ["logits"], perm=[0, 2, 1]), helper.make_node("Softmax", ["logits"], ["y"], axis=2)]
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    weights = np.random.default_rng(4).normal(0, 0.1, (count, 3, 48, 8)).astype(np.float32)
    graph = helper.make_graph(nodes, "line", [value("x", [1, 3, 48, 320])], [value("y", [1, 40, count])], [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([2], np.int64), "rows")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    if with_dictionary:
        helper.set_model_props(made, {"character": "\n".join(CHARACTERS)})
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path


def words(form):
    return [word if FORMS[form][1] else word.replace(" ", "") for word in WORDS]


def pictures(folder, form):
    """One picture per word: characters take one to three steps, with blanks between equal ones and sometimes elsewhere."""
    folder.mkdir(exist_ok=True)
    for k, word in enumerate(words(form)):
        dice, path = np.random.default_rng(k), []
        letters = [alphabet(form).index(letter) + (FORMS[form][0] == "first") for letter in word]
        for i, letter in enumerate(letters):
            if i and (letters[i - 1] == letter or dice.random() < 0.4) and len(path) + 2 * (len(letters) - i) <= STEPS:
                path.append(blank_of(form))
            path += [letter] * (1 + (dice.random() < 0.4 and len(path) + 2 * (len(letters) - i) < STEPS))
        path += [blank_of(form)] * (STEPS - len(path))
        pixels = dice.integers(0, 120, (STEPS, classes(form)), dtype=np.uint8)
        pixels[np.arange(STEPS), path] = dice.integers(170, 256, STEPS)
        Image.fromarray(pixels).save(folder / f"w{k:02}.png")


def rows(output, form):
    """[steps, classes] of an output as it is stored."""
    return np.squeeze(output).T if FORMS[form][3] == "classes" else np.squeeze(output)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def decoded(output, form, faults=()):
    """Text and confidence of one frame's output."""
    scores = rows(output, form).astype(np.float32)
    if not FORMS[form][2] and "no softmax" not in faults or "softmax again" in faults:
        scores = softmax(scores)
    blank, letters, count = blank_of(form), alphabet(form), classes(form)
    is_first = FORMS[form][0] == "first"
    if "other blank" in faults:
        is_first, blank = not is_first, count - 1 - blank
    best, path = scores.max(1), scores.argmax(1)
    if "no merging" in faults:
        kept = [i for i in range(len(path)) if path[i] != blank]
    elif "blanks first" in faults:
        kept = [group[0] for _, group in ((key, list(group)) for key, group in itertools.groupby((i for i in range(len(path)) if path[i] != blank), key=lambda i: path[i]))]
    else:
        kept = [group[0] for group in (list(group) for _, group in itertools.groupby(range(len(path)), key=lambda i: path[i])) if path[group[0]] != blank or "blanks kept" in faults]
    shift = ("next line" in faults) - ("line before" in faults)
    text = ""
    for i in kept:
        at = path[i] - is_first + shift
        if path[i] == blank:
            text += "-"
        elif 0 <= at < len(letters) and not ("no space" in faults and letters[at] == " "):
            text += letters[at]
    if "all steps" in faults:
        return text, float(best.mean())
    return text, float(best[kept].mean()) if kept else 0.0
