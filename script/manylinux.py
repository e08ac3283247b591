# SPDX-License-Identifier: Apache-2.0
"""What the ELF files of a release need of a machine, and the wheel's tag that says so.

    script/manylinux.py check FILE...            libraries and the newest glibc symbol of each; exit code 1 when one needs more
    script/manylinux.py wheel WHEEL FOLDER FILE...   the wheel with its tag, and the files as licences, into a folder
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

#: libdl and libpthread are parts of libc since glibc 2.34; files that were linked against an older glibc still name them.
ALLOWED = re.compile(r"(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux[-a-z0-9]*\.so\.[0-9])")
NEWEST_GLIBC = (2, 35)  # The glibc of Ubuntu 22.04, which libgcc's _dl_find_object requires. Debian 12 has 2.36.
WHEN = (2026, 1, 1, 0, 0, 0)  # The time of every member, so that equal files make an equal wheel.


def readelf(*args):
    return subprocess.run(["readelf", "--wide", *map(str, args)], check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))


def newest_glibc(path):
    """The highest glibc version that a symbol requires, and one such symbol."""
    symbols = re.findall(r"(\S+)@GLIBC_(\d+)\.(\d+)", readelf("--dyn-syms", path))
    name, major, minor = max(symbols, key=lambda symbol: (int(symbol[1]), int(symbol[2])))
    return (int(major), int(minor)), name


def machine(path):
    named = re.search(r"Machine:\s+(.*)", readelf("--file-header", path))[1]
    return "aarch64" if named == "AArch64" else "x86_64" if "X86-64" in named else "arm"


def problems(path):
    """Sentences about libraries and symbols that a machine with only NEWEST_GLIBC lacks."""
    found = [f"{path} needs {name}" for name in needed(path) if not ALLOWED.fullmatch(name)]
    version, symbol = newest_glibc(path)
    if version > NEWEST_GLIBC:
        found.append(f"{path} asks for {symbol} of glibc {version[0]}.{version[1]}")
    return found


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def retag(wheel, folder, licences):
    """Writes the wheel under its manylinux tag; every ELF file in it is checked first. Returns its path."""
    with tempfile.TemporaryDirectory() as scratch:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(scratch)
            modes = {info.filename: info.external_attr for info in archive.infolist()}
        root = pathlib.Path(scratch)
        natives = [path for path in root.rglob("*") if path.is_file() and is_elf(path)]
        wrong = [sentence for path in natives for sentence in problems(path)]
        if wrong or not natives:
            sys.exit("\n".join(wrong or [f"{wheel} contains no program"]))
        tag = f"manylinux_{NEWEST_GLIBC[0]}_{NEWEST_GLIBC[1]}_{machine(natives[0])}"
        (about,) = root.glob("*.dist-info")
        text = (about / "WHEEL").read_text()
        python = re.search(r"^Tag: (\S+-\S+)-\S+$", text, re.M)[1]
        (about / "WHEEL").write_text(re.sub(r"^Tag: \S+$", f"Tag: {python}-{tag}", text, flags=re.M))
        (about / "licenses").mkdir(exist_ok=True)
        for licence in licences:
            (about / "licenses" / pathlib.Path(licence).name).write_bytes(pathlib.Path(licence).read_bytes())
        record = about / "RECORD"
        target = pathlib.Path(folder) / f"{about.name.removesuffix('.dist-info')}-{python}-{tag}.whl"
        lines = []
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(path for path in root.rglob("*") if path.is_file() and path != record):
                name = path.relative_to(root).as_posix()
                data = path.read_bytes()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                lines.append(f"{name},sha256={digest},{len(data)}\n")
                add(archive, name, data, modes.get(name))
            lines.append(f"{record.relative_to(root).as_posix()},,\n")
            add(archive, record.relative_to(root).as_posix(), "".join(lines).encode(), None)
    return target


def add(archive, name, data, mode):
    info = zipfile.ZipInfo(name, WHEN)
    info.external_attr = mode or 0o100644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def main():
    verb, *words = sys.argv[1:] or ["--help"]
    if verb == "check" and words:
        wrong = [sentence for path in words for sentence in problems(path)]
        for path in words:
            version, symbol = newest_glibc(path)
            print(f"{path}: {machine(path)}, needs {', '.join(needed(path))}, glibc {version[0]}.{version[1]} ({symbol})")
        sys.exit("\n".join(wrong) or None)
    if verb == "wheel" and len(words) > 1:
        print(retag(words[0], words[1], words[2:]))
        return
    print(__doc__)
    sys.exit(0 if verb in ("-h", "--help") else 2)


if __name__ == "__main__":
    main()
