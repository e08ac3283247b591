# SPDX-License-Identifier: Apache-2.0
"""The server over the official SDK: lists the tools, checks a call, runs the program, and answers."""
from __future__ import annotations

import json
import re
import time
from typing import Any

import anyio
import jsonschema
import mcp.server.stdio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from ..command_line import AGREES, DIFFERS, UNDECIDED, Done, sentence
from ..errors import Error
from ..verbs.verbs import Result
from .allowed import Allowed, Refused
from .answers import output_schema, published_schema, structured, text
from .process import run_program
from .tools import TOOLS, Tool

Context = ServerRequestContext[Any]
_SCHEMA = "edgeprobe://schema/report"
#: Seconds between two notifications of progress.
_BETWEEN_S = 1.0
_NOTES, _LONGEST_NOTE = 10, 400
INSTRUCTIONS = """edgeprobe shows what a machine-learning model really does on the device it was deployed to, and why it differs from its training.
A recorded app: diagnose. A model file: check. Two recordings: compare. Give the pre-processing of the training as reference_recipe; without it nothing is confirmed.
A cause is established only where its status is 'confirmed'. 'partial' and 'nearly' are nearest explanations: never state them as the cause.
'undecided' is an answer: would_decide says what is missing. Paths are relative to the first allowed folder."""


def make_server(allowed: Allowed, version: str) -> Server[Any]:
    calls = Calls(allowed)
    return Server("edgeprobe", version=version, instructions=INSTRUCTIONS, on_list_tools=_list_tools, on_call_tool=calls.call,
                  on_list_resources=_list_resources, on_read_resource=_read_resource)


async def serve(allowed: Allowed, version: str) -> None:
    server = make_server(allowed, version)
    async with mcp.server.stdio.stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(
        name=tool.name, title=tool.title, description=tool.says, input_schema=tool.input_schema(), output_schema=output_schema(tool),
        annotations=types.ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False)) for tool in TOOLS.values()])


async def _list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(
        name="report.schema.json", uri=_SCHEMA, mime_type="application/schema+json", description="Every key of the verdicts of check and diagnose")])


async def _read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    schema = published_schema("report.schema.json") if params.uri == _SCHEMA else None
    if schema is None:
        raise ValueError(f"there is no resource {params.uri}; there is {_SCHEMA}")
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=_SCHEMA, mime_type="application/schema+json", text=json.dumps(schema))])


class Calls:
    """Runs one program at a time, because a second one would distort measurements. Further calls wait for their turn."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._turn = anyio.Lock()

    async def call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            return _refusal(f"there is no tool {params.name!r}; there are {', '.join(TOOLS)}")
        arguments = params.arguments or {}
        if wrong := _wrong(tool, arguments):
            return _refusal(wrong)
        try:
            words = await anyio.to_thread.run_sync(tool.words, arguments, self._allowed)
            done = await self._run(words, Progress(context))
        except (Refused, Error) as error:
            return _refusal(str(error))
        if done.code not in (AGREES, DIFFERS, UNDECIDED):
            return _refusal(sentence(done.err, done.code))
        try:
            result: Result = json.loads(done.out, object_hook=Result)
        except ValueError as error:
            return _refusal(f"edgeprobe {tool.name} answered something that is not JSON: {error}")
        answer = structured(tool, arguments, result, done.code, _notes(done.err))
        return types.CallToolResult(content=[types.TextContent(text=text(tool, answer, result))], structured_content=answer)

    async def _run(self, words: list[str], progress: Progress) -> Done:
        failure: Error | None = None
        async with anyio.create_task_group() as beside:
            if self._turn.locked():
                progress.line("waits for the call before it")
            beside.start_soon(progress.report)
            try:
                async with self._turn:
                    progress.line(f"edgeprobe {words[0]} runs")
                    done = await run_program(words, self._allowed.base, progress.line)
            except Error as error:  # not as a part of the group
                failure = error
            beside.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return done


class Progress:
    """Reports to a waiting client how long a call has been running, and the latest line of the program."""

    def __init__(self, context: Context) -> None:
        self.message = "begins"
        self._context, self._began = context, time.monotonic()

    def line(self, said: str) -> None:
        self.message = said or self.message

    async def report(self) -> None:
        while True:
            # Progress is in seconds: a client may expect that numbers only grow, but the program's own steps start again in each phase.
            await self._context.session.report_progress(round(time.monotonic() - self._began, 3), None, self.message)
            await anyio.sleep(_BETWEEN_S)


def _wrong(tool: Tool, arguments: dict[str, Any]) -> str | None:
    """One sentence about the wrong argument."""
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(tool.input_schema()).iter_errors(arguments))
    if error is None:
        return None
    place = ".".join(map(str, error.absolute_path))
    return f"{tool.name}{f', {place}' if place else ''}: {error.message[:_LONGEST_NOTE]}"


def _notes(said: str) -> list[str]:
    """The program's notes on standard error, without its progress."""
    lines = [line.strip().removeprefix("warning: ") for line in said.splitlines() if not re.search(r": \d+/\d+ ", line)]
    return [line[:_LONGEST_NOTE] for line in lines if line][-_NOTES:]


def _refusal(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=why)], is_error=True)
