# SPDX-License-Identifier: Apache-2.0
"""Results of verbs as a notebook shows them: the cause first, then the figures, then the page if there is one."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .parts import Html, bold, cell, code, framed, joined, line, listed, microseconds, share, shown, table

Json = Mapping[str, Any]
#: With at least this many quiet runs, a benchmark's figures are those of the quiet runs.
_QUIET_RUNS = 20
#: Most layers in a table of a verdict or a comparison.
_LAYERS = 10


def result_html(result: Json, page: str | None = None, page_path: str | None = None) -> str:
    """Chosen by the keys of a result. `page`: the text of its page; `page_path`: the path of the page."""
    if {"verdict", "causes", "task"} <= result.keys():
        return cell(*_verdict(result), _page(page, page_path))
    if {"outcome", "assertions"} <= result.keys():
        return cell(*_contract(result))
    if {"outcome", "output_distance", "layers"} <= result.keys():
        return cell(*_comparison(result))
    if {"outcome", "causes", "facts", "distance"} <= result.keys():
        return cell(*_dumps(result))
    if "edgeprobe_bench" in result and "configurations" in result:
        return cell(*_bench(result))
    if {"kind", "status", "detail", "fix", "explains"} <= result.keys():
        return cell(_cause(result))
    return cell(_members(result))


def result_text(result: Json) -> str | None:
    """A short text instead of a long result, for places that can only show text; None if the result can be shown whole."""
    outcome = result.get("verdict") or result.get("outcome")
    if not isinstance(outcome, str) or not isinstance(result.get("headline"), str):
        return None
    return f"{outcome}: {result['headline'].removeprefix(f'{outcome}: ')}\n(a result with the keys {', '.join(result)})"


def _page(page: str | None, path: str | None) -> Html:
    inside = framed(page) if page is not None else None
    if inside is not None:
        return inside
    return line("The whole page:", Html(f"<code>{shown(path)}</code>")) if path else Html("")


def _verdict(result: Json) -> list[Html]:
    return [line(bold(result["headline"])), line("verdict:", result["verdict"]), _scores(result["task"]), _outputs(result["outputs"]),
            *(_cause(cause) for cause in result["causes"]), listed("would decide", result["would_decide"]), listed("warnings", result["warnings"]),
            _layers(result["layers"])]


def _scores(task: Json) -> Html:
    if task["target"] is None:
        return Html("")
    as_share = share if "accuracy" in task["metric"] else shown
    rows = []
    for who, name in (("target", "target"), ("reference", "reference"), ("fixed", "after the fix")):
        if task[who] is not None:
            low, high = (task["ci95"].get(who) or [None, None])
            rows.append((name, as_share(task[who]), joined(as_share(low), " to ", as_share(high))))
    return table(rows, (task["metric"], "", f"95 %, n = {task['n']}"))


def _outputs(outputs: Json) -> Html:
    if outputs["distance"] is None:
        return Html("")
    return line("outputs differ by", outputs["distance"], f"({outputs['kind']}), floor", outputs["floor"])


def _cause(cause: Json) -> Html:
    rows: list[tuple[Any, Any]] = [(bold(cause["kind"]), joined(cause["status"], ": ", cause["detail"]))]
    if cause["explains"] is not None:
        rows.append(("explains", share(cause["explains"])))
    if cause["fix"] and cause["status"] == "confirmed":
        if cause["fix"]["step"]:
            rows.append(("fix", code(cause["fix"]["step"])))
        rows += [(library, code(text)) for library, text in cause["fix"]["code"].items()]
    return table(rows)


def _layers(layers: list[Json]) -> Html:
    """A table of the worst layers."""
    known = [one for one in layers if one["rmse_over_range"] is not None]
    worst = sorted(known, key=lambda one: one["rmse_over_range"], reverse=True)[:_LAYERS]
    return table([(one["name"], one["type"], one["rmse_over_range"], one["snr_db"], one["cosine"]) for one in worst],
                 (f"worst {len(worst)} of {len(layers)} tensors", "type", "rMSE/range", "SNR dB", "cosine"))


def _comparison(result: Json) -> list[Html]:
    distance, classes = result["output_distance"], result["classes"]
    rows: list[tuple[Any, Any]] = [("frames", result["frames"]["joined"])]
    if distance and distance["mean"] is not None:
        low, high = distance.get("ci95") or [None, None]
        rows.append(("outputs", joined(distance["mean"], f" ({distance['kind']}), 95 %: ", low, " to ", high)))
    rows.append(("floor", result["floor"]))
    if classes and classes["top1_agreement"] is not None:
        rows.append(("same best class", share(classes["top1_agreement"])))
    return [line(bold(result["headline"])), table(rows), _layers(result["layers"])]


def _dumps(result: Json) -> list[Html]:
    """The result of ``why``: two dumps of one tensor."""
    rows: list[tuple[Any, Any]] = [(one["what"], one["text"]) for one in result["facts"]]
    rows += [(name, code(result[key])) for name, key in (("app's recipe", "app_recipe"), ("reference's recipe", "reference_recipe")) if result[key]]
    return [line(bold(result["headline"])), line("outcome:", result["outcome"]), *(_cause_of_dumps(cause) for cause in result["causes"]), table(rows),
            listed("would decide", result["would_decide"])]


def _cause_of_dumps(cause: Json) -> Html:
    rows: list[tuple[Any, Any]] = [(bold(cause["kind"]), cause["detail"])]
    rows += [("or", one) for one in cause["alternatives"]]
    if cause["fix_step"]:
        rows.append(("fix", code(cause["fix_step"])))
    return table(rows + [(library, code(text)) for library, text in cause["fix_code"].items()])


def _contract(result: Json) -> list[Html]:
    counts = ", ".join(f"{result[word]} {word.replace('_', ' ')}" for word in ("passes", "fails", "cannot_tell", "not_yet"))
    # Failing assertions come first.
    rest = sorted((one for one in result["assertions"] if one["state"] != "passes"), key=lambda one: one["state"] != "fails")
    return [line(bold(f"{result['outcome']}: {counts}")),
            table([(one["id"], one["state"], one["value"], one["bound"], one["why"], one["cure"]) for one in rest],
                  ("assertion", "state", "value", "bound", "why", "cure"), of="assertions")]


def _bench(result: Json) -> list[Html]:
    rows = []
    for one in result["configurations"]:
        kind = "quiet_" if (one.get("quiet_inferencetime_count") or 0) >= _QUIET_RUNS else ""
        low, high = (one.get(f"{kind}inferencetime_p50_interval") or [None, None])[:2]
        rows.append((one["name"], microseconds(one.get(f"{kind}inferencetime_p50")), joined(microseconds(low), " to ", microseconds(high)), microseconds(one.get(f"{kind}inferencetime_p90")),
                     microseconds(one.get(f"{kind}inferencetime_p99")), one.get("inferencetime_count"), one.get("quiet_inferencetime_count")))
    warnings = [text for one in result["configurations"] for text in one.get("warnings", [])]
    engine, machine = result["engine"], result["machine"]
    return [line(bold(result["model"]["name"]), f"{engine['kind']} {engine['version']}, {machine['processor']}, {machine['cpus']} CPUs"),
            table(rows, ("configuration", "median", "95 %", "p90", "p99", "runs", "of them quiet")), listed("warnings", warnings)]


def _members(result: Json) -> Html:
    """Any other result: scalars unchanged, lists and objects by their size."""
    rows = []
    for key, value in result.items():
        if isinstance(value, Mapping):
            value = f"{{{', '.join(map(str, value))}}}"
        elif isinstance(value, list) and (len(value) > 3 or any(isinstance(one, (list, Mapping)) for one in value)):
            value = f"{len(value)} entries"
        rows.append((key, value))
    return table(rows, most=40, of="keys")
