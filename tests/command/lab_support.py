"""Helpers that the tests of lab share: ladders, runs, and an edited copy of a ladder."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from support import SAMPLES, WARPWISE, CommandTest, read, write

FAILED = 1
USAGE = 2
EMULATOR = ["--on", "emulator"]

SCALAR = """#include "problem.hpp"
extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < p.count) STATEMENT;
}
"""


class LabTest(CommandTest):
    def ladders(self, *arguments):
        return json.loads(self.succeed("lab", "list", *arguments, "--json").stdout)["ladders"]

    def studies(self, *arguments):
        return json.loads(self.succeed("lab", "list", *arguments, "--json").stdout)["studies"]

    def run_json(self, *names, size="33x7"):
        done = self.succeed("lab", "run", *names, *EMULATOR, "--size", size, "--json")
        return json.loads(done.stdout)

    def edited(self, statement=None):
        """Copies the ladder of the primitive copy to `mine`, and puts this statement into its scalar rung."""
        shutil.copytree(self.ladders("copy")[0]["folder"], "mine")
        if statement:
            write("mine/01_scalar.cu", SCALAR.replace("STATEMENT", statement).encode())
        return ["--ladder-dir", "mine"]

    def edit_table(self, before, after):
        text = read("mine/ladder.json").decode()
        self.assertIn(before, text)
        write("mine/ladder.json", text.replace(before, after, 1).encode())

    def refuse(self, *arguments, says, code=USAGE, **options):
        return self.fail_with(code, "lab", *arguments, says=says, **options)


class FollowedDocument(LabTest):
    """Follows a document literally. ```cuda file=NAME and ```json file=NAME are written into the only folder here.
    ```diff file=PATH is applied to that file. ```json line goes in front of the rung that the library ships. Each line
    of ```sh is run, and ``` quotes the output of the lines before it. In a quote, … stands for left-out lines or the
    rest of a line. scripts/check-docs.py compares ```cuda from=PATH with that file."""

    def follow_document(self, name, kinds):
        document = pathlib.Path(SAMPLES).parent / "docs" / name
        blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual({kind.split()[0] if kind else "" for kind, text in blocks}, kinds)
        self.said = ""
        for kind, text in blocks:
            self.follow(kind, text)
        return "".join(text for kind, text in blocks if kind == "sh"), blocks

    def follow(self, kind, text):
        environment = dict(os.environ, PATH=f"{os.path.dirname(WARPWISE)}:{os.environ['PATH']}")
        folders = [path for path in pathlib.Path(".").iterdir() if path.is_dir()]
        if kind == "sh":
            self.said = ""
            for command in text.splitlines():
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                self.assertEqual(done.returncode, 0, command + "\n" + done.stdout)
                self.assertNotIn("WRONG", done.stdout)
                self.said += done.stdout
        elif not kind:
            said = self.said
            for quoted in filter(str.strip, re.split(r" ?…\n", text)):
                quoted = quoted.rstrip("\n")  # a quote may end within a line
                self.assertIn(quoted, said, "is quoted, and not said, or said before\n" + self.said)
                said = said.partition(quoted)[2]
        elif " from=" in kind:
            pass
        elif kind.startswith("diff file="):
            path = pathlib.Path(kind.removeprefix("diff file="))
            before, after = ("".join(line[1:] for line in text.splitlines(keepends=True) if line[0] in which)
                             for which in (" -", " +"))
            self.assertEqual(path.read_text().count(before), 1, before)
            path.write_text(path.read_text().replace(before, after))
        elif "file=" in kind:
            [folder] = folders
            (folder / kind.split("file=")[1]).write_text(text)
        elif kind == "json line":
            table = folders[0] / "ladder.json"
            lines = table.read_text().splitlines(keepends=True)
            shipped = next(i for i, line in enumerate(lines) if '{"name": "shipped"' in line)
            table.write_text("".join([*lines[:shipped], text, *lines[shipped:]]))
        else:
            self.fail(f"nobody follows ```{kind}")


def rungs_of(report):
    return [row for row in report["results"] if not row.get("on_cpu")]
