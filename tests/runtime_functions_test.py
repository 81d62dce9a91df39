"""An emulated library has every function of the toolkit's: runtime_functions_test.py NM TOOLKITS_LIBRARY OURS. Of the runtime, or of
the driver, whose toolkit's library is a stub."""
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
        # Later toolkits of one major version may add functions but remove none.
        self.assertFalse(functions(sys.argv[3]) - functions(sys.argv[2]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
