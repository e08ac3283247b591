# SPDX-License-Identifier: Apache-2.0
"""One deployment on a few pictures, recorded as an undeclared trace and diagnosed."""
import shlex
import shutil

from driver import Failed
from python_trace import write_trace

KEPT = ("kind", "status", "stage", "detail", "layer", "explains", "contribution", "restored", "alternatives", "evidence")


class Case:
    """`tensors`: the model inputs in memory order, made outside of edgeprobe; `text`: the recipe that `edgeprobe run` makes
    them with instead, or None."""

    def __init__(self, deployment, name, files, tensors, text=None):
        self.deployment, self.name, self.files, self.tensors, self.text = deployment, name, files, tensors, text

    def record(self, tool, target, folder):
        """Writes the trace; returns (its path, the pictures' folder, or None if the trace contains them)."""
        data, trace = folder / "pictures", folder / "target.mcap"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for file in self.files:
            shutil.copy(file, data)
        if self.text is None:
            write_trace(trace, target, list(zip(self.files, self.tensors)))
        else:
            tool.run(self.deployment.model, self.text, data, trace, "--no-raw")
        return trace, data

    def trusted(self):
        d = self.deployment
        return ["--reference", d.reference, "--reference-recipe", d.recipe, "--model", d.model]

    def keep(self, folder, kept):
        """Moves the files that answer() left in `folder` to a separate folder, together with the command."""
        to = kept / ("%s-%s-%d" % (self.deployment.name, self.name, len(self.files)))
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(folder, to)
        (to / "command").write_text("edgeprobe diagnose target.mcap %s --data pictures\n" % " ".join(shlex.quote(str(a)) for a in self.trusted()))

    def answer(self, tool, target, folder, extra=()):
        """The row of this case: deployment, fault, and the verdict (or `error`)."""
        row = {"model": self.deployment.name, "fault": self.name, "frames": len(self.files),
               "maker": "python" if self.text is None else "run", "pictures": [f.name for f in self.files]}
        try:
            trace, data = self.record(tool, target, folder)
            verdict = tool.verdict("diagnose", trace, *self.trusted(), *(["--data", data] if data else []), *extra)
        except Failed as failure:
            return {**row, "error": str(failure)}
        row.update(verdict=verdict["verdict"], exit=verdict["exit"], seconds=verdict["seconds"], headline=verdict["headline"],
                   distance=verdict["outputs"]["distance"], floor=verdict["outputs"]["floor"],
                   causes=[{k: c.get(k) for k in KEPT} for c in verdict["causes"]])
        return row


def says(cause, words):
    """Whether the text contains one of "words|other words"."""
    return any(w in said(cause) for w in words.split("|"))


def said(cause):
    """All descriptions of the app's behaviour in a cause."""
    return " ".join([cause["detail"], *(cause.get("alternatives") or [])])
