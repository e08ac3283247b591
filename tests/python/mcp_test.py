# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe mcp` with the official SDK's client, on real models and faults."""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

import support

import edgeprobe
from support import MODELS, ROOT

try:
    import anyio
    import jsonschema
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client
except ImportError as error:
    print(f"skipped: {error}; script/setup --test brings the MCP SDK")
    raise SystemExit(77) from None

from edgeprobe.mcp_server import process
from edgeprobe.mcp_server.answers import text
from edgeprobe.mcp_server.tools import TOOLS

RECIPE = (MODELS / "signs.recipe").read_text().strip()
FAULTY = RECIPE.replace("rgb", "bgr") + " | quantize(model)"
REPORT = json.loads((ROOT / "docs/reference/report.schema.json").read_text())
SERVER = [sys.executable, "-m", "edgeprobe.console", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
# : Seconds within which a program ends after a request to stop, on a busy machine.
SOON = 20


def programs(mark):
    """Processes of the program, not of the server, with this file in their command line."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if str(mark) in words[1:] and "mcp" not in words and pathlib.Path(words[0]).name == "edgeprobe":
                found.append(int(folder.name))
    return found


def wait_for(condition, seconds=SOON):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return False


class McpTest(support.PackageTest):
    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        (self.work / "pictures").mkdir(parents=True)
        for name in ("signs_float.tflite", "signs_int8.tflite", "signs.recipe", "data/labels.csv"):
            shutil.copy(MODELS / name, self.work)
        for picture in sorted((MODELS / "data" / "test").glob("*.png"))[:24]:
            shutil.copy(picture, self.work / "pictures")
        self.against = {"reference": "signs_float.tflite", "reference_recipe": "signs.recipe", "data": "pictures"}

    def talk(self, body, *flags):
        """Runs `body` with a session of the official client."""
        async def main():
            server = StdioServerParameters(command=SERVER[0], args=[*SERVER[1:], *flags], env=ENVIRONMENT, cwd=self.work)
            with open(self.folder / "errors", "w+") as errors:
                async with stdio_client(server, errlog=errors) as streams, ClientSession(*streams) as session:
                    await session.initialize()
                    await session.list_tools()  # lets the client compare answers with their schemas
                    await body(session)
                errors.seek(0)
                self.assertEqual(errors.read(), "")

        anyio.run(main)

    async def answer(self, session, tool, arguments, **more):
        result = await session.call_tool(tool, arguments, **more)
        self.assertFalse(result.is_error, result.content)
        self.assertIn(f"next: {result.structured_content['next']['command']}", result.content[0].text)
        return result.structured_content, result.content[0].text

    async def refusal(self, session, tool, arguments):
        result = await session.call_tool(tool, arguments)
        self.assertTrue(result.is_error, arguments)
        self.assertIsNone(result.structured_content)
        self.assertNotIn("\n", result.content[0].text)
        return result.content[0].text

    def test_tools_take_what_the_verbs_take(self):
        async def body(session):
            tools = (await session.list_tools()).tools
            self.assertEqual([one.name for one in tools], ["inspect", "run", "check", "diagnose", "compare", "bench"])
            for one in tools:
                for schema in (one.input_schema, one.output_schema):
                    jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(set(one.input_schema["required"]), {p.name for p in TOOLS[one.name].parameters if p.required})
                told = subprocess.run([edgeprobe.executable(), one.name, "--help-all"], capture_output=True, text=True, check=True).stdout
                flags = {flag.replace("-", "_") for flag in re.findall(r"^  (?:-\w,)?--([a-z-]+)", told, re.M)}
                positional = set(re.findall(r"^  ([a-z]\w*) TEXT", told.split("\nOptions:")[0], re.M))
                self.assertEqual({p.name for p in TOOLS[one.name].parameters if p.positional}, positional)
                self.assertLessEqual({p.name for p in TOOLS[one.name].parameters if not p.positional} | set(TOOLS[one.name].always), flags, one.name)
                self.assertEqual(one.annotations.read_only_hint, not any(p.kind == "write" for p in TOOLS[one.name].parameters))
            whole = json.loads((await session.read_resource("edgeprobe://schema/report")).contents[0].text)
            self.assertEqual(whole, REPORT)
            outline = next(one for one in tools if one.name == "check").output_schema["properties"]["result"]
            self.assertEqual(set(outline["properties"]), set(REPORT["properties"]))
            self.assertLess(len(json.dumps([one.model_dump(mode="json") for one in tools])), 30_000)

        self.talk(body)

    def test_the_form_without_a_handshake_is_served_as_well(self):
        async def main():
            server = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=ENVIRONMENT, cwd=self.work)
            async with Client(stdio_client(server), mode="auto") as client:
                self.assertEqual(client.protocol_version, "2026-07-28")
                result = await client.call_tool("inspect", {"model": "signs_int8.tflite"})
                self.assertEqual(result.structured_content["result"]["format"], "tflite")

        anyio.run(main)

    def test_a_check_names_the_cause(self):
        async def body(session):
            seen = []

            async def note(progress, total, message):
                seen.append((progress, message))

            arguments = {"model": "signs_int8.tflite", "recipe": FAULTY, "labels": "labels.csv", **self.against}
            answer, text = await self.answer(session, "check", arguments, progress_callback=note)
            self.assertEqual((answer["outcome"], answer["exit_code"], answer["result"]["verdict"]), ("differs", 3, "differs"))
            self.assertEqual([(one["kind"], one["status"]) for one in answer["result"]["causes"]], [("channel_order", "confirmed")])
            jsonschema.validate(answer["result"], REPORT)
            self.assertTrue(text.startswith("differs: the app feeds BGR; the reference feeds RGB"), text)
            self.assertIn("fix          color(rgb)", text)
            self.assertNotIn("base64", json.dumps(answer))
            self.assertLess(len(json.dumps(answer)), 60_000)
            self.assertTrue(seen)
            # The next command runs as printed.
            words = shlex.split(answer["next"]["command"])
            self.assertEqual(words[0], "edgeprobe")
            done = subprocess.run([edgeprobe.executable(), *words[1:]], cwd=self.work, capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertTrue((self.work / "fix" / "fix.json").exists())

            answer, text = await self.answer(session, "check", {**arguments, "recipe": RECIPE + " | quantize(model)", "html": "page.html"})
            self.assertEqual((answer["outcome"], answer["result"]["causes"]), ("done, or agrees", []))
            self.assertTrue((self.work / "page.html").read_text().startswith("<!doctype html>"))
            answer, text = await self.answer(session, "check", {key: value for key, value in arguments.items() if key != "reference_recipe"})
            self.assertEqual(answer["outcome"], "undecided")
            self.assertIn("would decide", text)

        self.talk(body)

    def test_the_other_tools_on_one_recording(self):
        async def body(session):
            answer, text = await self.answer(session, "run", {"model": "signs_int8.tflite", "data": "pictures", "recipe": FAULTY, "trace": "bad.mcap", "level": "layers"})
            self.assertEqual(answer["result"]["frames"], 24)
            self.assertTrue((self.work / "bad.mcap").exists())
            self.assertIn("exists", await self.refusal(session, "run", {"model": "signs_int8.tflite", "data": "pictures", "recipe": FAULTY, "trace": "bad.mcap"}))
            await self.answer(session, "run", {"model": "signs_float.tflite", "data": "pictures", "recipe": RECIPE, "trace": "good.mcap", "level": "layers"})
            answer, text = await self.answer(session, "compare", {"reference": "good.mcap", "target": "bad.mcap"})
            self.assertEqual(answer["exit_code"], 3)
            whole = edgeprobe.compare(self.work / "good.mcap", self.work / "bad.mcap")
            self.assertEqual(len(answer["result"]["layers"]) + answer["left_out"]["layers"], len(whole.layers))
            kept = {one["name"] for one in answer["result"]["layers"]}
            self.assertEqual(kept, {one.name for one in sorted(whole.layers, key=lambda one: -(one.rmse_over_range or 0))[:10]})
            self.assertTrue(answer["next"]["command"].startswith("edgeprobe diagnose bad.mcap --reference REFERENCE"))
            answer, text = await self.answer(session, "diagnose", {"trace": "bad.mcap", "reference": "signs_float.tflite", "reference_recipe": RECIPE})
            self.assertIn(answer["outcome"], ("differs", "undecided"))  # the trace declares its recipe
            jsonschema.validate(answer["result"], REPORT)
            answer, text = await self.answer(session, "inspect", {"model": "signs_int8.tflite", "lint": True})
            self.assertIn("input 'image': int8 [1, 64, 64, 3]", text)
            # Long enough for the runs that an interval needs, also between other work.
            answer, text = await self.answer(session, "bench", {"model": "signs_int8.tflite", "duration": 1, "warm_up": 0.05, "threads": 1})
            self.assertRegex(text, r"threads=1: median [\d.]+ µs \(95 %: [\d.]+ µs to [\d.]+ µs\)")
            self.assertGreater(answer["left_out"]["configurations.target_inference_step"], 0)

        self.talk(body)

    def test_a_measurement_of_few_runs_has_no_interval(self):
        one = {"name": "c", "inferencetime_p50": 2e-5, "inferencetime_p50_interval": [None, None], "inferencetime_p90": 3e-5, "inferencetime_count": 2, "warnings": []}
        result = edgeprobe.Result(model={"name": "m"}, engine={"kind": "e", "version": "1"}, machine={"processor": "p"}, configurations=[one])
        answer = {"notes": [], "next": {"command": "", "why": ""}}
        self.assertIn("c: median 20 µs (95 %: – to –), p90 30 µs, 2 runs", text(TOOLS["bench"], answer, result))

    def test_paths_outside_are_refused(self):
        outside = self.folder / "outside"
        outside.mkdir()
        secret = outside / "labels.txt"
        secret.write_text("a\nb\n")
        shutil.copy(MODELS / "signs_float.tflite", outside / "net.tflite")
        (self.work / "link.tflite").symlink_to(outside / "net.tflite")
        (self.work / "folder").symlink_to(outside)
        (self.work / "mixed").mkdir()
        (self.work / "mixed" / "a.png").symlink_to(secret)
        (self.work / "names").symlink_to(secret)
        (self.work / "my names").symlink_to(secret)
        (self.work / "circle").symlink_to("circle")
        (self.work / "sly.recipe").write_text(f"color(rgb) || labels({secret})\n")
        (self.work / "net.so").write_bytes(b"\x7fELF")
        good = {"model": "signs_float.tflite", "recipe": RECIPE, "data": "pictures"}
        before = {path: path.stat().st_mtime_ns for path in outside.iterdir()}

        async def body(session):
            for tool, changed, said in (
                    ("inspect", {"model": str(outside / "net.tflite")}, "is outside"), ("inspect", {"model": "/etc/hostname"}, "is outside"),
                    ("inspect", {"model": "../outside/net.tflite"}, "has '..'"), ("inspect", {"model": "pictures/../signs_float.tflite"}, "has '..'"),
                    ("inspect", {"model": f"{self.work}/../outside/net.tflite"}, "has '..'"),
                    ("inspect", {"model": "link.tflite"}, "is outside"), ("inspect", {"model": "folder/net.tflite"}, "is outside"),
                    ("inspect", {"model": "circle"}, "circle"), ("inspect", {"model": "absent.tflite"}, "there is no 'absent.tflite'"),
                    ("inspect", {"model": "net.so"}, "not a model that can run here"), ("inspect", {"model": "--version"}, "there is no '--version'"),
                    ("inspect", {"model": ""}, "expected the path"), ("inspect", {"model": "a\0b"}, "expected the path"), ("inspect", {"model": "x" * 5000}, "expected the path"),
                    ("inspect", {"model": None}, "is not of type"), ("inspect", {}, "'model' is a required property"), ("inspect", {"model": "signs_float.tflite", "trust": True}, "'trust'"),
                    ("bench", {"model": "signs_float.tflite", "engine": f"tflite:{outside}/lib.so"}, "is not one of"), ("bench", {"model": "signs_float.tflite", "duration": 1e9}, "maximum"),
                    ("run", {**good, "trace": str(outside / "t.mcap")}, "is outside"), ("run", {**good, "trace": "folder/t.mcap"}, "is outside"),
                    ("run", {**good, "trace": "../t.mcap"}, "has '..'"), ("run", {**good, "trace": "pictures"}, "is a folder"), ("run", {**good, "trace": "absent/t.mcap"}, "no folder"),
                    ("run", {**good, "trace": "names"}, "is outside"),
                    ("run", {**good, "trace": "t.mcap", "data": "mixed"}, "the link 'a.png' leads out"), ("run", {**good, "trace": "t.mcap", "data": str(outside)}, "is outside"),
                    ("run", {**good, "trace": "t.mcap", "recipe": str(secret)}, "is outside"), ("run", {**good, "trace": "t.mcap", "recipe": "sly.recipe"}, "a file in the recipe"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"{RECIPE} || labels({secret})"}, "a file in the recipe"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"{RECIPE} || labels(names)"}, "a file in the recipe"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"{RECIPE} || labels( my names )"}, "a file in the recipe"),
                    ("run", {**good, "trace": "t.mcap", "recipe": "names"}, "is outside"), ("run", {**good, "trace": "t.mcap", "recipe": "pictures"}, "is not a recipe"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"image: {secret}"}, "is outside"),
                    # Cut at another colon than the program's, a name with '|' or a colon hid the file.
                    ("run", {**good, "trace": "t.mcap", "recipe": f"x|y: {secret}"}, "is outside"), ("run", {**good, "trace": "t.mcap", "recipe": "x|y: ../outside/labels.txt"}, "has '..'"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"x: y|:{secret}"}, "is outside"), ("run", {**good, "trace": "t.mcap", "recipe": "x|y: names"}, "is outside"),
                    ("run", {**good, "trace": "t.mcap", "recipe": "x|y: sly.recipe"}, "a file in the recipe"), ("run", {**good, "trace": "t.mcap", "recipe": f"x: {secret}: color(rgb)"}, "is outside"),
                    ("check", {**good, **self.against, "recipe": f"x|y: {secret}"}, "recipe: "), ("check", {**good, **self.against, "reference_recipe": f"x|y: {secret}"}, "reference_recipe: "),
                    ("diagnose", {"trace": "labels.csv", "reference": "signs_float.tflite", "reference_recipe": "x|y: ../outside/labels.txt"}, "has '..'"),
                    ("run", {**good, "trace": "t.mcap", "recipe": f"{RECIPE} || labels(signs.recipe, other=../outside/labels.txt)"}, "has '..'"),
                    ("check", {**good, **self.against, "html": str(outside / "page.html")}, "is outside"), ("check", {**good, **self.against, "reference": "link.tflite"}, "is outside"),
                    ("shell", {"command": "true"}, "there is no tool 'shell'")):
                with self.subTest(tool=tool, **changed):
                    self.assertIn(said, await self.refusal(session, tool, changed))
            # Names of inputs may have colons and slashes.
            for recipe in (f"serving_default_x:0: {RECIPE}", f"net/x:0: {RECIPE}", "a:b: signs.recipe"):
                self.assertIn("no such input", await self.refusal(session, "run", {**good, "trace": "t.mcap", "recipe": recipe}))
            # A recipe may name a file that is allowed, and a second folder counts as well.
            (self.work / "classes.txt").write_text("\n".join(f"c{i}" for i in range(12)) + "\n")
            await self.answer(session, "run", {**good, "trace": "ok.mcap", "frames": 2, "recipe": f"{RECIPE} || labels(classes.txt)"})

        self.talk(body)
        self.assertEqual({path: path.stat().st_mtime_ns for path in outside.iterdir()}, before)

        async def second(session):
            self.assertEqual((await self.answer(session, "inspect", {"model": str(outside / "net.tflite")}))[0]["exit_code"], 0)
            await self.answer(session, "inspect", {"model": "link.tflite"})

        self.talk(second, "--allow", ".", "--allow", str(outside))

    def test_a_cancelled_call_ends_its_program(self):
        shutil.copy(MODELS / "signs_float.tflite", self.work / "cancelled.tflite")

        async def body(session):
            async with anyio.create_task_group() as calls:
                calls.start_soon(session.call_tool, "bench", {"model": "cancelled.tflite", "duration": 200, "warm_up": 0.05})
                self.assertTrue(await anyio.to_thread.run_sync(wait_for, lambda: len(programs(self.work / "cancelled.tflite")) >= 1))
                calls.cancel_scope.cancel()
            self.assertTrue(await anyio.to_thread.run_sync(wait_for, lambda: not programs(self.work / "cancelled.tflite")))
            await self.answer(session, "inspect", {"model": "cancelled.tflite"})

        self.talk(body)

    def test_a_program_that_was_just_starting_ends_as_well(self):
        started, real = [], anyio.open_process

        async def slow(*words, **more):
            started.append(await real(*words, **more))
            await anyio.sleep(0.2)
            return started[0]

        async def main():
            with unittest.mock.patch.object(process.anyio, "open_process", slow), anyio.move_on_after(0.1):
                await process.run_program(["bench", "--duration", "200", "--json", "--", str(MODELS / "signs_float.tflite")], self.work, print)

        anyio.run(main)
        self.assertIsNotNone(started[0].returncode)

    def test_two_calls_at_once_are_answered_one_after_the_other(self):
        async def body(session):
            waited, ended = [], []

            async def note(progress, total, message):
                waited.append(message)

            async def call(name, duration=0.5, **more):
                await self.answer(session, "bench", {"model": name, "duration": duration, "warm_up": 0.05}, **more)
                ended.append(name)

            async def runs(name):
                self.assertTrue(await anyio.to_thread.run_sync(wait_for, lambda: programs(self.work / name)))

            most = 0
            async with anyio.create_task_group() as calls:
                calls.start_soon(call, "signs_float.tflite")
                await runs("signs_float.tflite")
                calls.start_soon(lambda: call("signs_int8.tflite", 0.1, progress_callback=note))
                while len(ended) < 2:
                    # Each program also has its engine's process.
                    most = max(most, sum(bool(programs(self.work / name)) for name in ("signs_float.tflite", "signs_int8.tflite")))
                    await anyio.sleep(0.05)
            self.assertEqual((ended, most), (["signs_float.tflite", "signs_int8.tflite"], 1))
            self.assertIn("waits for the call before it", waited)
            # A waiting call can be cancelled, too.
            async with anyio.create_task_group() as calls:
                calls.start_soon(call, "signs_float.tflite")
                await runs("signs_float.tflite")
                with anyio.move_on_after(0.05):
                    await session.call_tool("bench", {"model": "signs_int8.tflite", "duration": 100})
            await self.answer(session, "inspect", {"model": "signs_int8.tflite"})

        self.talk(body)

    def raw(self):
        """A server that received a long call without a client library."""
        shutil.copy(MODELS / "signs_float.tflite", self.work / "raw.tflite")
        self.assertEqual(programs(self.work / "raw.tflite"), [])
        server = subprocess.Popen(SERVER, cwd=self.work, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for message in ({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                        {"method": "notifications/initialized"},
                        {"id": 2, "method": "tools/call", "params": {"name": "bench", "arguments": {"model": "raw.tflite", "duration": 200, "warm_up": 0.05}, "_meta": {"progressToken": 7}}}):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
        said = []
        while "notifications/progress" not in (said[-1] if said else ""):
            said.append(server.stdout.readline())
            self.assertTrue(said[-1], "the server has ended")
        self.assertTrue(wait_for(lambda: programs(self.work / "raw.tflite")))
        return server, said

    def test_the_program_ends_with_its_server(self):
        for way in ("closed", signal.SIGTERM):
            server, said = self.raw()
            with self.subTest(way=way), server:
                server.send_signal(way) if way == signal.SIGTERM else server.stdin.close()
                self.assertEqual(server.wait(SOON), 143 if way == signal.SIGTERM else 0)
                self.assertTrue(wait_for(lambda: not programs(self.work / "raw.tflite")))
                # Standard output contains only the protocol.
                lines = [json.loads(line) for line in [*said, *server.stdout.read().splitlines()]]
                self.assertEqual(lines[0]["result"]["serverInfo"]["name"], "edgeprobe")
                self.assertTrue(all(line["jsonrpc"] == "2.0" for line in lines))

    def test_the_command_line(self):
        def run(command, *words, **more):
            done = subprocess.run([*command, *words], cwd=self.work, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**ENVIRONMENT, **more})
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(run(SERVER), (0, "", ""))  # a client that disconnects at once
        rooted = subprocess.run(SERVER, cwd="/", capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        self.assertEqual((rooted.returncode, rooted.stdout), (2, ""))
        self.assertIn("--allow DIR", rooted.stderr)
        self.assertEqual(run(SERVER, "--allow", "absent"), (2, "", "edgeprobe: --allow: there is no folder 'absent'\n"))
        self.assertEqual(run(SERVER, "--port", "1")[::2], (2, "edgeprobe: mcp: unrecognized arguments: --port 1 (try edgeprobe mcp --help)\n"))
        # A Python without the SDK.
        code, out, err = run([sys._base_executable, *SERVER[1:]], EDGEPROBE_BUILD=str(pathlib.Path(edgeprobe.executable()).parent))
        self.assertEqual((code, out, err), (1, "", "edgeprobe: 'edgeprobe mcp' needs the MCP SDK: pip install 'mcp>=2.3,<3'\n"))
        # The program without Python; both print the same help.
        code, out, err = run([edgeprobe.executable(), "mcp"])
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, r"^edgeprobe: 'mcp' is served by the Python package: [^\n]*\n$")
        helps = [run(command, "--help") for command in ([edgeprobe.executable(), "mcp"], SERVER)]
        self.assertEqual(helps[0], helps[1])
        self.assertIn("--allow DIR", helps[0][1])


if __name__ == "__main__":
    support.main()
