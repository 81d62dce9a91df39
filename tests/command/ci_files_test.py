"""Tests the files of examples/ci: runs their commands in an empty folder, and reads their reports as other tools do."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from support import SANITIZED, WARPWISE, CommandTest, read

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/ci"
EMULATED = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated")
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")

# Names and types of the values in our SARIF 2.1.0. A name with "?" may be missing; other names are errors.
LOCATION = {"physicalLocation": {"artifactLocation": {"uri": str}, "region": {"startLine": int}},
            "logicalLocations?": [{"name": str, "kind": str}], "message?": {"text": str}}
SARIF = {
    "$schema": str, "version": str,
    "runs": [{
        "tool": {"driver": {"name": str, "version": str,
                            "rules": [{"id": str, "name": str, "shortDescription": {"text": str},
                                       "defaultConfiguration": {"level": str}}]}},
        "invocations": [{"executionSuccessful": bool,
                         "toolExecutionNotifications": [{"level": str, "message": {"text": str}}]}],
        "results": [{"ruleId": str, "level": str, "message": {"text": str}, "locations": [LOCATION],
                     "relatedLocations?": [LOCATION]}]}]}


def commands_of(name):
    """Returns the shell commands of a CI file, in their order."""
    text = (EXAMPLE / name).read_text()
    if name == "github.yml":
        return re.findall(r"^\s+- run: (.*)$", text, re.MULTILINE)
    return re.findall(r"^    - (.*)$", text[text.index("  script:"):text.index("  artifacts:")], re.MULTILINE)


class CiFilesTest(CommandTest):
    def job(self, name, fault=False, change=lambda command: command):
        """Runs a file's commands, altered by `change`, until one fails, as CI does. Returns the last result."""
        shutil.copy(EXAMPLE / "blur_test.cu", ".")
        if fault:
            source = pathlib.Path("blur_test.cu")
            source.write_text(source.read_text().replace("i + 1 < count ? i + 1 : i;", "i + 1;"))
        folders = [os.path.dirname(WARPWISE), os.path.dirname(NVCC), os.environ["PATH"]]
        environment = dict(os.environ, PATH=os.pathsep.join(folders))
        for command in commands_of(name):
            done = subprocess.run(["bash", "-e", "-c", change(command)], env=environment, capture_output=True, timeout=300)
            if done.returncode != 0:
                break
        return done

    def setUp(self):
        super().setUp()
        if SANITIZED or not os.path.exists(os.path.join(EMULATED, "libcudart.so.13")) or not NVCC:
            self.skipTest("there is no nvcc, or no emulated CUDA runtime that a program can load")

    def check(self, value, form, place="sarif"):
        """Checks that a value has the form, which is written like SARIF above."""
        if isinstance(form, type):
            self.assertIs(type(value), form, place)
        elif isinstance(form, list):
            self.assertIsInstance(value, list, place)
            for i, each in enumerate(value):
                self.check(each, form[0], f"{place}[{i}]")
        else:
            needed = {key for key in form if not key.endswith("?")}
            known = {key.rstrip("?"): each for key, each in form.items()}
            self.assertLessEqual(needed, set(value), place)
            self.assertLessEqual(set(value), set(known), place)
            for key, each in value.items():
                self.check(each, known[key], f"{place}.{key}")

    def check_sarif(self, sarif):
        self.check(sarif, SARIF)
        self.assertEqual(sarif["version"], "2.1.0")
        rules = {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
        for result in sarif["runs"][0]["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], {"none", "note", "warning", "error"})
            # GitHub refuses a file in which a result has no place.
            self.assertGreaterEqual(len(result["locations"]), 1)
            for location in result["locations"]:
                self.assertGreaterEqual(location["physicalLocation"]["region"]["startLine"], 1)
        # Checks against the published schema if this machine has a copy, because it is not ours to distribute.
        schema = os.environ.get("WARPWISE_SARIF_SCHEMA")
        if schema:
            import jsonschema
            jsonschema.validate(sarif, json.loads(pathlib.Path(schema).read_text()))

    def check_junit(self, suites):
        """Checks the report against the schema that Jenkins and GitLab use."""
        self.assertEqual(suites.tag, "testsuites")
        for suite in suites:
            self.assertEqual(suite.tag, "testsuite")
            counted = {name: 0 for name in ["failures", "errors", "skipped"]}
            for case in suite:
                self.assertEqual(case.tag, "testcase")
                self.assertTrue(case.get("name") and case.get("classname"))
                float(case.get("time"))
                self.assertLessEqual(len(case), 1)
                for child in case:
                    counted[{"failure": "failures", "error": "errors", "skipped": "skipped"}[child.tag]] += 1
                    self.assertTrue(child.get("message"))
            self.assertEqual(int(suite.get("tests")), len(suite))
            self.assertEqual({name: int(suite.get(name)) for name in counted}, counted)

    def test_github(self):
        done = self.job("github.yml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_sarif(json.loads(read("kernels.sarif")))
        self.check_junit(ElementTree.parse("kernels.xml").getroot())
        self.assertIn(b"blur", read("kernels.html"))

    def test_github_with_a_fault(self):
        done = self.job("github.yml", fault=True)
        self.assertNotEqual(done.returncode, 0)
        sarif = json.loads(read("kernels.sarif"))
        self.check_sarif(sarif)
        [result] = sarif["runs"][0]["results"]
        self.assertEqual(result["ruleId"], "out_of_bounds")
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "blur_test.cu", "relative to the checkout, as GitHub wants it")
        lines = (EXAMPLE / "blur_test.cu").read_text().splitlines()
        self.assertIn("sum += in[k]", lines[place["region"]["startLine"] - 1])

    def test_a_fault_without_a_source_line_has_a_place(self):
        self.job("github.yml", fault=True, change=lambda command: command.replace(" -lineinfo", ""))
        sarif = json.loads(read("kernels.sarif"))
        self.check_sarif(sarif)
        [result] = sarif["runs"][0]["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"],
                         {"artifactLocation": {"uri": "blur_test"}, "region": {"startLine": 1}})

    def test_gitlab(self):
        self.assertEqual(self.job("gitlab-ci.yml").returncode, 0)
        suites = ElementTree.parse("kernels.xml").getroot()
        self.check_junit(suites)
        self.assertEqual((suites.get("tests"), suites.get("failures")), ("1", "0"))

    def test_gitlab_with_a_fault(self):
        self.assertNotEqual(self.job("gitlab-ci.yml", fault=True).returncode, 0)
        suites = ElementTree.parse("kernels.xml").getroot()
        self.check_junit(suites)
        self.assertEqual(suites.get("failures"), "1")


class Texts(unittest.TestCase):
    def test_the_page_has_the_same_commands(self):
        page = (ROOT / "docs/ci.md").read_text()
        for command in commands_of("github.yml"):
            self.assertIn(command.replace(" --explain kernels.html", ""), page)

    def test_files_name_what_they_write(self):
        written = set(re.findall(r"kernels\.\w+", " ".join(commands_of("gitlab-ci.yml"))))
        text = (EXAMPLE / "gitlab-ci.yml").read_text()
        named = set(re.findall(r"kernels\.\w+", text[text.index("artifacts:"):]))
        self.assertEqual(named, written)

    def test_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("there is no YAML parser here")
        for name in ["github.yml", "gitlab-ci.yml"]:
            parsed = yaml.safe_load((EXAMPLE / name).read_text())
            job = parsed["jobs"]["kernels"] if name == "github.yml" else parsed["kernels"]
            commands = ([step["run"] for step in job["steps"] if "run" in step] if name == "github.yml"
                        else job["script"])
            self.assertEqual(commands, commands_of(name))

    def test_the_container_recipe_names_what_there_is(self):
        text = (EXAMPLE / "Containerfile").read_text()
        self.assertTrue((ROOT / "scripts/packages.sh").exists())
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        [preset] = re.findall(r"cmake --preset (\S+)", text)
        self.assertIn(preset, [each["name"] for each in presets])
        self.assertIn(f"cmake --build build/{preset} ", text)
        self.assertIn(f"cmake --install build/{preset} ", text)

    def test_the_container_does_not_get_this_machines_build(self):
        """CMake refuses a build folder that was configured under another path."""
        left_out = (ROOT / ".dockerignore").read_text().splitlines()
        for folder in ["build", ".git"]:
            self.assertIn(folder, left_out)
        text = (EXAMPLE / "Containerfile").read_text()
        last = text[text.rindex("FROM "):]
        self.assertNotIn("COPY . ", last, "what is removed after a COPY stays in the image's layers")


if __name__ == "__main__":
    unittest.main()
