"""Makes the tables of docs/emulator.md from tests/emulator/ptx_forms.txt, which ptx_forms_test checks. The file lists
the forms of PTX's instructions that the emulator runs, and those that it refuses. tests/golden/golden_forms.json says for
which of them a GPU has given the same bits."""
import collections
import json
import re

from tables import table


def expanded(text):
    """Returns all forms of a line with alternatives: "add.<s32,u32>" gives "add.s32" and "add.u32"."""
    found = re.search(r"<([^<>]*)>", text)
    if not found:
        return [text]
    return [form for each in found[1].split(",") for form in expanded(text[:found.start()] + each + text[found.end():])]


def instruction_of(form):
    """Returns the name of the instruction that a form tests, without label, guard and the instructions before it."""
    form = re.sub(r"^\w+: [^;]*; ", "", form.split("bar.sync 0; ")[-1])
    return re.split(r"[.; ]", re.sub(r"^@!?%p\d ", "", form))[0]


def read(path):
    """Returns (target and version, form, reason) for each form; the reason is empty if the emulator runs the form."""
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


def capability(section):
    return int(re.match(r"sm_(\d+)", section)[1])


def running(forms, golden):
    by_section = collections.defaultdict(list)
    for section, form, reason in forms:
        if not reason:
            by_section[section].append(form)
    oldest = sorted(by_section.items(), key=lambda item: capability(item[0]))
    return table(["oldest target", "forms", "forms with equal bits on a GPU", "instructions, with the number of their forms"],
                 [[section, str(len(of)), str(sum(form in golden["hashes"] for form in of)), counted(map(instruction_of, of))]
                  for section, of in oldest])


def compared(forms, golden):
    machine = golden["machine"]
    by_reason = collections.defaultdict(list)
    run = [(section, form) for section, form, reason in forms if not reason]
    for section, form in run:
        if form in golden["hashes"]:
            continue
        why = golden["not_compared"].get(form, {}).get("why") or (
            "no GPU of this capability was there" if capability(section) > 90 else "not run on a GPU yet")
        by_reason[why].append(instruction_of(form))
    equal = len(run) - sum(map(len, by_reason.values()))
    said = (f"{equal:,} of these {len(run):,} forms gave equal bits on a GPU: {machine['gpu']}, driver {machine['driver']}, ptxas {machine['ptxas']}, "
            f"commit {machine['commit']}, {machine['date'][:10]}.")
    rows = sorted(by_reason.items(), key=lambda item: -len(item[1]))
    return f"{said}\n\n" + table(["forms that were not compared", "reason"], [[counted(names), why] for why, names in rows])


def refused(forms):
    by_reason = collections.defaultdict(list)
    for _, form, reason in forms:
        register = reason.removeprefix("special register ")
        if register != reason:
            by_reason["special registers that are not modelled"].append(register)
        elif reason:
            by_reason[reason].append(instruction_of(form))
    return table(["forms", "reason"], [[counted(names), reason] for reason, names in by_reason.items()])


def rendered(path, golden_path, what):
    forms = read(path)
    if what == "refused":
        return refused(forms)
    golden = json.loads(golden_path.read_text(encoding="utf-8"))
    return {"run": running, "compared": compared}[what](forms, golden)
