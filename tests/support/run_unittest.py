"""Runs the tests of a Python file, and writes what became of each as GoogleTest does.

    python3 tests/support/run_unittest.py REPORT.xml FILE [ARGUMENT...]    ARGUMENT: what FILE finds in sys.argv
"""
import importlib
import pathlib
import sys
import time
import unittest
import xml.etree.ElementTree as xml


class Result(unittest.TextTestResult):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.suite = xml.Element("testsuite")
        self.case = None

    def begin(self, test):
        group, _, name = test.id().rpartition(".")
        if " (" in test.id():  # for example "setUpClass (file.Class)"
            name, _, group = test.id().rstrip(")").partition(" (")
        self.case = xml.SubElement(self.suite, "testcase", classname=group.rpartition(".")[2], name=name, time="0")

    def startTest(self, test):
        super().startTest(test)
        self.begin(test)
        self.start = time.monotonic()

    def stopTest(self, test):
        self.case.set("time", f"{time.monotonic() - self.start:.3f}")
        self.case = None
        super().stopTest(test)

    def tell(self, test, kind, message):
        whole_class = self.case is None
        if whole_class:
            self.begin(test)
        # Replaces control characters, which a command may have printed, because XML cannot hold them.
        xml.SubElement(self.case, kind, message="".join(c if c.isprintable() or c == "\n" else "?" for c in message))
        if whole_class:
            self.case = None

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell(test, "failure", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.tell(test, "failure", self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.tell(test, "failure", f"{subtest}\n{self._exc_info_to_string(err, test)}")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.tell(test, "failure", "it was expected to fail, and passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.tell(test, "skipped", reason)


def main(report, file, *arguments):
    report, file = pathlib.Path(report), pathlib.Path(file).resolve()
    sys.path[0] = str(file.parent)  # as if Python had started FILE
    sys.argv = [str(file), *arguments]
    tests = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(file.stem))
    result = unittest.TextTestRunner(resultclass=Result).run(tests)
    report.parent.mkdir(parents=True, exist_ok=True)
    whole = xml.Element("testsuites")
    whole.append(result.suite)
    report.write_bytes(xml.tostring(whole))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
