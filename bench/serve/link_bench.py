#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effect of a slow link on --target, over a cable between two network namespaces (tests/cli/cable.py) whose device runs 'serve', or only Debian's
sshd:

    sudo .deps/venv/bin/python bench/serve/link_bench.py build/edgeprobe build/bench/flight_bench

1. 20 ms there and back, samples of 12 KB: one in flight, and many.
2. 20 ms and 10 Mbit/s, cut for 10 s and for 40 s in the middle of a run, by tcp:// and ssh://: does it finish with the trace of a
   run on this machine?
3. The same link against one without delay: does 'bench diff' find a change of the device's times?
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import cable  # noqa: E402
import sshd  # noqa: E402

MODEL = ROOT / "models" / "signs_int8.tflite"
RECIPE = (ROOT / "models" / "signs.recipe").read_text().strip() + " | quantize(model)"
PORT = 12345
SLOW = {"delay_s": 0.010, "bits_per_s": 10e6}


def run(*words, env=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


@contextlib.contextmanager
def serving(edgeprobe, line):
    server = subprocess.Popen([*line.inside, edgeprobe, "serve", "--listen", f"{cable.DEVICE}:{PORT}", "--insecure", "--quiet"], stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline().startswith("listening on"), "the server does not listen"
    try:
        yield f"tcp://{cable.DEVICE}:{PORT}"
    finally:
        server.terminate()
        server.wait()


def recording(edgeprobe, trace, *flags):
    return [edgeprobe, "run", MODEL, "--recipe", RECIPE, "--data", ROOT / "models" / "data" / "test", "--trace", trace, *flags]


def cut_run(edgeprobe, folder, line, here, target, seconds, environment=None):
    trace = folder / "there.mcap"
    trace.unlink(missing_ok=True)
    begun = time.monotonic()
    running = subprocess.Popen([str(word) for word in recording(edgeprobe, trace, "--target", target)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    while not trace.exists():  # The model has arrived, and frames are in flight.
        time.sleep(0.05)
        assert running.poll() is None, running.communicate()[0]
    time.sleep(1)
    assert running.poll() is None, "the run was over before the cut"
    line.cut(seconds)
    out = running.communicate(timeout=300)[0]
    took = time.monotonic() - begun
    compared = json.loads(run(edgeprobe, "compare", here, trace, "--json", "-")) if running.returncode == 0 else {}
    equal = bool(compared) and all(layer["rmse"] == 0 for layer in compared["layers"])
    print(f"cut for {seconds} s, {target.partition(':')[0]}: exit code {running.returncode}, {took:.1f} s, every output equal: {equal}" + ("" if running.returncode == 0 else "\n" + out))


def main():
    cable.enter_own_network()
    edgeprobe, flight = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="edgeprobe_link_") as name:
        folder = pathlib.Path(name)
        with cable.Cable(delay_s=0.010) as line, serving(edgeprobe, line) as target:
            print("20 ms:", run(flight, "20", target).strip())
        here = folder / "here.mcap"
        run(*recording(edgeprobe, here))
        for seconds in (10, 40):
            with cable.Cable(**SLOW) as line, serving(edgeprobe, line) as target:
                cut_run(edgeprobe, folder, line, here, target, seconds)
        with cable.Cable(**SLOW) as line, sshd.Sshd(folder, cable.DEVICE, port=2222, inside=line.inside) as server:
            begun = time.monotonic()
            run(*recording(edgeprobe, folder / "first.mcap", "--frames", "1", "--target", server.target), env=server.environment)
            print(f"ssh, program and library put there for the first time: {time.monotonic() - begun:.1f} s")
            for seconds in (10, 40):
                cut_run(edgeprobe, folder, line, here, server.target, seconds, server.environment)
        results = {"a": [], "b": []}
        for i in range(3):
            for side, link in (("a", {}), ("b", SLOW)):
                with cable.Cable(**link) as line, serving(edgeprobe, line) as target:
                    path = folder / f"{side}{i}.json"
                    run(edgeprobe, "bench", MODEL, "--target", target, "--duration", "3", "--json", path)
                    results[side].append(path)
        done = subprocess.run([str(word) for word in (edgeprobe, "bench", "diff", "--a", *results["a"], "--b", *results["b"])], capture_output=True, text=True)
        print(f"bench diff, no delay against 20 ms and 10 Mbit/s: exit code {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
