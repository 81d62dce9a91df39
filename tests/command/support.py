"""Helpers that the command's tests share: a scratch folder, the command, small files made by hand."""

import fcntl
import functools
import importlib.util
import os
import pty
import struct
import subprocess
import tempfile
import termios
import unittest
import zlib

WARPWISE = os.environ["WARPWISE"]
SAMPLES = os.environ["WARPWISE_SAMPLES"]
HAS_IMAGES = os.environ["WARPWISE_HAS_IMAGES"] == "1"
HAS_VIDEO = os.path.exists(os.path.join(os.path.dirname(WARPWISE), "..", "lib", "libwarpwise_video.so"))
HAS_VIEWER = os.path.exists(os.path.join(os.path.dirname(WARPWISE), "..", "lib", "libwarpwise_viewer.so"))
HAS_SCENE = os.path.exists(os.path.join(os.path.dirname(WARPWISE), "..", "lib", "libwarpwise_scene.so"))
SANITIZED = os.environ["WARPWISE_SANITIZED"] == "1"


# Marks tests that take minutes. They run if the variable is set, as by scripts/test.sh --nightly.
NIGHTLY = "WARPWISE_NIGHTLY" in os.environ
nightly = unittest.skipUnless(NIGHTLY, "it runs at night: WARPWISE_NIGHTLY=1")


def has_gpu():
    listing = subprocess.run([WARPWISE, "devices"], capture_output=True, text=True, check=True)
    return "cuda 0" in listing.stdout


@functools.cache
def draws():
    """Returns True if OpenGL draws here without a screen."""
    done = subprocess.run([WARPWISE, "stream", "scene:", "null", "--frames", "1", "--size", "8x8"],
                          capture_output=True, timeout=60)
    return HAS_SCENE and done.returncode == 0


def gpu_environment():
    """Returns an environment in which the command has a GPU, real or emulated; None if it has none."""
    if has_gpu():
        return dict(os.environ)
    emulated = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated")
    if SANITIZED or not os.path.exists(os.path.join(emulated, "libcudart.so.13")):
        return None
    return dict(os.environ, LD_LIBRARY_PATH=emulated)


@functools.cache
def compiles_rungs():
    done = subprocess.run([WARPWISE, "lab", "verify", "copy/scalar", "--on", "emulator"],
                          capture_output=True, timeout=60)
    return b"there is no CUDA compiler" not in done.stderr


def runs_rungs(test):
    """Skips a test if no compiler for rungs is there."""
    def run(self):
        if not compiles_rungs():
            self.skipTest("there is no CUDA compiler here; scripts/get-nvrtc.sh brings one")
        test(self)
    run.__name__ = test.__name__
    return run


def help_pages():
    """Returns the --help texts of the command and all subcommands, as scripts/command-docs.py reads them."""
    path = os.path.join(SAMPLES, "../scripts/command-docs.py")
    spec = importlib.util.spec_from_file_location("command_docs", path)
    docs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(docs)
    return docs.read(WARPWISE, ["warpwise"])


class CommandTest(unittest.TestCase):
    """The base of tests that each run in an empty folder of their own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="warpwise-command-")
        self.addCleanup(self._folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self._folder.name)

    def run_command(self, *arguments, stdin=b"", **options):
        def run():
            return subprocess.run(
                [WARPWISE, *arguments], input=stdin, capture_output=True, timeout=60, **options)
        done = run()
        # LeakSanitizer itself crashes in about one of a thousand runs, if threads end together with the program. It
        # then says so and has checked nothing, and the command runs again.
        if SANITIZED and b"LeakSanitizer has encountered a fatal error" in done.stderr:
            done = run()
        return done

    def on_terminal(self, *arguments, streams=("stdout", "stderr"), columns=80):
        """Runs the command with a terminal as its `streams`. Returns the exit code and the terminal's text."""
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal here: {error}")
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        options = {"stdout": subprocess.PIPE, **{name: follower for name in streams}}
        with subprocess.Popen([WARPWISE, *arguments], stdin=subprocess.DEVNULL, **options) as running:
            os.close(follower)
            shown = b""
            while True:  # a terminal holds little: it has to be read while the command writes
                try:
                    part = os.read(leader, 65536)
                except OSError:  # the command has closed its end of the terminal
                    break
                if not part:
                    break
                shown += part
        os.close(leader)
        return running.returncode, shown

    def succeed(self, *arguments, **options):
        done = self.run_command(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done

    def fail_with(self, code, *arguments, says, **options):
        """Expects exit code `code`, one line on stderr with each word of `says`, no new file, an empty stdout."""
        before = sorted(os.listdir("."))
        done = self.run_command(*arguments, **options)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{arguments}: {said}")
        self.assertEqual(done.stdout, b"", arguments)
        self.assertTrue(said.startswith("warpwise: ") and said.endswith("\n"), said)
        self.assertEqual(said.count("\n"), 1, said)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, said)
        self.assertEqual(sorted(os.listdir(".")), before, "files were left behind")
        return said


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def sample(name):
    return os.path.join(SAMPLES, name)


def ramp(count, step=37):
    """Returns `count` bytes without an obvious pattern."""
    return bytes((i * i // 5 + step * i) % 256 for i in range(count))


def npy(descr, shape, content):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def y4m(width, height, colours, *frames, more=""):
    header = f"YUV4MPEG2 W{width} H{height} F30:1 Ip A1:1 C{colours}{more}\n"
    return header.encode() + b"".join(b"FRAME\n" + frame for frame in frames)


def npy_parts(path):
    """Returns the descr, the shape, and the bytes of the elements of an .npy file."""
    content = read(path)
    length = struct.unpack("<H", content[8:10])[0]
    header = eval(content[10:10 + length])  # the header is a Python literal
    return header["descr"], header["shape"], content[10 + length:]


def png(width, height, depth, colour, pixels):
    """Makes a PNG. colour: 0 grey, 2 RGB, 6 RGBA. `pixels` are bytes as in the file: 16-bit samples are big-endian."""
    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check
    row = len(pixels) // height
    rows = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(height))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def sobel_u8(pixels, width, height):
    """Returns |dx| + |dy|, saturated, with the border reflect-101, computed by the formula."""
    def at(x, y):
        x = -x if x < 0 else 2 * (width - 1) - x if x >= width else x
        y = -y if y < 0 else 2 * (height - 1) - y if y >= height else y
        return pixels[y * width + x]
    result = bytearray()
    for y in range(height):
        for x in range(width):
            dx = sum(w * (at(x + 1, y + j) - at(x - 1, y + j)) for j, w in [(-1, 1), (0, 2), (1, 1)])
            dy = sum(w * (at(x + i, y + 1) - at(x + i, y - 1)) for i, w in [(-1, 1), (0, 2), (1, 1)])
            result.append(min(255, abs(dx) + abs(dy)))
    return bytes(result)
