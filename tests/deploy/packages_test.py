# SPDX-License-Identifier: Apache-2.0
"""The Debian package and the bill of materials of this build. `packages_test.py BUILD_FOLDER`"""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "script"))
import sbom  # noqa: E402
import version  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class PackagesTest(unittest.TestCase):
    def test_the_debian_package_installs_program_completions_page_and_licences(self):
        if not shutil.which("dpkg-deb"):
            self.skipTest("there is no dpkg-deb")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "NOTICES").write_text("libraries\n")
        program = folder / "edgeprobe"
        subprocess.run(["strip", "-o", program, BUILD / "edgeprobe"], check=True)
        made = output(sys.executable, ROOT / "script" / "deb.py", program, folder / "NOTICES", folder, "--plain").strip()
        self.assertEqual(output("dpkg-deb", "--field", made, "Package", "Version", "Architecture", "Depends").splitlines(),
                         ["Package: edgeprobe", f"Version: {version.version('debian')}", f"Architecture: {output('dpkg', '--print-architecture').strip()}",
                          "Depends: libc6 (>= 2.35)"])
        listed = output("dpkg-deb", "--contents", made).splitlines()
        self.assertFalse([line for line in listed if not re.match(r"(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root/root ", line)])
        root = folder / "root"
        output("dpkg-deb", "--extract", made, root)
        self.assertEqual(output(root / "usr/bin/edgeprobe", "--version"), f"edgeprobe {version.version('program')}\n")
        share = root / "usr/share"
        self.assertIn("complete -o default -F _edgeprobe", (share / "bash-completion/completions/edgeprobe").read_text())
        self.assertTrue((share / "zsh/vendor-completions/_edgeprobe").read_text().startswith("#compdef edgeprobe\n"))
        self.assertIn("complete -c edgeprobe", (share / "fish/vendor_completions.d/edgeprobe.fish").read_text())
        self.assertIn(".TH EDGEPROBE 1", gzip.decompress((share / "man/man1/edgeprobe.1.gz").read_bytes()).decode())
        self.assertTrue((share / "doc/edgeprobe/copyright").read_text().endswith("libraries\n"))

    def test_the_bill_of_materials_lists_what_the_page_of_dependencies_does(self):
        if not (BUILD / "build.ninja").exists() or not shutil.which("dpkg-query"):
            self.skipTest("Ninja's records of a build on Debian are read")
        page = (ROOT / "docs" / "dependencies.md").read_text().split("## In the product\n")[1].split("\n### ")[0]
        linked = [row for row in page.splitlines() if "opened at run time" not in row]
        named = {name for row in linked for name in re.findall(r"`([a-z0-9.+-]+-dev)`", row)}
        self.assertGreater(len(named), 8)
        bill = sbom.cyclonedx(BUILD)
        components = {one["name"]: one for one in bill["components"]}
        self.assertEqual(set(components), named | {sbom.compiler_package(), "nanobind"})
        for name in named:
            self.assertEqual(components[name]["version"], output("dpkg-query", "-W", "-f", "${Version}", name))
        self.assertEqual(bill["metadata"]["component"]["hashes"][0]["content"], output("sha256sum", BUILD / "edgeprobe").split()[0])
        self.assertEqual(json.loads(json.dumps(sbom.cyclonedx(BUILD))), bill)  # both calls return the same bill, including its number


if __name__ == "__main__":
    unittest.main()
