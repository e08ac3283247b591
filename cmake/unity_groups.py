# SPDX-License-Identifier: Apache-2.0
"""Sorts the sources of one target into groups that can be compiled as one translation unit each.

    unity_groups.py SIZE SOURCE...      prints a line a group: its sources, separated by commas

Two files share a group only when no name of one of them changes its meaning in the other. That may be a name that one file
keeps to itself (in an unnamed namespace, as `static`, as a `using` of its own) and the other mentions without a qualifier,
or a function of a header that only one of them includes and that hides another one of the same name. So a call finds the
function that it finds when its file is compiled alone.
"""
import functools
import itertools
import os
import re
import sys

# Functions that take a scoped enumeration, which converts to nothing: a call finds the right one, or does not compile.
FOUND_BY_ARGUMENT = {'name'}
SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'src')

TOKEN = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)|(?<=[^-]>)([A-Za-z_]\w*)')
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^\s*#include[^\n]*', re.S | re.M)
TYPE = re.compile(r'^(?:template ?<.*> )?(?:struct|class|enum class|enum struct|enum|union) (\w+)|^(?:using|namespace) (\w+) =')
VARIABLE = re.compile(r'^(?:inline |static |thread_local |constexpr |constinit |const |extern )*[\w:<>,&* ]+?[ &*>](\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)')
FUNCTION = re.compile(r'^(?:template ?<.*> )?(?:\[\[\w+\]\] )?[\w:<>,&*() \[\]]*?[ &*>](\w+)\(')
ALIAS = re.compile(r'^(?:using|namespace) (\w+) = ([^;]+);', re.M)
ENUMERATORS = re.compile(r'^enum (?!class|struct)[^{]*\{([^}]*)\}', re.M)


def own_names(code):
    """Names that no other file may see: what stands at the left margin inside unnamed namespaces, statics, and usings."""
    names, depth = set(), 0
    for line in code.split('\n'):
        if re.match(r'namespace \{', line):
            depth += 1
        elif re.match(r'\}\s*$', line) and depth and line.startswith('} '):
            depth = 0
        elif depth or line.startswith(('static ', 'using ', 'constexpr ')) or ALIAS.match(line) or (
                line.startswith('const ') and not FUNCTION.match(line)):
            names.add(declared_by(line))
        if line.startswith('}  '):
            depth = 0
    for body in ENUMERATORS.findall(code):
        names.update(re.findall(r'\b(k\w+)', body))
    return names - {None, 'namespace', 'operator'}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def mentioned(code):
    return {first or second for first, second in TOKEN.findall(code)}


@functools.cache
def all_headers(path):
    """Headers of the project that a file includes, with those in them."""
    found = set(headers(path))
    return found.union(*map(all_headers, found))


@functools.cache
def declared(path):
    """Names that a header declares outside of classes and functions."""
    return set(map(declared_by, without_noise(read(path)).split('\n'))) - {None, 'namespace', 'operator'}


@functools.cache
def namespace_of(path):
    """The named namespace of a file; each has one."""
    found = re.search(r'^namespace ([\w:]+) \{', read(path), re.M)
    return found[1] if found else ''


def enclosing(namespace):
    """From the outermost to the namespace itself."""
    parts = namespace.split('::')
    return ['::'.join(parts[:count]) for count in range(1, len(parts) + 1)]


@functools.cache
def mentioned_in(path):
    return mentioned(without_noise(read(path)))


def declared_by(line):
    if line and line[0] not in ' }#)/' and not re.match(r'using [\w:]+;|using namespace', line):
        if found := TYPE.match(line) or VARIABLE.match(line) or FUNCTION.match(line):
            return found[1] or found[found.lastindex]


def headers(path):
    for name in re.findall(r'^#include "([^"]+)"', read(path), re.M):
        for folder in (SOURCES, os.path.dirname(path)):
            if os.path.exists(found := os.path.join(folder, name)):
                yield found
                break


def without_noise(text):
    return NOISE.sub(lambda found: ' ' if '\n' not in found[0] else '\n' * found[0].count('\n'), text)


class Source:
    def __init__(self, path):
        # The comment behind a closing brace tells where an unnamed namespace ends.
        code = without_noise(re.sub(r'^\}\s+// namespace$', '}  ;', read(path), flags=re.M))
        self.path = path
        self.own = own_names(code)
        self.aliases = set(ALIAS.findall(code))
        self.mentioned = mentioned(code)
        self.headers = all_headers(path)
        self.namespaces = enclosing(namespace_of(path))

    def is_safe_behind(self, other):
        """Whether no name in this file, or in a header that it alone includes, means something else once `other` was read."""
        added = self.headers - other.headers
        other_own = other.own - {name for name, _ in self.aliases & other.aliases}
        if other_own & (self.mentioned | set().union(*(mentioned_in(header) & declared_anywhere(header) for header in added))):
            return False
        # A function of an inner namespace hides one of the outer namespace that has the same name.
        hidden = set()
        for header in other.headers - self.headers:
            inner = namespace_of(header)
            if inner in self.namespaces:
                names = declared(header) & self.mentioned - FOUND_BY_ARGUMENT
                hidden |= {name for name in names for outer in enclosing(inner)[:-1] if (outer, name) in self.visible()}
        return not hidden

    @functools.cache
    def visible(self):
        return {(namespace_of(header), name) for header in self.headers for name in declared(header)}

    def fits(self, other):
        return self.is_safe_behind(other) and other.is_safe_behind(self)


def declared_anywhere(header):
    """Names that the header, or one that it includes, declares: its parameters and members are none of them."""
    return declared(header).union(*map(declared, all_headers(header)))


def groups(paths, size):
    sources = [Source(path) for path in paths]
    misfits = {source: set() for source in sources}
    for one, other in itertools.combinations(sources, 2):
        if not one.fits(other):
            misfits[one].add(other)
            misfits[other].add(one)
    made = []
    # Those that fit few others first, as in the colouring of a graph: it leaves fewer groups.
    for source in sorted(sources, key=lambda source: -len(misfits[source])):
        for group in made:
            if len(group) < size and misfits[source].isdisjoint(group):
                group.append(source)
                break
        else:
            made.append([source])
    return made


if __name__ == '__main__':
    for group in groups(sys.argv[2:], int(sys.argv[1])):
        print(','.join(source.path for source in group))
