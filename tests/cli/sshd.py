# SPDX-License-Identifier: Apache-2.0
"""Debian's real sshd on loopback, with the test's keys and settings, and the system's ssh with a configuration that connects to it."""
import getpass
import os
import pathlib
import shutil
import socket
import subprocess

from processes import wait_for
from tool import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UNPACKED = ROOT / ".deps" / "sshd"


def missing():
    """The reason why the test cannot run an sshd; "" if it can."""
    if not program():
        return "no sshd: script/setup --test unpacks Debian's"
    if not shutil.which("ssh"):
        return "no ssh client"
    if os.getuid() != 0:
        return ""
    # Its mounts must not be those of the machine; in a plain chroot they would be.
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"no mounts of its own for sshd: {tried.stderr.strip()}"


def program():
    for path in (UNPACKED / "usr/sbin/sshd", pathlib.Path("/usr/sbin/sshd")):
        if path.exists():
            return path
    return None


def free_port(address):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


class Sshd:
    """`environment`: for every program that sshd starts; `small_disk`: XDG_CACHE_HOME is a disk of 1 MB (root only); `inside`: a command that
    runs another one elsewhere, such as in its own network."""

    def __init__(self, folder, address="127.0.0.1", port=None, environment=None, small_disk=False, inside=()):
        self.folder, self.address = pathlib.Path(folder) / "sshd", address
        self.folder.mkdir(mode=0o700)
        self.home = self.folder / "cache"
        self.home.mkdir()
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True, stdin=subprocess.DEVNULL)
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        environment = {"XDG_CACHE_HOME": self.home, **(environment or {})}
        # Another program may have taken a port that was free a moment ago.
        for _ in range(10):
            self.port = port or free_port(address)
            if self.start(environment, small_disk, inside):
                return
            self.__exit__()
            if port or "Address already in use" not in (self.folder / "log").read_text():
                break
        raise AssertionError((self.folder / "log").read_text())

    def start(self, environment, small_disk, inside):
        """Starts it; true if it listens."""
        settings = [f"ListenAddress {self.address}", f"Port {self.port}", f"HostKey {self.folder}/host", f"AuthorizedKeysFile {self.folder}/authorized",
                    "StrictModes no", "UsePAM no", "PidFile none", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin yes",
                    "SetEnv " + " ".join(f'"{name}={value}"' for name, value in environment.items())]
        (self.folder / "sshd_config").write_text("\n".join(settings) + "\n")
        self.write_client()
        command = [program(), "-D", "-e", "-f", self.folder / "sshd_config"]
        libraries = {**os.environ, "LD_LIBRARY_PATH": str(UNPACKED / "usr/lib" / f"{os.uname().machine}-linux-gnu")}
        if os.getuid() == 0:
            # sshd needs its own user and a folder in /run: both exist only for this process.
            (self.folder / "passwd").write_text(pathlib.Path("/etc/passwd").read_text() + "sshd:x:65111:65534::/run/sshd:/usr/sbin/nologin\n")
            disk = f"mount -t tmpfs -o size=1m tmpfs '{self.home}' && " if small_disk else ""
            mounts = f"{disk}mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && mount --bind '{self.folder}/passwd' /etc/passwd && exec \"$@\""
            command = ["unshare", "-m", "sh", "-c", mounts, "sh", *command]
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen([str(word) for word in (*inside, *command)], stdout=self.log, stderr=self.log, env=libraries)
        is_listening = lambda: "listening" in (self.folder / "log").read_text()
        return wait_for(lambda: is_listening() or self.process.poll() is not None) and is_listening()

    def write_client(self, **options):
        """A folder for PATH; its ssh is the system's, with this configuration instead of the user's."""
        settings = {"IdentityFile": self.folder / "user", "IdentitiesOnly": "yes", "UserKnownHostsFile": self.folder / "known_hosts", **options}
        known = (self.folder / "host.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[{self.address}]:{self.port} {known}")
        (self.folder / "ssh_config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        self.bin = self.folder / "bin"
        self.bin.mkdir(exist_ok=True)
        (self.bin / "ssh").write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F '{self.folder}/ssh_config' \"$@\"\n")
        (self.bin / "ssh").chmod(0o755)

    @property
    def target(self):
        return f"ssh://{getpass.getuser()}@{self.address}:{self.port}"

    @property
    def environment(self):
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
        self.log.close()
