# SPDX-License-Identifier: Apache-2.0
"""A stand-in: parameters of a class, as a JSON schema and as the arguments of its constructor."""
import pathlib
import typing

JSON = {pathlib.Path: "string", str: "string", int: "integer", float: "number", bool: "boolean"}


class HasArguments:
    arguments_structure = {}

    @classmethod
    def form_parameterschema(cls):
        properties, required = {}, []
        for base in cls.__mro__:
            for parameter, said in vars(base).get("arguments_structure", {}).items():
                name = said.get("argparse_name", "--" + parameter).lstrip("-").replace("-", "_")
                if name in properties:
                    continue
                entry = {"real_name": parameter, **{key: said[key] for key in ("description", "default", "enum") if key in said}}
                kind = said.get("type", str)
                if typing.get_origin(kind) is list:
                    entry.update({"type": ["array"], "items": {"type": [JSON[typing.get_args(kind)[0]]]}, "convert-type": typing.get_args(kind)[0]})
                else:
                    entry.update({"type": [JSON[kind]], "convert-type": kind})
                entry["type"] += ["null"] if said.get("nullable") else []
                properties[name] = entry
                required += [name] if said.get("required") else []
        return {"type": "object", "properties": properties, "required": required}

    @classmethod
    def _values(cls, json_dict):
        schema = cls.form_parameterschema()
        unknown = set(json_dict) - set(schema["properties"])
        assert not unknown, f"unknown {unknown}"
        values = {}
        for name, said in schema["properties"].items():
            value = json_dict.get(name, said.get("default"))
            if name in json_dict or "default" in said:
                values[said["real_name"]] = pathlib.Path(value) if said["convert-type"] is pathlib.Path and value else value
        return values
