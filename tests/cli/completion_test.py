# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of `completion` in the shells themselves, and compares the manual page with the output of --help."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import tool
from tool import run

#: Completes each input line (a verb and words) as bash would, and prints what _edgeprobe offers, on one line each.
ASK_BASH = """source /dev/stdin <<< "$SCRIPT"
while IFS= read -r line; do
  COMP_WORDS=($line); [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _edgeprobe
  echo "${COMPREPLY[*]}"
done <<< "$LINES_TO_ASK"
"""


def script(shell):
    return run("completion", shell, expect=0).out


def verbs(*group):
    """All verbs that the help lists, and which of them are groups."""
    listed = re.search(r"^Verbs:\n((?:  .*\n)+)", run(*group, "--help", expect=0).out, re.M)
    names = re.findall(r"^  ([\w-]+)", listed[1], re.M) if listed else []
    return {" ".join(group): names, **{verb: more for name in names for verb, more in verbs(*group, name).items()}}


def flags(verb):
    """The flags in the verb's help."""
    text = run(*verb.split(), "--help-all", expect=0).out
    return {name for line in re.findall(r"^  (-\S+)", text, re.M) for name in line.split(",")}


class CompletionTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.verbs = verbs()
        cls.flags = {verb: flags(verb) for verb in cls.verbs}

    def ask_bash(self, lines, **variables):
        done = subprocess.run(["bash", "--norc", "-c", ASK_BASH], capture_output=True, text=True, timeout=tool.PATIENCE,
                              env={"PATH": os.environ["PATH"], "SCRIPT": script("bash"), "LINES_TO_ASK": "\n".join(lines), **variables})
        self.assertEqual(done.stderr, "")
        return [set(answer.split()) for answer in done.stdout.splitlines()]

    def test_bash_offers_each_verb_and_all_flags_of_the_help(self):
        names = list(self.verbs)
        offered = self.ask_bash([f"edgeprobe {name}{' ' if name else ''}-" for name in names])
        for name, words in zip(names, offered, strict=True):
            self.assertLessEqual((self.flags[name] | {"--help-all"}) - {"-h", "-V"}, words, name)
        groups = [name for name in names if self.verbs[name]]
        for name, words in zip(groups, self.ask_bash([f"edgeprobe {name}{' ' if name else ''}" for name in groups]), strict=True):
            self.assertEqual(words, set(self.verbs[name]), name)

    def test_bash_offers_the_values_of_a_flag_and_leaves_names_of_files_to_readline(self):
        self.assertEqual(self.ask_bash(["edgeprobe run m.tflite --level ", "edgeprobe run m.tflite --level = l", "edgeprobe check --reference-kernels x",
                                        "edgeprobe completion ", "edgeprobe run --trace ", "edgeprobe inspect ", "edgeprobe trace pack --compression z", "edgeprobe run --raw "]),
                         [{"none", "io", "embedding", "layers"}, {"layers"}, {"xnnpack"}, {"bash", "zsh", "fish"}, set(), set(), {"zstd"},
                          {"encoded", "pixels", "none"}])

    def test_a_typed_line_is_completed_by_bash(self):
        (self.folder / "photographs.npz").touch()
        (self.folder / "edgeprobe.bash").write_text(script("bash"))
        process, terminal = pty.fork()
        if not process:
            os.chdir(self.folder)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {"PATH": os.environ["PATH"], "TERM": "dumb", "PS1": "ready> ", "HISTFILE": ""})
        try:
            self.read(terminal, b"ready> ")
            # ^A moves to the beginning of the line that was completed piece by piece, and echo prints the line.
            for typed in (b"source edgeprobe.bash\n", b"edgeprobe diag\t--reference-kern\tref\t--data pho\t\x01echo \n"):
                os.write(terminal, typed)
                text = self.read(terminal, b"\nready> ")
            self.assertIn("\nedgeprobe diagnose --reference-kernels reference --data photographs.npz", text.replace("\r", ""))
        finally:
            os.close(terminal)
            os.waitpid(process, 0)

    def with_plugins(self):
        """The environment of a shell that finds the program and a Python with installed plug-ins. The last name is not offered: a shell would run it."""
        for package, group, name in (("one", "engines", "gofast"), ("two", "datasets", "signs"), ("three", "metrics", "recall"),
                                     ("four", "compilers", "small"), ("five", "models", "tiny"), ("bad", "engines", "$(touch$IFS$0ran)")):
            metadata = self.folder / f"{package}-1.0.dist-info"
            metadata.mkdir(exist_ok=True)
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[edgeprobe.{group}]\n{name} = module:Class\n")
        (self.folder / "bin").mkdir(exist_ok=True)
        if not (self.folder / "bin" / "edgeprobe").exists():
            (self.folder / "bin" / "edgeprobe").symlink_to(tool.EXECUTABLE)
        return {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "PYTHONPATH": str(self.folder), "HOME": str(self.folder), "TERM": "dumb"}

    def test_bash_offers_installed_plugins(self):
        engines, reference, data, files, names, named, metrics, compilers, models = self.ask_bash(
            ["edgeprobe run --engine ", "edgeprobe check --reference-engine py", "edgeprobe run --data python:", "edgeprobe run --data ", "edgeprobe help ",
             "edgeprobe help --python = /nowhere py", "edgeprobe check --metric py", "edgeprobe convert --to py", "edgeprobe train "], **self.with_plugins())
        self.assertLessEqual({"litert", "keras", "python:gofast"}, engines)
        self.assertFalse([name for name in engines if "touch" in name or "IFS" in name])
        self.assertEqual((reference, data, files, named), ({"python:gofast"}, {"python:signs"}, set(), set()))
        self.assertEqual((metrics, compilers), ({"python:recall"}, {"python:small"}))
        self.assertLessEqual({"mobilenet_v2", "signal", "python:tiny"}, models)
        self.assertLessEqual({"check", "keras", "python:gofast", "python:signs"}, names)
        self.assertEqual(list(self.folder.rglob("ran")), [])
        self.assertEqual(run("list", "--names", "datasets", expect=0, env={**os.environ, "PYTHONPATH": str(self.folder)}).out, "python:signs\n")

    def typed(self, shell, arguments, begin, variables):
        """What a shell in a terminal makes of a line with plug-ins typed in part, which ^A and echo print."""
        (self.folder / f"edgeprobe.{shell}").write_text(script(shell))
        process, terminal = pty.fork()
        if not process:
            os.chdir(self.folder)
            os.execvpe(shell, [shell, *arguments], variables)
        try:
            self.read(terminal, b"ready> ")
            for typed in (f"{begin}source edgeprobe.{shell}\n".encode(), b"edgeprobe run m --engine python:go\t--data python:si\t\x01echo \n"):
                os.write(terminal, typed)
                text = self.read(terminal, b"\nready> ")
            return text.replace("\r", "")
        finally:
            os.close(terminal)
            os.waitpid(process, 0)

    def test_typed_plugins_are_completed_by_bash(self):
        text = self.typed("bash", ["--norc", "--noprofile", "-i"], "", {**self.with_plugins(), "PS1": "ready> ", "HISTFILE": ""})
        self.assertIn("\nedgeprobe run m --engine python:gofast --data python:signs", text)

    def test_typed_plugins_are_completed_by_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        text = self.typed("zsh", ["-f", "-i"], "autoload -U compinit; compinit -D; bindkey -e; setopt no_prompt_cr no_prompt_sp; unset zle_bracketed_paste; ", {**self.with_plugins(), "PS1": "ready> "})
        self.assertIn("\nedgeprobe run m --engine python:gofast --data python:signs", text)

    def test_fish_offers_installed_plugins(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        lines = ["edgeprobe run m --engine pyt", "edgeprobe run m --data python:s", "edgeprobe help py", "edgeprobe run m --engine ker"]
        asked = "\n".join(["source edgeprobe.fish", *(f"complete -C '{line}' | string replace -r '\\t.*' '' | string join ' '" for line in lines)])
        variables = self.with_plugins()
        (self.folder / "edgeprobe.fish").write_text(script("fish"))
        done = subprocess.run(["fish", "--no-config", "-c", asked], cwd=self.folder, capture_output=True, text=True, timeout=tool.PATIENCE, env=variables)
        self.assertEqual(done.stderr, "")
        self.assertEqual([set(line.split()) for line in done.stdout.splitlines()],
                         [{"python:gofast"}, {"python:signs"}, {"python:gofast", "python:signs", "python:recall", "python:small", "python:tiny"}, {"keras"}])

    def read(self, terminal, until):
        text, end = b"", time.monotonic() + 60
        while until not in text:
            self.assertTrue(select.select([terminal], [], [], max(0, end - time.monotonic()))[0], f"bash said only {text!r}")
            text += os.read(terminal, 4096)
        return text.decode()

    def test_fish_offers_verbs_flags_and_values(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        lines = ["edgeprobe trac", "edgeprobe trace ", "edgeprobe run --kernels ", "edgeprobe trace info --"]
        asked = "\n".join(["source edgeprobe.fish", *(f"complete -C '{line}' | string replace -r '\\t.*' '' | string join ' '" for line in lines)])
        (self.folder / "edgeprobe.fish").write_text(script("fish"))
        done = subprocess.run(["fish", "--no-config", "-c", asked], cwd=self.folder, capture_output=True, text=True, timeout=tool.PATIENCE,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        offered = [set(line.split()) for line in done.stdout.splitlines()]
        self.assertEqual(offered[:3], [{"trace"}, set(self.verbs["trace"]), {"xnnpack", "builtin", "reference"}])
        self.assertLessEqual({name for name in self.flags["trace info"] if name.startswith("--")} - {"--help-all"}, offered[3])

    def test_zsh_reads_its_script(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        (self.folder / "_edgeprobe").write_text(script("zsh"))
        subprocess.run(["zsh", "-fn", "_edgeprobe"], cwd=self.folder, check=True, timeout=tool.PATIENCE)

    def test_the_scripts_of_zsh_and_fish_name_each_flag(self):
        names = {name for names in self.flags.values() for name in names if name.startswith("--")} - {"--help-all", "--version"}
        zsh, fish = script("zsh"), script("fish")
        for name in names:
            self.assertRegex(zsh, rf"'\*?{name}=?\[")
            self.assertRegex(fish, rf" -l {name[2:]} ")

    def test_the_manual_page_names_every_verb_and_flag(self):
        page = run("man", expect=0).out
        self.assertTrue(page.startswith('.TH EDGEPROBE 1 "" "edgeprobe '))
        for verb, names in self.flags.items():
            if not verb:
                continue
            section = page.split(f".SS edgeprobe {verb}\n".replace("-", "\\-"))[1].split("\n.S")[0].replace("\\-", "-")
            for name in names - {"-h", "--help", "--help-all"}:
                self.assertIn(f"\\fB{name}\\fR", section, verb)
        if not shutil.which("groff"):
            self.skipTest("groff is not installed: the page was not set")
        done = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=tool.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    tool.main()
