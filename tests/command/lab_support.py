"""What the tests of lab share: ladders, runs, an edited copy of one."""

import json
import shutil

from support import CommandTest, read, write

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

    def run_json(self, *names, size="33x7"):
        done = self.succeed("lab", "run", *names, *EMULATOR, "--size", size, "--json")
        return json.loads(done.stdout)

    def edited(self, statement=None):
        """A copy of the ladder of copy in `mine`, the scalar rung with this statement."""
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


def rungs_of(report):
    return [row for row in report["results"] if not row.get("on_cpu")]
