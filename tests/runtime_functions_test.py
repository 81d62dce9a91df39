"""Tests that an emulated library has every function of the toolkit's one: runtime_functions_test.py NM TOOLKITS_LIBRARY
OURS. Both are the runtime, or both are the driver, whose library in the toolkit is a stub."""
import re
import subprocess
import sys
import unittest


def functions(library):
    lines = subprocess.run([sys.argv[1], "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TWi] (_*cu\w+)", lines))


class Functions(unittest.TestCase):
    def test_each_is_there(self):
        toolkits = functions(sys.argv[2])
        self.assertGreater(len(toolkits), 400)
        missing = toolkits - functions(sys.argv[3])
        self.assertFalse(missing, "add them to not_run.txt or driver_not_run.txt, or run them")

    def test_none_is_made_up(self):
        # Within a major version, later toolkits may add functions but not remove any.
        self.assertFalse(functions(sys.argv[3]) - functions(sys.argv[2]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
