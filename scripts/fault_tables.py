"""Makes tables of the records of scripts/record-faults.py and record-sanitizer.py, which run the same programs."""
from tables import table

SOUND = "sound"


def sanitizer_tools(case):
    """Lists the tools of compute-sanitizer that report an error in a program."""
    return [name for name, run in case.get("tools", {}).items() if run.get("errors")]


def outcome(emulator, sanitizer, name):
    """Returns whether the emulator is right about a program, and whether compute-sanitizer is; None: it was not run."""
    own = emulator["cases"][name]
    is_sound = own["kind"] == SOUND
    ours = own["found"] == ([] if is_sound else [own["kind"]])
    asked = sanitizer["cases"].get(name, {})
    if not asked.get("tools"):
        return ours, None
    return ours, bool(sanitizer_tools(asked)) != is_sound


def origin(emulator, sanitizer):
    asked = [f"compute-sanitizer {machine['sanitizer']} on an {machine['gpu']}, driver {machine['driver']}, commit {machine['commit']}, {machine['date']}"
             for machine in sanitizer["machines"]]
    for number, machine in enumerate(sanitizer["machines"]):
        runs = sum(run.get("machine", 0) == number for case in sanitizer["cases"].values() for run in case["tools"].values())
        if number:
            asked[number] += f", for {runs} of the runs"
    return f"The emulator at commit {emulator['commit']}, {emulator['date']}; {'; '.join(asked)}."


def comparison(emulator, sanitizer):
    """Counts for each kind of fault the programs in which the emulator, and in which compute-sanitizer, finds it.
    Counts also the programs without a fault that each of them accepts."""
    kinds = {}
    for name, case in emulator["cases"].items():
        kinds.setdefault(case["kind"], []).append(outcome(emulator, sanitizer, name))
    rows = []
    for kind in sorted(kinds, key=lambda kind: (kind == SOUND, kind)):
        ours = [own for own, _ in kinds[kind]]
        theirs = [other for _, other in kinds[kind] if other is not None]
        label = "sound, and not reported" if kind == SOUND else f"`{kind}`"
        rows.append([label, str(len(ours)), str(sum(ours)), f"{sum(theirs)} of {len(theirs)}" if theirs else "not asked"])
    return f"{origin(emulator, sanitizer)}\n\n" + table(["fault", "programs", "judged rightly by the emulator", "by compute-sanitizer"], rows)


def differences(emulator, sanitizer):
    """Lists programs that the emulator judges wrongly, and sound ones in which compute-sanitizer finds errors."""
    rows = []
    for name, case in emulator["cases"].items():
        ours, theirs = outcome(emulator, sanitizer, name)
        if ours and (theirs is not False or case["kind"] != SOUND):
            continue
        asked = sanitizer["cases"].get(name, {})
        tools = "; ".join(f"{tool}: {asked['tools'][tool]['says']}" for tool in sanitizer_tools(asked)) or "nothing"
        rows.append([f"`{name}`", case["kind"], ", ".join(case["found"]) or ": ".join(["nothing", *filter(None, [case.get("missed_because")])]), tools.replace("|", "\\|")])
    return table(["program", "fault", "the emulator says", "compute-sanitizer says"], rows) if rows else "None."


PARTS = {"comparison": comparison, "differences": differences}


def rendered(emulator, sanitizer, part):
    return PARTS[part](emulator, sanitizer)
