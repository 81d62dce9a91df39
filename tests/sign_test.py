"""Tests scripts/sign.sh: GnuPG accepts its signatures, the checksums must be of the files, and failures leave none."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/sign.sh"
KEY = "somebody@warpwise.invalid"


def run(*arguments, **environment):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, env={**os.environ, **environment})


class Sign(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.keys = self.enterContext(tempfile.TemporaryDirectory())  # short, because gpg-agent's socket is in it
        (self.folder / "library.deb").write_bytes(b"a package")
        self.sums = self.folder / "SHA256SUMS"
        self.sums.write_text(f"{hashlib.sha256(b'a package').hexdigest()}  library.deb\n")
        self.addCleanup(run, "gpgconf", "--kill", "gpg-agent", GNUPGHOME=self.keys)

    def sign(self, *arguments, key=KEY):
        named = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.signingkey", "GIT_CONFIG_VALUE_0": key} if key else {}
        return run(SCRIPT, *arguments, GNUPGHOME=self.keys, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", **named)

    def make_key(self):
        run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", KEY, "ed25519", "sign", "1d",
            GNUPGHOME=self.keys).check_returncode()

    def valid(self):
        return run("gpg", "--verify", f"{self.sums}.asc", self.sums, GNUPGHOME=self.keys).returncode == 0

    def test_signs_anew_and_by_the_key_of_git(self):
        self.make_key()
        for _ in range(2):
            done = self.sign(self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(self.valid())
        self.sums.write_text(self.sums.read_text() + "\n")
        self.assertFalse(self.valid())

    def test_refuses_a_file_that_differs_from_its_checksum(self):
        self.make_key()
        (self.folder / "library.deb").write_bytes(b"another")
        self.assertIn("differs from its checksum", self.sign(self.folder).stderr)
        self.assertFalse(pathlib.Path(f"{self.sums}.asc").exists())

    def test_a_rehearsal_needs_no_key_and_leaves_nothing(self):
        done = self.sign("--rehearse", self.folder, key=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["SHA256SUMS", "library.deb"])

    def test_says_what_is_missing(self):
        self.assertIn("user.signingkey", self.sign(self.folder, key="").stderr)
        self.assertNotEqual(self.sign(self.folder).returncode, 0)  # gpg does not have this key
        self.sums.unlink()
        self.assertIn("has no SHA256SUMS", self.sign(self.folder).stderr)
        self.assertIn("one folder", self.sign().stderr)


if __name__ == "__main__":
    if shutil.which("gpg") is None:
        print("skipped: gpg is not installed")
        sys.exit(77)
    unittest.main()
