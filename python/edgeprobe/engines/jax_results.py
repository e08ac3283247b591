# SPDX-License-Identifier: Apache-2.0
"""The results inside a function of JAX, by an interpreter of its jaxpr."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Literal

#: Primitives that only call what one of their parameters holds. Loops and branches are not entered: their results are those of the whole.
#: jit and remat2 were pjit and checkpoint until 2025.
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
         "closed_call": "call_jaxpr", "core_call": "call_jaxpr"}


@dataclasses.dataclass(frozen=True)
class Result:
    """What an equation computes: a name that no other result of the function has, the primitive, and the array."""

    name: str
    primitive: str
    value: Any


def results(closed: ClosedJaxpr, arguments: Sequence[Any], fixed: int) -> tuple[list[Any], list[Result]]:
    """The outputs of a function, and each array inside that depends on more than the first ``fixed`` arguments, in the order of the computation.

    A name is that of the scopes and functions around the equation and of its primitive, and from the second of one name on its number: "head/add:1".
    """
    found: list[Result] = []
    times: dict[str, int] = {}

    def keep(around: str, primitive: str, value: Any) -> None:
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):  # the key of a generator of random numbers
            return
        name = _joined(around, primitive)
        at = times[name] = times.get(name, -1) + 1
        found.append(Result(name + (f":{at}" if at else ""), primitive, value))

    outputs, _ = _run(closed, arguments, [at >= fixed for at in range(len(arguments))], "", keep)
    return outputs, found


def _joined(*names: str) -> str:
    return "/".join(filter(None, names))


def _run(closed: ClosedJaxpr, arguments: Sequence[Any], depends: Sequence[bool], around: str, keep: Callable[[str, str, Any], None]
         ) -> tuple[list[Any], list[bool]]:
    """The outputs, and for each whether it depends on an input."""
    jaxpr = closed.jaxpr
    known = {var: (value, False) for var, value in zip(jaxpr.constvars, closed.consts)}
    known.update(zip(jaxpr.invars, zip(arguments, depends)))

    def read(one: Any) -> tuple[Any, bool]:
        return (one.val, False) if isinstance(one, Literal) else known[one]

    for equation in jaxpr.eqns:
        primitive, parameters = equation.primitive, equation.params
        given = [read(one) for one in equation.invars]
        values, moves = [value for value, _ in given], [moved for _, moved in given]
        scope = _joined(around, str(equation.source_info.name_stack))
        if primitive.name in CALLS:
            inner = parameters[CALLS[primitive.name]]
            inner = inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())
            named = parameters["name"] if primitive.name in ("jit", "pjit") else ""
            known.update(zip(equation.outvars, zip(*_run(inner, values, moves, _joined(scope, named), keep))))
            continue
        with equation.ctx.manager:
            answer = primitive.bind(*values, **parameters)
        for var, value in zip(equation.outvars, answer if primitive.multiple_results else [answer]):
            known[var] = (value, any(moves))
            if any(moves) and hasattr(value, "dtype"):
                keep(scope, primitive.name, value)
    ends = [read(one) for one in jaxpr.outvars]
    return [value for value, _ in ends], [moved for _, moved in ends]
