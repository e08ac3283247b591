# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX, and what JAX computes. jax_cases.py FOLDER"""
import importlib.util
import json
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
from cases import Cases
from jax import export

#: One file of the user's for each case. `inside` lists the results of the function's operations by hand: name, primitive and array.
CONVOLUTION = '''
import jax
import jax.numpy as jnp

def predict(params, x, training=False):
    return values(params, x)[-1][2]

def inside(params, x):
    return values(params, x)

def values(params, x):
    conv = params["conv"]
    a = jax.lax.conv_general_dilated(x, conv["w"], (STRIDE, STRIDE), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    b = a * conv["scale"]
    c = b + conv["bias"]
    d = jax.nn.relu(c)
    e = jax.lax.reduce_window(d, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    f = e.reshape(e.shape[0], -1)
    with jax.named_scope("head"):
        g = f @ params["dense"]["w"]
        h = g + params["dense"]["b"]
        i = h.max(1)
        j = i[:, None]
        k = h - j
        l = jnp.exp(k)
        m = l.sum(1)
        n = m[:, None]
        o = l / n
    return [("conv_general_dilated", "conv_general_dilated", a), ("mul", "mul", b), ("add", "add", c), ("relu/max", "max", d),
            ("reduce_window_max", "reduce_window_max", e), ("reshape", "reshape", f), ("head/dot_general", "dot_general", g), ("head/add", "add", h),
            ("head/reduce_max", "reduce_max", i), ("head/broadcast_in_dim", "broadcast_in_dim", j), ("head/sub", "sub", k), ("head/exp", "exp", l),
            ("head/reduce_sum", "reduce_sum", m), ("head/broadcast_in_dim:1", "broadcast_in_dim", n), ("head/div", "div", o)]
'''.replace("STRIDE", "1")

TWO = '''
import jax
import jax.numpy as jnp

def predict(params, left, right):
    a, b, c, d, e, f, g = [value for _, _, value in inside(params, left, right)]
    return {"rest": (f, g), "joined": e}

def inside(params, left, right):
    a = left @ params["shared"]
    b = jnp.tanh(a)
    c = right @ params["shared"]
    d = jnp.tanh(c)
    e = jnp.concatenate([b, d], 1)
    f = b - d
    g = jnp.argmax(b, 1)
    return [("dot_general", "dot_general", a), ("tanh", "tanh", b), ("dot_general:1", "dot_general", c), ("tanh:1", "tanh", d),
            ("concatenate", "concatenate", e), ("sub", "sub", f), ("argmax", "argmax", g)]
'''

WORDS = '''
import jax
import jax.numpy as jnp

def predict(params, ids):
    def step(state, word):
        state = jnp.tanh(word @ params["in"] + state @ params["back"])
        return state, state

    words = params["table"][ids]
    return jax.lax.scan(step, jnp.zeros(params["back"].shape[0]), words)[1]
'''

STATE = '''
import jax.numpy as jnp
from typing import NamedTuple

class Step(NamedTuple):
    answer: jnp.ndarray
    state: jnp.ndarray

def predict(params, x, state):
    a, b, c, d = [value for _, _, value in inside(params, x, state)]
    return Step(d, c)

def inside(params, x, state):
    a = x @ params["w"]
    b = state * 0.5
    c = a + b
    d = c.sum(1)
    return [("dot_general", "dot_general", a), ("mul", "mul", b), ("add", "add", c), ("reduce_sum", "reduce_sum", d)]
'''

LAYERS = '''
import jax

def predict(params, x):
    *first, (w, b) = params
    for v, c in first:
        x = jax.nn.silu(x @ v + c)
    return x @ w + b
'''

WIDE = '''
import jax.numpy as jnp

def predict(params, x, n):
    return x / params["w"], n * 3_000_000_000
'''

HALF = '''
import jax
import jax.numpy as jnp

def predict(params, x):
    h = jax.nn.gelu(x.astype(jnp.bfloat16) @ params["a"].astype(jnp.bfloat16))
    return h @ params["b"].astype(jnp.bfloat16)
'''

EAGER = '''
def predict(params, x):
    for _ in range(4):
        if float(x.sum()) < 10:
            x = x + params["step"]
    return x
'''

DICT = '''
import json
import jax.numpy as jnp
import numpy as np

def read(path):
    return {name: np.array(value, np.float32) for name, value in json.loads(path.read_text()).items()}

def predict(params, batch, *, power=2, shift=0.0):
    return {"out": batch["x"] ** power * params["w"] + shift, "last": batch["ids"][..., -1]}
'''

GATED = '''
import jax
import jax.numpy as jnp

def predict(params, x):
    for layer in params["layers"]:
        x = jax.nn.leaky_relu(x @ layer["w"] + layer["b"], 0.01)
    with jax.named_scope("end"):
        mean = x.mean(1, keepdims=True)
        x = (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5)
        return x @ params["end"]
'''

ATTENTION = '''
import jax
import jax.numpy as jnp

def predict(params, x):
    with jax.named_scope("heads"):
        q, k, v = [x @ params[name] for name in "qkv"]
        scores = q @ k.T / jnp.sqrt(q.shape[1])
    x = x + jax.nn.softmax(scores) @ v
    with jax.named_scope("mlp"):
        return x + jnp.tanh(x @ params["up"]) @ params["down"]
'''

#: XLA computes the sum of products otherwise if the products are outputs as well.
FUSED = '''
def predict(params, x):
    return (x * params["a"] + .3) * x - .7 * x * x
'''

THREADS = '''
import pathlib
import jax.numpy as jnp

def predict(params, x):
    """The threads of XLA's pool, when the function is traced."""
    names = [(one / "comm").read_text().strip() for one in pathlib.Path("/proc/self/task").iterdir()]
    return x + names.count("tf_XLAEigen")
'''

ALONE = '''
import jax.numpy as jnp

def predict(x):
    return jnp.cumsum(x, 1)
'''


def module_of(file):
    spec = importlib.util.spec_from_file_location(file.parent.name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(answer):
    """The outputs by the names that the documentation states."""
    if isinstance(answer, jax.Array):
        return [("output", np.asarray(answer))]
    if hasattr(answer, "_asdict"):
        return [(key, np.asarray(value)) for key, value in answer._asdict().items()]
    if isinstance(answer, dict):
        return [(f"{key}/{at}" if isinstance(answer[key], tuple) else key, np.asarray(value)) for key in sorted(answer)
                for at, value in enumerate(answer[key] if isinstance(answer[key], tuple) else [answer[key]])]
    return [(f"output_{at}", np.asarray(value)) for at, value in enumerate(answer)]


def case(cases, name, source, params, samples, arguments=None, flat=None, options="", jit=True, near=None, shapes=None):
    """`params` as the function gets them, `flat` as the file holds them; `arguments` makes those of the call of a sample."""
    home = cases.home(name)
    (home / "net.py").write_text(source)
    module = module_of(home / "net.py")
    if params is None:
        model = home / "net.py"
    else:
        model = home / "params.npz"
        np.savez(model, **(flat or params))
    flags = [word for key, array in samples[0].items() for word in ("--input-shape", f"{key}={'x'.join(map(str, array.shape))}")]
    types = ",".join(f"{key}:{array.dtype.name}" for key, array in samples[0].items() if array.dtype != np.float32)
    options = "&".join(filter(None, [f"function={home}/net.py:predict", f"types={types}" if types else "", options]))
    run = jax.jit(module.predict) if jit else module.predict
    calls = [arguments(sample) if arguments else (*([] if params is None else [params]), *map(jax.numpy.asarray if not jit else np.asarray, sample.values()))
             for sample in samples]
    answers = [named(run(*one)) for one in calls]
    inner = None
    if hasattr(module, "inside"):
        told = [(label, kind) for label, kind, _ in module.inside(*calls[0])]
        values = jax.jit(lambda *one: [value for _, _, value in module.inside(*one)])
        inner = [[(*which, np.asarray(value)) for which, value in zip(told, values(*one))] for one in calls]
    cases.write(home, model, samples, answers, inner, flags=flags, options=options, near=near, hidden=False)
    return home


def exported(cases, name, function, specs, samples, flags=(), named_specs=None, suffix="jax_exported"):
    home = cases.home(name)
    file = home / f"net.{suffix}"
    file.write_bytes(export.export(jax.jit(function))(*specs, **(named_specs or {})).serialize())
    run = jax.jit(function)
    answers = [named(run(*sample.values()) if not named_specs else run(sample["x"], scale=sample["scale"])) for sample in samples]
    cases.write(home, file, samples, answers, flags=list(flags))


def planted(cases, name, source, flat, samples, faults):
    """A healthy function, and copies with one fault each: in an array of the parameters (a function of it), or in the source (old and new text)."""
    home = cases.home(name)
    np.savez(home / "data.npz", x=np.stack(samples))
    (home / "net.py").write_text(source)
    np.savez(home / "params.npz", **flat)
    told = []
    for at, (where, change, layer) in enumerate(faults):
        changed, weights = source, dict(flat)
        if callable(change):
            weights[where] = change(flat[where])
        else:
            assert source.count(where) == 1, where
            changed = source.replace(where, change)
        (home / f"net_{at}.py").write_text(changed)
        np.savez(home / f"params_{at}.npz", **weights)
        told.append([where, f"net_{at}.py", f"params_{at}.npz", layer])
    (home / "faults.json").write_text(json.dumps({"shape": "x".join(map(str, samples[0].shape)), "faults": told}))


def main(folder):
    cases = Cases(folder)
    normal = cases.normal

    params = {"conv": {"w": normal(3, 3, 3, 8), "scale": normal(8), "bias": normal(8)}, "dense": {"w": normal(8 * 30, 5) / 8, "b": normal(5)}}
    flat = {f"{above}/{key}": value for above, level in params.items() for key, value in level.items()}
    case(cases, "convolution", CONVOLUTION, params, [{"x": normal(1, 10, 12, 3)} for _ in range(3)], flat=flat)
    shared = normal(6, 4)
    pairs = [{"left": normal(1, 6), "right": normal(1, 6)} for _ in range(3)]
    near = [[np.concatenate([np.tanh(p["left"] @ shared), np.tanh(p["right"] @ shared)], 1), np.tanh(p["left"] @ shared) - np.tanh(p["right"] @ shared),
             np.tanh(p["left"] @ shared).argmax(1)] for p in pairs]
    case(cases, "two_and_two", TWO, {"shared": shared}, pairs, near=near)
    case(cases, "words", WORDS, {"table": normal(11, 5), "in": normal(5, 4), "back": normal(4, 4)},
         [{"ids": cases.random.integers(0, 11, (7,)).astype(np.int32)} for _ in range(3)])
    case(cases, "state", STATE, {"w": normal(3, 4)}, [{"x": normal(1, 3), "state": normal(1, 4)} for _ in range(3)])
    layers = [(normal(6, 8), normal(8)), (normal(8, 8), normal(8)), (normal(8, 3), normal(3))]
    case(cases, "layers", LAYERS, layers, [{"x": normal(2, 6)} for _ in range(2)],
         flat={f"{at}.{part}": array for at, pair in enumerate(layers) for part, array in enumerate(pair)}, options="separator=.")
    case(cases, "layers_eager", LAYERS, layers[:1] + layers[2:], [{"x": normal(2, 6)} for _ in range(2)],
         flat={f"{at}/{part}": array for at, pair in enumerate(layers[:1] + layers[2:]) for part, array in enumerate(pair)}, options="jit=false", jit=False)
    case(cases, "half", HALF, {"a": normal(6, 8), "b": normal(8, 3)}, [{"x": normal(1, 6)} for _ in range(2)])
    case(cases, "eager", EAGER, {"step": np.float32([[1, 2, 3, 4]])}, [{"x": normal(1, 4) * 9} for _ in range(3)], options="jit=false", jit=False)
    case(cases, "alone", ALONE, None, [{"x": normal(2, 5)} for _ in range(2)])

    case(cases, "fused", FUSED, {"a": normal(300)}, [{"x": normal(64, 300)}])
    case(cases, "narrowed", WIDE.replace("3_000_000_000", "3"), {"w": cases.random.normal(size=3)}, [{"x": cases.random.normal(size=(1, 3)), "n": np.array([[i, -7]])}
                                                                                                     for i in range(2)])

    home = cases.home("dict")
    (home / "net.py").write_text(DICT)
    (home / "weights.json").write_text('{"w": [1.5, -2.5, 0.25]}')
    run = jax.jit(module_of(home / "net.py").predict)
    samples = [{"batch/ids": np.arange(8, dtype=np.int32).reshape(2, 4) + i, "batch/x": normal(2, 3), "shift": normal(1, 3)} for i in range(2)]
    answers = [named(run({"w": np.float32([1.5, -2.5, .25])}, {"x": s["batch/x"], "ids": s["batch/ids"]}, shift=s["shift"])) for s in samples]
    cases.write(home, "weights.json", samples, answers, hidden=False, options=f"function={home}/net.py:predict&parameters=read&types=batch/ids:int32",
                flags=["--input-shape", "batch/x=2x3", "--input-shape", "batch/ids=2x4", "--input-shape", "shift=1x3"])

    def scaled(array):
        return array * np.float32(1.3)

    def rounded(array):
        return np.asarray(jax.numpy.asarray(array, jax.numpy.float8_e4m3fn), np.float32)

    pictures = [normal(1, 10, 12, 3) for _ in range(12)]
    planted(cases, "planted_convolution", CONVOLUTION, flat, pictures, [
        ("dense/w", scaled, "head/dot_general"),
        ('(1, 1), "SAME"', '(1, 1), "SAME", rhs_dilation=(2, 2)', "conv_general_dilated"),
        ('g = f @ params["dense"]["w"]', 'g = jnp.matmul(f.astype(jnp.bfloat16), params["dense"]["w"].astype(jnp.bfloat16), preferred_element_type=jnp.float32)',
         "head/dot_general")])
    gated = {f"layers/{at}/{key}": array for at in range(3) for key, array in (("w", normal(8, 8)), ("b", normal(8)))}
    planted(cases, "planted_gated", GATED, {**gated, "end": normal(8, 4)}, [normal(4, 8) for _ in range(12)], [
        ("layers/1/w", scaled, "dot_general:1"), ("1e-5", "3.0", "end/add"), ("layers/2/w", rounded, "dot_general:2")])
    heads = {key: normal(8, 8) / 3 for key in "qkv"}
    planted(cases, "planted_attention", ATTENTION, {**heads, "up": normal(8, 16), "down": normal(16, 8)}, [normal(5, 8) for _ in range(12)], [
        ("down", scaled, "mlp/dot_general:1"), ("jnp.sqrt(q.shape[1])", "q.shape[1]", "heads/div"), ("k", rounded, "heads/dot_general:1")])

    b = export.symbolic_shape("b")[0]
    w = normal(4, 3)
    exported(cases, "exported_open", lambda x, y: {"s": jax.nn.softmax(x @ w), "t": (x + y, (y > 0).sum(1))},
             [jax.ShapeDtypeStruct((b, 4), np.float32)] * 2, [{"x": normal(3, 4), "y": normal(3, 4)} for _ in range(2)], ["--input-shape", "x=3x4"])
    exported(cases, "exported_named", lambda x, *, scale: x[::-1] * scale, [jax.ShapeDtypeStruct((2, 5), np.int8)],
             [{"x": cases.random.integers(-9, 9, (2, 5)).astype(np.int8), "scale": normal(5)} for _ in range(2)],
             named_specs={"scale": jax.ShapeDtypeStruct((5,), np.float32)}, suffix="jax")

    home = cases.home("threads")
    (home / "net.py").write_text(THREADS)
    np.savez(home / "params.npz", unused=np.ones(1, np.float32))

    jax.config.update("jax_enable_x64", True)
    wide = [{"x": cases.random.normal(size=(1, 3)), "n": np.array([[i, -7]], np.int64)} for i in range(2)]
    case(cases, "wide", WIDE, {"w": cases.random.normal(size=3)}, wide, options="x64=true")
    exported(cases, "exported_wide", lambda x: x / 3, [jax.ShapeDtypeStruct((2,), np.float64)], [{"x": cases.random.normal(size=2)} for _ in range(2)])


main(sys.argv[1])
