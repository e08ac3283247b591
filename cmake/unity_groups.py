# SPDX-License-Identifier: Apache-2.0
"""Joins the sources of targets into translation units, since most of a cold build is the same headers and templates again.

    unity_groups.py <LINES      a line a target: TARGET,FOLDER,SOURCE,...; writes FOLDER/N.cc, and prints TARGET,UNIT,...

A unit includes the headers of all its sources first, then each source. A name that a source keeps to itself (in an unnamed
namespace, as `static`, as a `using` of its own) and that another source of the unit mentions gets a name of its own by a macro
that stands around that source. Where a macro would reach more than that name (`.name`, `::name`, an overload of a header's
function), the two sources do not share a unit; nor do they where a function of a header that only one of them includes hides one
that the other calls. So a call finds the function that it finds when its file is compiled alone.

Sources that include nlohmann/json.hpp are joined with each other: whatever includes it waits 0.4 s for its own templates.
"""
import functools
import os
import re
import sys

MOST_SOURCES = 30
MOST_LINES = 4500  # A unit of these takes 15 s, and 1 GB.
# Functions that take a scoped enumeration, which converts to nothing: a call finds the right one, or does not compile.
FOUND_BY_ARGUMENT = {'name'}
# Found by the arguments of a template that calls them.
NEVER_RENAMED = {'to_json', 'from_json', 'begin', 'end', 'swap', 'hash', 'main'}
JSON = 'nlohmann/json.hpp'
SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'src')

TOKEN = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)|(?<=[^-]>)([A-Za-z_]\w*)')
QUALIFIED = re.compile(r'(?:\.|->|::)\s*([A-Za-z_]\w*)')
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^\s*#include[^\n]*', re.S | re.M)
TYPE = re.compile(r'^(?:template ?<.*> )?(?:struct|class|enum class|enum struct|enum|union) (\w+)|^(?:using|namespace) (\w+) =')
VARIABLE = re.compile(r'^(?:inline |static |thread_local |constexpr |constinit |const |extern )*[\w:<>,&* ]+?[ &*>](\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)')
FUNCTION = re.compile(r'^(?:template ?<.*> )?(?:\[\[\w+\]\] )?[\w:<>,&*() \[\]]*?[ &*>](\w+)\(')
ALIAS = re.compile(r'^(?:using|namespace) (\w+) = ([^;]+);', re.M)
ENUMERATORS = re.compile(r'^enum (?!class|struct)[^{]*\{([^}]*)\}', re.M)
INCLUDE = re.compile(r'^#include ("[^"]+"|<[^>]+>)', re.M)
MACRO = re.compile(r'^#define (\w+)', re.M)


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
            if line.startswith(('constexpr ', 'const ')) and '(' not in line:
                names.update(re.findall(r'(?<=, )(\w+)(?= = )', line))
        if line.startswith('}  '):
            depth = 0
    for body in ENUMERATORS.findall(code):
        names.update(re.findall(r'\b(k\w+)', body))
    return names - {None, 'namespace', 'operator'}


@functools.cache
def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def without_noise(text):
    return NOISE.sub(lambda found: ' ' if '\n' not in found[0] else '\n' * found[0].count('\n'), text)


@functools.cache
def code_of(path):
    return without_noise(read(path))


def declared_by(line):
    if line and line[0] not in ' }#)/' and not re.match(r'using [\w:]+;|using namespace', line):
        if found := TYPE.match(line) or VARIABLE.match(line) or FUNCTION.match(line):
            return found[1] or found[found.lastindex]


@functools.cache
def declared(path):
    """Names that a header declares outside of classes and functions."""
    return frozenset(map(declared_by, code_of(path).split('\n'))) - {None, 'namespace', 'operator'}


@functools.cache
def headers(path):
    """What a file includes: headers of the project by their path, others as they stand in brackets."""
    found = []
    for name in INCLUDE.findall(read(path)):
        if name[0] == '<':
            found.append(name)
            continue
        for folder in (SOURCES, os.path.dirname(path)):
            if os.path.exists(inside := os.path.normpath(os.path.join(folder, name[1:-1]))):
                found.append(inside)
                break
    return tuple(found)


@functools.cache
def all_headers(path):
    """Those with what they include in turn."""
    own = [header for header in headers(path) if header[0] != '<']
    return frozenset(headers(path)).union(*map(all_headers, own))


def of_project(found):
    return {header for header in found if header[0] != '<'}


@functools.cache
def namespace_of(path):
    """The named namespace of a file; each has one."""
    found = re.search(r'^namespace ([\w:]+) \{', read(path), re.M)
    return found[1] if found else ''


@functools.cache
def enclosing(namespace):
    """From the outermost to the namespace itself."""
    parts = namespace.split('::')
    return ['::'.join(parts[:count]) for count in range(1, len(parts) + 1)]


class Source:
    def __init__(self, path):
        # The comment behind a closing brace tells where an unnamed namespace ends.
        marked = re.sub(r'^\}\s+// namespace$', '}  ;', read(path), flags=re.M)
        code = without_noise(marked)
        self.path = path
        self.lines = code.count('\n')
        self.own = own_names(code)
        self.aliases = set(ALIAS.findall(code))
        self.opened = set(re.findall(r'^using namespace ([\w:]+);', code, re.M))
        self.usings = dict((name.split('::')[-1], name) for name in re.findall(r'^using ([\w:]+);', code, re.M))
        self.mentioned = {first or second for first, second in TOKEN.findall(code)}
        self.called = self.mentioned - FOUND_BY_ARGUMENT
        self.includes = headers(path)
        self.headers = of_project(all_headers(path))
        self.has_json = f'<{JSON}>' in all_headers(path)
        self.macros = MACRO.findall(code)
        self.namespaces = enclosing(namespace_of(path))
        self.declared = set().union(*map(declared, self.headers))
        # What a macro of that name would reach beside the name itself.
        self.fixed = set(QUALIFIED.findall(code)) | self.declared | NEVER_RENAMED
        # Headers that see a macro of the source cannot come first.
        includes = [found.start() for found in INCLUDE.finditer(marked)]
        conditional = re.search(r'^#\s*if', marked, re.M)
        self.stays_alone = bool(includes) and (
            0 <= marked.find('#define') < includes[-1] or bool(conditional and conditional.start() < includes[-1]))

    def clashes(self, other):
        """Names of this source that mean something in the other one, or in a header that the other one alone includes."""
        shared = {name for name, _ in self.aliases & other.aliases}
        own = self.own - shared
        return own & other.mentioned | own & other.own | (own & other.declared) - self.declared

    def brings(self, other):
        """Whether a name that this source takes from another namespace means something else in the other source."""
        return any(other.usings.get(name) != of and (name in other.mentioned or name in other.declared and name not in self.declared)
                   for name, of in self.usings.items())

    def hides(self, other):
        """Whether a function of a header that this source alone includes hides one that the other source calls."""
        for header, names in self.hiding.items():
            inner = namespace_of(header)
            if inner in other.namespaces and header not in other.headers:
                if any((outer, name) in other.visible() for name in names & other.called for outer in enclosing(inner)[:-1]):
                    return True
        return False

    @functools.cache
    def visible(self):
        return {(namespace_of(header), name) for header in self.headers for name in declared(header)}

    def fits(self, other):
        if self.has_json != other.has_json or self.stays_alone or other.stays_alone:
            return False
        # What one opens, the other would see too, where both stand in namespaces of which one holds the other.
        if self.opened != other.opened and (self.namespaces[-1:] == other.namespaces[-1:] or self.opened and other.opened):
            return False
        if self.clashes(other) & self.fixed or other.clashes(self) & other.fixed:
            return False
        return not any(one.hides(two) or one.brings(two) for one, two in ((self, other), (other, self)))


def hiding(headers):
    """For each header, its names that another of the headers declares in an enclosing namespace."""
    namespaces = {}
    for header in headers:
        for name in declared(header):
            namespaces.setdefault(name, set()).add(namespace_of(header))
    found = {}
    for header in headers:
        outer = set(enclosing(namespace_of(header))[:-1])
        if names := {name for name in declared(header) if not outer.isdisjoint(namespaces[name])}:
            found[header] = names
    return found


def groups(paths, is_json_apart=True):
    sources = [Source(path) for path in paths]
    for source in sources:
        source.has_json &= is_json_apart
    found = hiding(set().union(*(source.headers for source in sources)))
    for source in sources:
        source.hiding = {header: names for header, names in found.items() if header in source.headers}
    misfits = {source: set() for source in sources}
    for position, one in enumerate(sources):
        for other in sources[:position]:
            if not one.fits(other):
                misfits[one].add(other)
                misfits[other].add(one)
    made = []
    # Those that fit few others first, as in the colouring of a graph: it leaves fewer groups.
    for source in sorted(sources, key=lambda source: -len(misfits[source])):
        for group in made:
            if len(group) < MOST_SOURCES and sum(member.lines for member in group) + source.lines < MOST_LINES and (
                    misfits[source].isdisjoint(group)):
                group.append(source)
                break
        else:
            made.append([source])
    return made


def text(group):
    """A unit as C++."""
    lines = []
    if not group[0].stays_alone:
        included = dict.fromkeys(header for source in group for header in source.includes)
        lines += [f'#include {header}' if header[0] == '<' else f'#include "{header}"' for header in included]
    for number, source in enumerate(group):
        renamed = sorted(set().union(*(source.clashes(other) for other in group if other is not source)))
        lines += [f'#define {name} {name}_of_{number}' for name in renamed]
        lines.append(f'#include "{source.path}"')
        lines += [f'#undef {name}' for name in renamed + source.macros]
    return '\n'.join(lines) + '\n'


def write(path, content):
    """Leaves a file as it is where nothing changes, since its age decides what is compiled anew."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == content:
                return
    with open(path, 'w', encoding='utf-8') as file:
        file.write(content)


def main(lines):
    for line in lines:
        target, folder, *paths = line.rstrip('\n').split(',')
        os.makedirs(folder, exist_ok=True)
        units = []
        for number, group in enumerate(groups(paths)):
            units.append(os.path.join(folder, f'{"json" if group[0].has_json else "plain"}_{number}.cc'))
            write(units[-1], text(group))
        print(target, *units, sep=',')


if __name__ == '__main__':
    main(sys.stdin)
