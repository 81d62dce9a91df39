"""Runs hundreds of hostile command lines. Each must end soon, with the expected exit code and message,
leave no file and no temporary file behind, take bounded memory, and print no control characters on a
terminal."""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile"))

from cases import EITHER, all_cases  # noqa: E402
from files import make_files  # noqa: E402
from support import HAS_IMAGES, SANITIZED, WARPWISE, compiles_rungs  # noqa: E402

SECONDS = 300 if SANITIZED else 120  # alone, a case takes less than one second; other tests may run at the same time
MEMORY = 4 << 20      # KiB of address space: an endless input must not be read into memory
PROCESSES = 2 + (os.cpu_count() or 1)


def left_out(each):
    """Returns the reason why a case cannot run here, or None."""
    if each.images and not HAS_IMAGES:
        return "not every image module is in this build"
    if each.compiles and not compiles_rungs():
        return "there is no CUDA compiler here"
    if SANITIZED and (each.is_limited or "ulimit -v" in each.shell):
        return "AddressSanitizer reserves terabytes of addresses"
    if SANITIZED and any("9223372036854775807" in word for word in each.words):
        return "AddressSanitizer ends a program that runs out of memory"
    return None


def script_of(each):
    limit = "" if SANITIZED else f"ulimit -v {MEMORY}; "
    return f'{limit}{each.shell or ":"}; exec "$@"'


def trouble_with(each, inputs, scratch):
    """Runs a case. Returns what the command did wrong, or None."""
    folder = tempfile.mkdtemp(dir=scratch)
    temporary = tempfile.mkdtemp(dir=scratch)
    os.symlink(inputs, os.path.join(folder, "in"))
    stdin = subprocess.DEVNULL
    if each.stdin is not None:
        stdin = open(os.path.join(folder, each.stdin), "rb")
    try:
        done = subprocess.run(
            ["bash", "-c", script_of(each), "bash", WARPWISE, *each.words], cwd=folder, stdin=stdin,
            capture_output=True, timeout=SECONDS, env={**os.environ, "TMPDIR": temporary})
    except subprocess.TimeoutExpired:
        return f"it did not end in {SECONDS} s"
    finally:
        if each.stdin is not None:
            stdin.close()
    said = done.stderr.decode(errors="backslashreplace")
    codes = each.code if isinstance(each.code, tuple) else (each.code,)
    if done.returncode not in codes:
        return f"exit code {done.returncode}, not {codes}: {said}"
    if done.returncode != 0:
        lines = said.splitlines() or [""]
        if not lines[-1].startswith("warpwise: ") or (len(lines) > 1 and not each.compiles):
            return f"not one line of a message: {said}"
        for words in each.says:
            if words not in lines[-1]:
                return f"no '{words}' in: {said}"
    for name, text in [("stderr", done.stderr), ("stdout", done.stdout)]:
        if b"\x1b" in text or b"\xc2\x9b" in text:
            return f"an escape sequence on {name}: {text!r}"
    left = set(os.listdir(folder))
    # If a case may succeed or fail, it leaves its output only when it succeeds.
    makes = {"out.npy", "out.png", "out.jpg", "out.tif"} & left if codes == EITHER and done.returncode == 0 else each.makes
    if left != {"in", *makes}:
        return f"it left {sorted(left)}: {said}"
    if os.listdir(temporary):
        return f"temporary files: {os.listdir(temporary)}"
    return None


class Hostile(unittest.TestCase):
    def test_all(self):
        with tempfile.TemporaryDirectory(prefix="warpwise-hostile-") as scratch:
            inputs = os.path.join(scratch, "inputs")
            os.mkdir(inputs)
            before = os.getcwd()
            os.chdir(inputs)
            make_files()
            os.chdir(before)
            names = sorted(os.listdir(inputs))
            skipped = {}
            running = {}
            with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
                for family, each in all_cases():
                    reason = left_out(each)
                    if reason:
                        skipped[reason] = skipped.get(reason, 0) + 1
                    else:
                        running[pool.submit(trouble_with, each, inputs, scratch)] = (family, each)
            failures = []
            for future, (family, each) in running.items():
                trouble = future.result()
                if trouble:
                    failures.append(f"{family}: {' '.join(map(repr, each.words))[:300]}"
                                    f" [{each.shell}]\n    {trouble[:600]}")
            print(f"{len(running)} cases, {len(failures)} with trouble; skipped: {skipped or 'none'}",
                  file=sys.stderr)
            self.assertEqual(sorted(os.listdir(inputs)), names, "the inputs' folder has changed")
            self.assertFalse(failures, "\n" + "\n".join(failures))
            self.assertGreater(len(running), 500)


if __name__ == "__main__":
    unittest.main()
