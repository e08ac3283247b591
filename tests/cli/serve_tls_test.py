# SPDX-License-Identifier: Apache-2.0
"""serve with certificates: Python's ssl and our own client are served; a client without a certificate gets the reason, and the next one is served."""
import json
import pathlib
import socket
import ssl
import tempfile
import time

import numpy as np

import certificates
import kenning
import serve_test
import tool
from serve_test import ADD, DATA, SPEC, Server
from tool import MODELS, PATIENCE, RECIPE, run


def setUpModule():
    global FOLDER, _folder
    _folder = tempfile.TemporaryDirectory(prefix="edgeprobe_tls_")
    FOLDER = certificates.make(pathlib.Path(_folder.name) / "certificates")


def tearDownModule():
    _folder.cleanup()


def flags(certificate="device", key="device"):
    return ["--tls-cert", FOLDER / f"{certificate}.pem", "--tls-key", FOLDER / f"{key}.key", "--tls-client-ca", FOLDER / "ca.pem"]


class TlsServer(Server):
    def __init__(self, *more, certificate="device", key="device", **options):
        super().__init__(*flags(certificate, key), *more, **options)

    def target(self, certificate="host", key="host", authority="ca"):
        own = f"cert={FOLDER / certificate}.pem&key={FOLDER / key}.key&" if certificate else ""
        return f"tls://{self.address}?{own}ca={FOLDER / authority}.pem"

    def context(self, certificate="host", key="host"):
        context = ssl.create_default_context(cafile=FOLDER / "ca.pem")
        if certificate:
            context.load_cert_chain(FOLDER / f"{certificate}.pem", FOLDER / f"{key}.key")
        return context

    def plain(self):
        return super().connect()

    def connect(self, context=None):
        """Python's client, which has verified the server's certificate."""
        client = (context or self.context()).wrap_socket(super().connect(), server_hostname="127.0.0.1")
        self.sockets.append(client)
        return client


class Tls(tool.ToolTest):
    def served(self, server):
        """Checks that the next client is served."""
        client = serve_test.Client(server, "g4")
        answer, why = client.ask(7, SPEC)
        self.assertTrue(kenning.succeeded(answer, "g4"), why)
        client.leave()

    def test_an_independent_client_gets_right_answers(self):
        if not ADD.exists():
            self.skipTest("no model add.bin: EDGEPROBE_SHARED_DATA")
        with TlsServer() as server:
            for version in (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2):
                for generation in ("g4", "g2"):
                    context = server.context()
                    context.maximum_version = version
                    server.connect = lambda context=context: TlsServer.connect(server, context)
                    client = serve_test.Client(server, generation)
                    self.assertEqual(client.socket.version(), version.name.replace("_", "."))
                    self.assertTrue(kenning.succeeded(client.ask(3, ADD.read_bytes())[0], generation))
                    for k in range(3):
                        sample = (np.arange(192) % 16 / 16 + k).astype(np.float32)
                        client.ask(2, sample.tobytes())
                        client.ask(4)
                        np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * sample)
                    client.leave()
        self.assertIn("(host): connected", server.log)  # The log contains the name in its certificate.

    def test_run_and_check_say_what_they_say_here(self):
        common = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *DATA]
        here = run("check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("color(rgb)", "color(bgr)") + " | quantize(model)", *common, expect=3)
        with TlsServer() as server:
            there = run("check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("color(rgb)", "color(bgr)") + " | quantize(model)", "--target", server.target(), *common, expect=3)
            self.assertEqual(here.out, there.out)
            for name, more in (("here", []), ("there", ["--target", server.target()])):
                run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA[:-1], 5, "--level", "layers", "--trace", self.folder / f"{name}.mcap", *more, expect=0)
        outcome = run("compare", self.folder / "here.mcap", self.folder / "there.mcap", "--json", "-", expect=0)
        self.assertEqual({layer["rmse"] for layer in json.loads(outcome.out)["layers"]}, {0.0})
        self.assertNotIn(str(FOLDER).encode(), (self.folder / "there.mcap").read_bytes())

    def test_clients_that_are_not_known_are_told_why(self):
        with TlsServer() as server:
            for certificate, key, words, line in (
                    (None, None, "wants a client's certificate", "the client has no certificate"),
                    ("old_host", "host", "it has expired", "the client's certificate has expired"),
                    ("foreign_host", "foreign_host", "signed by another authority", "another authority than those of --tls-client-ca"),
                    ("device", "device", "unsupported certificate", "is not made for a client")):
                with self.subTest(certificate=certificate):
                    outcome = run("run", MODELS / "signs_float.tflite", "--target", server.target(certificate, key), "--recipe", RECIPE, *DATA[:-1], 1, "--trace", self.folder / "t.mcap", expect=1)
                    self.assertIn(words, outcome.err)
                    # Python's client receives an alert.
                    with self.assertRaisesRegex(ssl.SSLError, "(?i)alert"):
                        client = server.connect(server.context(certificate, key))
                        client.sendall(b"EPRB")
                        client.recv(1)
                    self.served(server)
        for line in ("the client has no certificate", "the client's certificate has expired", "another authority than those of --tls-client-ca", "is not made for a client"):
            self.assertEqual(server.log.count(line), 2, server.log)

    def test_servers_that_are_not_known_are_told_apart(self):
        for certificate, key, words, line in (
                ("old_device", "device", "the server's certificate has expired", "it has expired"),
                ("foreign_device", "foreign_device", "signed by another authority", "signed by another authority"),
                ("elsewhere", "elsewhere", "is for another host", "refuses this server's certificate")):
            with self.subTest(certificate=certificate), TlsServer(certificate=certificate, key=key) as server:
                outcome = run("run", MODELS / "signs_float.tflite", "--target", server.target(), "--recipe", RECIPE, *DATA[:-1], 1, "--trace", self.folder / "t.mcap", expect=1)
                self.assertIn(words, outcome.err)
            self.assertIn(line, server.log)

    def test_plain_and_encrypted_are_told_apart(self):
        common = ["run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA[:-1], 1, "--trace", self.folder / "t.mcap"]
        with TlsServer() as server:
            self.assertIn("the server wants TLS", run(*common, "--target", "tcp://" + server.address, expect=1).err)
            for junk in (kenning.frame("g2", 7, SPEC), b"GET / HTTP/1.1\r\n\r\n", bytes(4000), b"\x16\x03\x01\x00\x05hello" * 9):
                client = server.plain()
                client.sendall(junk)
                answer = b""
                while got := client.recv(100):
                    answer += got
                self.assertEqual(answer[:2], b"\x15\x03", junk)  # An alert, and the connection ends.
            self.served(server)
        self.assertIn("the client speaks no TLS", server.log)
        with Server() as server:
            target = f"tls://{server.address}?ca={FOLDER / 'ca.pem'}"
            self.assertIn("the server expects no TLS", run(*common, "--target", target, expect=1).err)
            with self.assertRaisesRegex(ssl.SSLError, "(?i)alert"):
                ssl.create_default_context(cafile=FOLDER / "ca.pem").wrap_socket(server.connect(), server_hostname="127.0.0.1")
            self.served(server)
        self.assertEqual(server.log.count("the client speaks TLS, and this server was started without"), 2, server.log)

    def test_a_slow_handshake_keeps_nobody_out(self):
        def slow_clients(server):
            slow = [server.plain() for _ in range(10)]
            for client in slow:
                client.sendall(b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc")  # The beginning of a ClientHello of 16 KB.
                client.settimeout(0.05)
            return slow

        # The next client is served while all of these are still pending.
        with TlsServer("--handshake-limit", PATIENCE) as server:
            slow = slow_clients(server)
            self.served(server)
            for client in slow:
                self.assertRaises(TimeoutError, client.recv, 1)
        with TlsServer("--handshake-limit", "1.5") as server:
            slow = slow_clients(server)
            # Occasional bytes do not extend its time.
            end = time.monotonic() + PATIENCE
            while slow and time.monotonic() < end:
                for client in list(slow):
                    try:
                        client.sendall(b"\0")
                        if not client.recv(1):
                            slow.remove(client)
                    except TimeoutError:
                        pass
                    except OSError:
                        slow.remove(client)
            self.assertEqual(slow, [])
            self.served(server)
        self.assertEqual(server.log.count("the TLS handshake did not come to its end in time"), 10, server.log)

    def test_a_second_client_is_told_why(self):
        with TlsServer() as server:
            first = serve_test.Client(server, "g4")
            first.ask(7, SPEC)
            second = serve_test.Client(server, "g4")
            answer, why = second.ask(7, SPEC)
            self.assertFalse(kenning.succeeded(answer, "g4"))
            self.assertIn("another client is being served", why)
            first.ask(7, SPEC)

    def test_a_reset_in_the_middle_is_survived(self):
        with TlsServer() as server:
            for size in (0, 3, 200):
                client = server.plain()
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(size))
                client.close()
            for _ in range(3):
                client = serve_test.Client(server, "g4")
                client.send(kenning.frame("g4", 3, bytes(100_000))[:50_000])
                client.leave()
            self.served(server)

    def test_memory_while_listening(self):
        with TlsServer() as server:
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            resident = int(status.partition("VmRSS:")[2].split()[0])
            print(f"listening with TLS: {resident / 1000:.1f} MB resident")
            # Most of it is pages of the program; the order of its code determines which of them a page fault loads together.
            self.assertLess(resident, 14_000)

    def test_wrong_flags_are_told(self):
        for given, words in ((["--tls-key", "x"], "--tls-cert FILE is missing"),
                             (["--tls-cert", "x"], "--tls-client-ca FILE is missing"),
                             ([*flags(), "--insecure"], "leave it out if there are certificates"),
                             ([*flags(), "--stdio"], "is for --listen HOST:PORT"),
                             ([*flags(), "--listen", "unix:/tmp/x"], "is for --listen HOST:PORT"),
                             (flags("nowhere"), "No such file"),
                             (flags("device", "host"), "does not belong to the certificate"),
                             (["--listen", "0.0.0.0:0", "--insecure", "--allow-native-models"], "could run code")):
            with self.subTest(words=words):
                listen = [] if "--listen" in given else ["--listen", "127.0.0.1:0"]
                self.assertIn(words, run("serve", *listen, *given, expect=2).err)
        refusal = run("serve", "--listen", "0.0.0.0:12345", expect=2).err
        self.assertIn("edgeprobe serve --listen 0.0.0.0:12345 --tls-cert device.pem --tls-key device.key --tls-client-ca ca.pem", refusal)
        self.assertIn("edgeprobe serve --listen 0.0.0.0:12345 --insecure", refusal)
        for target, words in (("tls://127.0.0.1:1", "ca=ca.pem"), ("tls://127.0.0.1:1?cacert=x", "is unknown"), ("tls://127.0.0.1:1?ca=x&key=y", "key without cert")):
            self.assertIn(words, run("run", MODELS / "signs_float.tflite", "--target", target, "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", expect=2).err)
        missing = run("run", MODELS / "signs_float.tflite", "--target", "tls://127.0.0.1:1?ca=nowhere.pem", "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("'nowhere.pem': ", missing.err)

    def test_beyond_loopback_with_certificates(self):
        with TlsServer(listen="0.0.0.0:0") as server:
            server.address = server.address.replace("0.0.0.0", "127.0.0.1")
            self.served(server)


if __name__ == "__main__":
    tool.main()
