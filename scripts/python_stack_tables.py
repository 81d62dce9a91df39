"""The table of Python's packages for GPUs on the emulated GPU: results/emulator/python-stacks.json, with the words of scripts/python_stacks."""
import ast
import json
import pathlib
import re
from typing import NamedTuple

from tables import table

SCRIPTS = pathlib.Path(__file__).resolve().parent
RECORD = SCRIPTS.parent / "results/emulator/python-stacks.json"
RUNS, NAMED, FOUND, NOT_FOUND, NOT_RUN = VERDICTS = ("runs", "named at its line", "found", "not found", "not run")


class Feature(NamedTuple):
    """A feature to test: a function of a stack's program, what its docstring says becomes of it, and why."""

    file: pathlib.Path
    function: str
    name: str
    verdict: str
    why: str
    line: int  # line of the deliberate fault; 0 if there is none
    says: str  # a part of standard error by which a feature that does not run tells its reason


class Stack(NamedTuple):
    """A program of scripts/python_stacks."""

    file: pathlib.Path
    name: str
    packages: "list[str]"
    features: "list[Feature]"


def stack_of(file):
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    told = {each.targets[0].id: ast.literal_eval(each.value) for each in tree.body
            if isinstance(each, ast.Assign) and each.targets[0].id in ("STACK", "PACKAGES")}
    features = []
    for each in tree.body:
        if not isinstance(each, ast.FunctionDef) or each.name.startswith("_"):
            continue
        name, _, rest = ast.get_docstring(each).partition("\n\n")
        rest, _, says = rest.partition("\n\nsays: ")
        verdict, _, why = rest.partition(": ")
        if verdict not in VERDICTS:
            raise ValueError(f"{file.name}, {each.name}: '{verdict}' is none of {', '.join(VERDICTS)}")
        if (verdict == NOT_RUN) != bool(says):
            raise ValueError(f"{file.name}, {each.name}: 'says: ' and a part of the error belong to '{NOT_RUN}', and to it alone")
        marked = [number for number, line in enumerate(text.splitlines(), 1) if re.search(rf"(#|//) here: {each.name}$", line)]
        features.append(Feature(file, each.name, " ".join(name.split()), verdict, " ".join(why.split()), marked[0] if marked else 0, " ".join(says.split())))
    return Stack(file, told["STACK"], told["PACKAGES"], features)


def stacks():
    return [stack_of(file) for file in sorted((SCRIPTS / "python_stacks").glob("*_stack.py"))]


def rendered(recorded):
    rows, versions = [], []
    for stack in stacks():
        ran = recorded["stacks"][stack.name]
        versions.append(f"{stack.name} with {', '.join(map(' '.join, ran['versions'].items()))}")
        for feature in stack.features:
            verdict = ran["features"][feature.function]["verdict"]
            rows.append([stack.name, feature.name, verdict + (f": {feature.why}" if feature.why and verdict == feature.verdict else "")])
    machine = recorded["machine"]
    return f"{table(['stack', 'feature', 'verdict'], rows)}\n\n{machine['method']}; {'; '.join(versions)}; {machine['cpu']}, commit {machine['commit']}, {machine['date']}."
