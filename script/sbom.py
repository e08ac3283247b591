# SPDX-License-Identifier: Apache-2.0
"""The parts of a build's program that others wrote, read from Ninja's records: libraries, and headers whose code is compiled in.

    script/sbom.py packages BUILD [TARGET]  their Debian packages, one per line
    script/sbom.py cyclonedx BUILD          a bill of materials of the program and the wheel: CycloneDX 1.5, JSON
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

import version

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Licences in SPDX form. Read the licence of a package that is missing here before you release it.
LICENCES = {
    "libjpeg62-turbo-dev": "IJG AND BSD-3-Clause AND Zlib",
    "libpng-dev": "libpng-2.0",
    "zlib1g-dev": "Zlib",
    "libzstd-dev": "BSD-3-Clause",
    "liblz4-dev": "BSD-2-Clause",
    "libcli11-dev": "BSD-3-Clause",
    "libkissfft-dev": "BSD-3-Clause",
    "libpugixml-dev": "MIT",
    "libssl-dev": "Apache-2.0",
    "libyaml-cpp-dev": "MIT",
    "nlohmann-json3-dev": "MIT",
}
COMPILER_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"
#: Packages compiled from their pinned source into the module of the wheel, and third-party parts of them.
FROM_PYPI = {"nanobind": ("BSD-3-Clause", {"robin-map": "MIT"})}
#: Headers of the system itself: glibc is not in the files, and the compiler's own library is a row by itself.
OF_THE_SYSTEM = re.compile(r"(libc6|linux-libc|libcrypt|libstdc\+\+-\d+|libgcc-\d+)-dev|gcc-\d+|libc-dev-bin")


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def owners(files):
    """The Debian packages of files."""
    listed = subprocess.run(["dpkg", "-S", *files], capture_output=True, text=True).stdout if files else ""
    return {name.split(":")[0] for line in listed.splitlines() for name in line.rpartition(": ")[0].split(", ")}


def packages(build, target="edgeprobe"):
    """Debian packages whose code is in a target of BUILD, except the compiler's C++ library."""
    inputs = [line.strip() for line in output("ninja", "-C", build, "-t", "inputs", target).splitlines()]
    libraries = {file for file in inputs if file.startswith("/") and file.endswith(".a")}
    objects = [file for file in inputs if file.endswith((".o", ".gch"))]
    read = output("ninja", "-C", build, "-t", "deps", *objects)
    headers = set(re.findall(r"^    (/usr/include/\S+)$", read, re.M))
    return sorted(name for name in owners(libraries | {*map(os.path.realpath, libraries)} | headers) if not OF_THE_SYSTEM.fullmatch(name))


def compiler_package():
    """Debian's package with the licence of libstdc++ and libgcc, which every file contains."""
    return f"gcc-{output(os.environ.get('CXX', 'g++'), '-dumpversion').strip().split('.')[0]}-base"


def component(kind, name, at, purl, licence, part):
    return {"type": kind, "bom-ref": purl, "name": name, "version": at, "purl": purl,
            "licenses": [{"license": {"id": licence}} if re.fullmatch(r"[\w.-]+", licence) else {"expression": licence}],
            "properties": [{"name": "edgeprobe:part", "value": part}]}


def debian(name, licence):
    at, architecture = output("dpkg-query", "-W", "-f", "${Version} ${Architecture}", name).split()
    system = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    distro = "debian-" + system["VERSION_ID"].strip('"')
    purl = f"pkg:deb/debian/{name}@{at.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}&distro={distro}"
    return component("library", name, at, purl, licence, "program, wheel, Maven module, C package" if name.startswith("gcc-") else "program")


def pinned(name):
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]:
        if line.startswith(name + "=="):
            return line.partition("==")[2]
    sys.exit(f"sbom: pyproject.toml pins no {name}")


def cyclonedx(build):
    found = packages(build)
    unknown = [name for name in found if name not in LICENCES]
    if unknown:
        sys.exit(f"sbom: no licence is known of {', '.join(unknown)}; read it, and add it to script/sbom.py and docs/dependencies.md")
    libraries = [debian(name, LICENCES[name]) for name in found] + [debian(compiler_package(), COMPILER_LICENCE)]
    for name, (licence, inside) in FROM_PYPI.items():
        parts = [{"type": "library", "name": part, "licenses": [{"license": {"id": of_part}}]} for part, of_part in inside.items()]
        libraries.append({**component("library", name, pinned(name), f"pkg:pypi/{name}@{pinned(name)}", licence, "wheel"), "components": parts})
    number = version.version("program")
    program = component("application", "edgeprobe", number, f"pkg:generic/edgeprobe@{number}", "Apache-2.0", "program")
    del program["properties"]
    program["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256((pathlib.Path(build) / "edgeprobe").read_bytes()).hexdigest()}]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": program}, "components": libraries,
                "dependencies": [{"ref": program["bom-ref"], "dependsOn": [one["bom-ref"] for one in libraries]}]}
    # The serial number depends only on the parts.
    name = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    return {"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "serialNumber": f"urn:uuid:{name}", **document}


def main():
    match sys.argv[1:]:
        case ["packages", build, *target]:
            print("\n".join([*packages(build, *target), compiler_package()]))
        case ["cyclonedx", build]:
            print(json.dumps(cyclonedx(build), indent=2))
        case words:
            print(__doc__)
            sys.exit(0 if words in (["-h"], ["--help"]) else 2)


if __name__ == "__main__":
    main()
