"""The tables of docs/emulator.md from tests/emulator/ptx_forms.txt, which ptx_forms_test checks: the forms of PTX's instructions that the
emulator runs, and those that it refuses."""
import collections
import re

from tables import table


def expanded(text):
    """Returns the forms that a line with alternatives, `<a,b>`, stands for."""
    found = re.search(r"<([^<>]*)>", text)
    if not found:
        return [text]
    return [form for each in found[1].split(",") for form in expanded(text[:found.start()] + each + text[found.end():])]


def instruction_of(form):
    """Returns the instruction that a form is about, without a label, a guard and those that prepare its operands."""
    form = re.sub(r"^\w+: [^;]*; ", "", form.split("bar.sync 0; ")[-1])
    return re.split(r"[.; ]", re.sub(r"^@!?%p\d ", "", form))[0]


def read(path):
    """Returns (target and version, form, reason) for each form; the reason is empty if it runs."""
    section = ""
    forms = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line[1:-1].replace(" ", ", PTX ")
        elif line and not line.startswith("#"):
            text, _, reason = line.partition(" -- ")
            forms += [(section, form, reason) for form in expanded(text)]
    return forms


def counted(names):
    return ", ".join(f"`{name}` {count}" for name, count in sorted(collections.Counter(names).items()))


def running(forms):
    by_section = collections.defaultdict(list)
    for section, form, reason in forms:
        if not reason:
            by_section[section].append(instruction_of(form))
    oldest = sorted(by_section.items(), key=lambda item: int(re.match(r"sm_(\d+)", item[0])[1]))
    return table(["needs", "forms", "instructions, with the number of their forms"],
                 [[section, str(len(names)), counted(names)] for section, names in oldest])


def refused(forms):
    by_reason = collections.defaultdict(list)
    for _, form, reason in forms:
        register = reason.removeprefix("special register ")
        if register != reason:
            by_reason["special registers that are not modelled"].append(register)
        elif reason:
            by_reason[reason].append(instruction_of(form))
    return table(["forms", "reason"], [[counted(names), reason] for reason, names in by_reason.items()])


def rendered(path, what):
    return {"run": running, "refused": refused}[what](read(path))
