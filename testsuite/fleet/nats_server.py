"""A NATS server with the configuration that a hub prints, for tests and
measurements that kill it."""

import os
import re
import shutil
import socket
import subprocess
import time

EVENTRING = os.environ.get("EVENTRING_BIN")


def free_port(host):
    with socket.create_server((host, 0)) as one:
        return one.getsockname()[1]


def make_certificate(folder, host):
    """Writes FOLDER/nats.key and FOLDER/nats.crt for the address HOST."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=nats", "-addext", f"subjectAltName = IP:{host}", "-keyout",
         f"{folder}/nats.key", "-out", f"{folder}/nats.crt"],
        check=True, stderr=subprocess.DEVNULL)


class Nats:
    """A server at HOST, with TLS unless that is this machine.  OPTIONS are for
    the agent and the hub."""

    def __init__(self, folder, host="127.0.0.1", store=None):
        self.folder, self.host, self.process = folder, host, None
        self.store = store or f"{folder}/nats.store"
        self.port = free_port(host)
        self.tls = not host.startswith("127.")
        scheme = "tls" if self.tls else "nats"
        self.options = ["--nats", f"{scheme}://{host}:{self.port}"]
        if self.tls:
            make_certificate(folder, host)
            self.options += ["--nats-ca", f"{folder}/nats.crt"]

    def configure(self, store, command=EVENTRING):
        """Takes the configuration of the hub with the store in the folder
        STORE."""
        text = subprocess.run(
            [command, "hub", "--store", store, "--print-nats-config"],
            check=True, capture_output=True, text=True).stdout
        text = re.sub("(?m)^listen: .*", f'listen: "{self.host}:{self.port}"',
                      text)
        text = re.sub("store_dir: .*", f'store_dir: "{self.store}"', text)
        if self.tls:
            text += (f'tls {{ cert_file: "{self.folder}/nats.crt", '
                     f'key_file: "{self.folder}/nats.key" }}\n')
        with open(f"{self.folder}/nats.conf", "w") as file:
            file.write(text)

    def start(self, seconds=30):
        """Returns whether the server has started."""
        with open(f"{self.folder}/nats.log", "a") as log:
            self.process = subprocess.Popen(
                ["nats-server", "-c", f"{self.folder}/nats.conf"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                socket.create_connection((self.host, self.port), 1).close()
                return True
            except OSError:
                time.sleep(0.02)
        self.kill()
        return False

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def end(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def delete_store(self):
        shutil.rmtree(self.store, ignore_errors=True)
