# SPDX-License-Identifier: Apache-2.0
"""Joins the sources of the build into few units for clang-tidy, which spends most of its time in headers of the system.

    tidy_units.py FOLDER      writes units and FOLDER/compile_commands.json; prints the files to read, each with a zero byte

A unit of the build ends where its library ends; these do not. A source that two targets compile is read once. Sources of one
language share a unit by the rules of cmake/unity_groups.py, over the definitions and include folders of all of them.
"""
import json
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build'
sys.path.insert(0, str(ROOT / 'cmake'))
import unity_groups  # noqa: E402

unity_groups.MOST_SOURCES, unity_groups.MOST_LINES = 80, 12000
# unity_groups compares each source with each other.
AT_ONCE = 450


def sources_of(unit):
    """The sources that a unit of the build joins, or the file itself."""
    if not unit.parent.name.endswith('_units'):
        return [unit]
    return map(pathlib.Path, re.findall(r'^#include "(.*\.cc)"$', unit.read_text(), re.M))


def options_of(command):
    """What decides how clang reads a source, one option an item: neither its level, nor what only g++ understands."""
    words, kept = shlex.split(command), []
    for word, following in zip(words, words[1:] + ['']):
        if word == '-isystem':
            kept.append((word, following))
        elif word.startswith(('-I', '-std=', '-W', '-m')) and word != '-Winvalid-pch' or word.startswith('-D') and not word.endswith('_EXPORTS'):
            kept.append((word,))
    return kept


def alike(commands):
    """Lists of sources, each with the options to read them with: equal in language and processor, and with the macros and folders of all."""
    found = {}
    for command in commands:
        file = pathlib.Path(command['file'])
        if any(place / name in file.parents for place in (ROOT, BUILD) for name in ('src', 'bindings')):
            own = options_of(command['command'])
            options, sources = found.setdefault((file.suffix, *(option for option in own if option[0].startswith(('-std=', '-m')))), ({}, {}))
            options.update(dict.fromkeys(own))
            sources.update(dict.fromkeys(map(str, sources_of(file))))
    for options, sources in found.values():
        macros = [option[2:].split('=')[0] for option, *_ in options if option.startswith('-D')]
        if twice := {macro for macro in macros if macros.count(macro) > 1}:
            sys.exit(f'tidy_units: {", ".join(sorted(twice))}: a macro with two values; such sources cannot share a unit')
        yield [word for option in options for word in option], sorted(sources)


def main(folder):
    folder.mkdir(exist_ok=True)
    commands = []
    for own, sources in alike(json.loads((BUILD / 'compile_commands.json').read_text())):
        if not sources[0].endswith('.cc'):
            commands += [(0, pathlib.Path(source), 'clang', own) for source in sources]
            continue
        for start in range(0, len(sources), AT_ONCE):
            for group in unity_groups.groups(sources[start:start + AT_ONCE], is_json_apart=False):
                file = folder / f'unit_{len(commands)}.cc'
                file.write_text(unity_groups.text(group))
                commands.append((sum(source.lines for source in group), file, 'clang++', own))
    (folder / 'compile_commands.json').write_text(json.dumps(
        [{'directory': str(BUILD), 'file': str(file), 'command': shlex.join([compiler, *own, '-c', str(file)])}
         for _, file, compiler, own in commands]))
    # The longest first, so that two at a time end together.
    for _, file, *_ in sorted(commands, key=lambda command: -command[0]):
        print(file, end='\0')


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1]).resolve())
