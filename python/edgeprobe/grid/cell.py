# SPDX-License-Identifier: Apache-2.0
"""The process of one cell: 'describe' a framework, 'export' a model, 'import' a file, or find the 'cause' of a difference."""
from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import resource
import sys
import time
import traceback

from . import frameworks, importers, statuses
from .statuses import DIFFERS, ERROR, INVALID, SUPPORTED, UNVERIFIED, Refusal
from .watch import guard


def main(words: list[str]) -> None:
    with open(words[0], encoding="utf-8") as file:
        request = json.load(file)
    guard(request["parent"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (request["disk"], request["disk"]))
    try:
        answer = KINDS[request["kind"]](request)
    except (Exception, SystemExit) as error:  # A tool may raise anything; the log has the traceback.
        traceback.print_exc()
        status, reason = statuses.of_error(error)
        answer = {"status": status, "reason": reason, "versions": versions_of(request.get("packages", ()))}
    with open(words[1] + ".part", "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os.replace(words[1] + ".part", words[1])
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads and destructors of a framework may hang, so end without them.
    os._exit(0)


def versions_of(packages) -> dict[str, str]:
    """Version of each distribution that is installed, without importing one."""
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def describe(request: dict) -> dict:
    module = frameworks.load(request["adapter"])
    return {"name": module.NAME, "packages": list(module.PACKAGES), "models": list(module.MODELS), "versions": versions_of(module.PACKAGES),
            "missing": [name for name in module.MODULES if importlib.util.find_spec(name) is None],
            "importer_versions": {name: versions_of(packages) for name, packages in importers.PACKAGES.items()},
            "python": ".".join(map(str, sys.version_info[:3]))}


def export(request: dict) -> dict:
    """Builds the model, keeps its inputs and outputs, and exports it."""
    import numpy

    from . import numbers

    module, folder = frameworks.load(request["adapter"]), request["folder"]
    case = module.build(request["name"], request["seed"])
    own = [case.run(sample) for sample in case.samples]
    for sample in own:
        for i, value in enumerate(sample):
            if numpy.asarray(value).dtype.kind == "f" and not numpy.isfinite(value).all():
                raise Refusal(UNVERIFIED, f"the model's own output {i} has NaN or infinity, so nothing can be compared")
    moved, _ = numbers.worst([case.run(numbers.nudged(sample, request["seed"])) for sample in case.samples], own, [])
    numpy.savez(os.path.join(folder, "outputs.npz"), **{f"{s}/{i}": value for s, sample in enumerate(own) for i, value in enumerate(sample)})
    saved = case.save(folder)
    path = os.path.join(folder, "model.onnx")
    begin = time.monotonic()
    case.export(path)
    answer = {"status": SUPPORTED, "seconds": time.monotonic() - begin, "versions": versions_of(module.PACKAGES), "saved": saved,
              "sensitivity": moved if numpy.isfinite(moved) else None, "samples": len(own), "own_outputs": len(own[0])}
    answer |= examined(path, case.samples, folder)
    made = [file for file in os.listdir(folder) if file.startswith("model.onnx") or file in ("inputs.npz", "outputs.npz", saved.get("model"))]
    return answer | {"made": sorted(made)}


def examined(path: str, samples: list, folder: str) -> dict:
    """What the file says, whether `onnx.checker` accepts it, and the inputs under its names."""
    import numpy
    import onnx

    model = onnx.load(path, load_external_data=False)
    constants = {one.name for one in model.graph.initializer}
    names = [one.name for one in model.graph.input if one.name not in constants]
    facts = {"ir": model.ir_version, "opsets": sorted({(one.domain or "ai.onnx", one.version) for one in model.opset_import}),
             "nodes": len(model.graph.node), "inputs": names, "outputs": [one.name for one in model.graph.output],
             "bytes": sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder) if file.startswith("model.onnx"))}
    if len(names) != len(samples[0]):
        return facts | {"status": ERROR, "reason": f"the file has {len(names)} inputs, the model {len(samples[0])}"}
    numpy.savez(os.path.join(folder, "inputs.npz"), **{name: numpy.stack([sample[i] for sample in samples]) for i, name in enumerate(names)})
    try:
        onnx.checker.check_model(path)
    except Exception as error:  # It raises ValidationError, and other types for some files.
        return facts | {"status": INVALID, "reason": statuses.sentence(error)}
    return facts


def read_samples(request: dict) -> tuple[list, list]:
    """The inputs and the framework's own outputs of each sample."""
    import numpy

    with numpy.load(request["inputs_file"]) as arrays:
        inputs = [[arrays[name][sample] for name in request["inputs"]] for sample in range(request["samples"])]
    with numpy.load(request["outputs_file"]) as arrays:
        own = [[arrays[f"{sample}/{i}"] for i in range(request["own_outputs"])] for sample in range(request["samples"])]
    return inputs, own


def import_file(request: dict) -> dict:
    """Lets an importer compute the file, and compares."""
    import numpy

    from . import numbers
    from .numbers_rule import HOPELESS, NUDGE, THRESHOLD, limit_of

    inputs, own = read_samples(request)
    importer = importlib.import_module(f"{importers.__name__}.{importers.IMPORTERS[request['importer']][1]}")
    try:
        found, seconds = importer.run(request, inputs)
    except Refusal as refusal:
        if refusal.found is None:
            raise
        raise Refusal(refusal.status, f"{refusal}; {refusal.tried} {outcome_of(refusal.found, own)}") from refusal
    error, where = numbers.worst(found, own, request["outputs"])
    numpy.savez(request["found_file"], **{f"{s}/{i}": value for s, sample in enumerate(found) for i, value in enumerate(sample)})
    if not any(value.size for sample in own for value in sample):
        return {"status": UNVERIFIED, "reason": "the importer works, but the model's own outputs are empty", "versions": versions_of(request["packages"])}
    sensitivity = request["sensitivity"]
    answer = {"versions": versions_of(request["packages"]), "read_seconds": seconds, "error": error if numpy.isfinite(error) else None}
    if sensitivity is None or sensitivity > HOPELESS:
        if error <= THRESHOLD:
            return answer | {"status": SUPPORTED, "threshold": THRESHOLD}
        by = "no longer have the same shape or classes" if sensitivity is None else f"move by {sensitivity:.2g} of themselves"
        return answer | {"status": UNVERIFIED, "reason": f"the importer works, but the model's own outputs {by} when the inputs move by {NUDGE:g} of "
                                                         f"themselves, so its error of {error:.2g} proves nothing"}
    limit = limit_of(sensitivity)
    if error <= limit:
        return answer | {"status": SUPPORTED, "threshold": limit}
    return answer | {"status": DIFFERS, "threshold": limit, "reason": f"error {error:.3g} in {where}, above {limit:.2g}"}


def outcome_of(compute, own: list) -> str:
    """What another try came to, as the end of a sentence."""
    from . import numbers

    try:
        error, _ = numbers.worst(compute(), own, [])
    except Exception as wrong:
        return f"it fails by {statuses.sentence(wrong)}"
    return f"its outputs have an error of {error:.1e}"


def cause(request: dict) -> dict:
    from .cause import first_difference

    return first_difference(request)


KINDS = {"describe": describe, "export": export, "import": import_file, "cause": cause}
