# SPDX-License-Identifier: Apache-2.0
"""Certificates for tests, made with the commands of docs/guides/targets.md and the system's openssl."""
import pathlib
import re
import shlex
import subprocess

GUIDE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "guides" / "targets.md"


def commands():
    """The guide's three commands: for the authority, the device and the host."""
    found = re.findall(r"^openssl req .*", GUIDE.read_text(), re.M)
    assert len(found) == 3, found
    return found


def make(folder):
    """ca, device (for localhost, 127.0.0.1) and host; stranger: an unknown authority and a certificate that it signed."""
    folder.mkdir()
    authority, device, host = commands()
    device = device.replace("DNS:device.local,IP:192.168.1.7", "DNS:localhost,IP:127.0.0.1")
    elsewhere = device.replace("DNS:localhost,IP:127.0.0.1", "DNS:elsewhere.example")
    made = [authority, device, host, authority.replace("ca.", "stranger."), elsewhere.replace("device.", "elsewhere.")]
    made += [command.replace("ca.", "stranger.").replace(name + ".", "foreign_" + name + ".") for command, name in ((device, "device"), (host, "host"))]
    for command in made:
        subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True)
    for name, purpose in (("device", "serverAuth"), ("host", "clientAuth")):
        (folder / "extensions").write_text(f"subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage={purpose}\n")
        request = ["openssl", "req", "-new", "-key", name + ".key", "-subj", "/CN=old " + name, "-out", "old.csr"]
        # The certificate expired yesterday.
        sign = ["openssl", "x509", "-req", "-in", "old.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "-1", "-extfile", "extensions", "-out", f"old_{name}.pem"]
        for command in (request, sign):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder
