# SPDX-License-Identifier: Apache-2.0
"""A cable with a delay and a rate between two separate networks, which can be cut: two TUN devices in two network namespaces, and a loop
that carries their packets. Both ends are the kernel's TCP. (netem would do the same in kernels that have it.)"""
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import threading
import time

from tool import PATIENCE

HOST, DEVICE = "10.9.0.1", "10.9.0.2"
CLONE_NEWNET, TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x40000000, 0x400454CA, 0x0001, 0x1000
MOST_QUEUED = 1000  # Packets, as netem's own queue.


def missing():
    """The reason why this machine cannot have a cable; "" if it can."""
    if os.getuid() != 0:
        return "a cable between network namespaces needs root"
    tried = subprocess.run(["unshare", "-n", "ip", "tuntap", "add", "dev", "try0", "mode", "tun"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else "no cable between network namespaces: " + tried.stderr.strip()


def enter_own_network():
    """Restarts this program in its own network. Returns in the restarted program, or if this machine cannot have such a network."""
    if os.environ.get("EDGEPROBE_OWN_NETWORK") == "1" or missing():
        return
    os.environ["EDGEPROBE_OWN_NETWORK"] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])


def new_network():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def open_tun(name, own, other):
    """In the network namespace of the calling thread."""
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    for words in (f"addr add {own} peer {other} dev {name}", f"link set {name} up", "link set lo up"):
        subprocess.run(["ip", *words.split()], check=True)
    return tun


class Cable:
    """This process is the host, at HOST; a command with the prefix `inside` runs on the device, at DEVICE."""

    def __init__(self, delay_s=0.0, bits_per_s=None):
        self.delay_s, self.bits_per_s, self.is_cut = delay_s, bits_per_s, False
        self.bytes_to_device = 0
        self.ready, self.over = threading.Event(), threading.Event()
        host = open_tun("host0", HOST, DEVICE)
        # A thread may be in its own network; the processes that it starts are there, too.
        self.thread = threading.Thread(target=self.carry, args=(host,), daemon=True)
        self.thread.start()
        if not self.ready.wait(PATIENCE):
            raise OSError("the cable did not come up")
        self.inside = ["nsenter", f"--net=/proc/{os.getpid()}/task/{self.thread.native_id}/ns/net"]

    def carry(self, host):
        new_network()
        device = open_tun("device0", DEVICE, HOST)
        self.ready.set()
        ways = {host: device, device: host}
        queues = {tun: collections.deque() for tun in ways}  # (arrival time, packet)
        free_at = dict.fromkeys(ways, 0.0)
        while not self.over.is_set():
            due = min((queue[0][0] for queue in queues.values() if queue), default=time.monotonic() + 0.05)
            readable, _, _ = select.select(list(ways), [], [], max(due - time.monotonic(), 0))
            now = time.monotonic()
            for tun in readable:
                packet = os.read(tun, 65536)
                if self.is_cut or len(queues[tun]) >= MOST_QUEUED:
                    continue
                self.bytes_to_device += len(packet) if tun == host else 0
                free_at[tun] = max(free_at[tun], now) + (len(packet) * 8 / self.bits_per_s if self.bits_per_s else 0)
                queues[tun].append((free_at[tun] + self.delay_s, packet))
            for tun, queue in queues.items():
                while queue and queue[0][0] <= now:
                    packet = queue.popleft()[1]
                    if not self.is_cut:
                        os.write(ways[tun], packet)
        os.close(host)
        os.close(device)

    def cut(self, seconds):
        self.is_cut = True
        time.sleep(seconds)
        self.is_cut = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
