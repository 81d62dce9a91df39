"""The table of public programs' results on the emulated GPU: results/emulator/programs."""
import json
import statistics

from tables import table

# Outcomes that are not counted: the program was not built, or one emulated GPU cannot run it.
NOT_COUNTED = ("needs", "not built")
RAN = ("passed", "ended")
REST = {"own race": "has a race of its own", "own fault": "has a fault of its own", "waits": "waits for ever", "refused": "refused", "wrong": "its check failed", "failed": "ended with an error", "fault": "a fault was reported", "crashed": "crashed",
        "cut off": "passed their check, but had not ended their benchmark in time",
        "too slow": "too slow", "not measured": "not measured yet"}


def read(folder):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def summary_row(name, outcomes):
    counted = [outcome for outcome in outcomes if outcome not in NOT_COUNTED]
    rest = [f"{counted.count(outcome)} {text}" for outcome, text in REST.items() if outcome in counted]
    ran = sum(outcome in RAN for outcome in counted)
    return [name, *map(str, (len(outcomes), outcomes.count("not built"), outcomes.count("needs"), len(counted), *map(outcomes.count, RAN))),
            ", ".join(rest), f"{100 * ran / len(counted):.0f} %" if counted else ""]


def summary(collections):
    outcomes = [[row["outcome"] for row in each["rows"]] for each in collections]
    rows = [summary_row(f"[{each['collection']}](https://github.com/{each['repository']}/tree/{each['repository_commit']})", its)
            for each, its in zip(collections, outcomes)]
    rows.append(summary_row("all", sum(outcomes, [])))
    return table(["collection", "programs", "not built", "need more", "counted", "passed their own check", "ended, have no check", "other outcomes", "share that ran"], rows)


def others(collections):
    """Lists each counted program that did not run, with the reason."""
    rows = [[collection["collection"], row["program"], REST[row["outcome"]], row["why"].replace("|", "\\|")]
            for collection in collections for row in collection["rows"] if row["outcome"] in REST]
    return table(["collection", "program", "outcome", "reason"], rows)


def methods(collections):
    lines = []
    for each in collections:
        machine = each["machine"]
        sized = [f"`{row['program']}: {row['sized']}`" for row in each["rows"] if "sized" in row]
        lines.append(f"- {each['collection']}: {each['what']}. Method: {machine['method'].replace('; ', '. ')}. "
                     f"Run on {machine['cpu']}, commit {machine['commit']}, {machine['date']}." +
                     (f" Changed constants: {', '.join(sized)}." if sized else ""))
    return "\n".join(lines)


def checked(collections):
    """Counts for each collection the programs that ran with checks, and lists what was reported."""
    runs = [(each["collection"], row["program"], row["checked"]) for each in collections for row in each["rows"] if "checked" in row]
    rows = []
    for name in dict.fromkeys(collection for collection, *_ in runs):
        own = [check for collection, _, check in runs if collection == name]
        quiet = sum(check["ended"] and not check["found"] for check in own)
        cut = sum(not check["ended"] for check in own)
        dates = ", ".join(sorted({f"commit {check['commit']}, {check['date']}" for check in own}))
        rows.append([name, str(len(own)), str(quiet), str(sum(bool(check["found"]) for check in own)), str(cut), dates])
    found = [f"- {collection}, {program}: {line}" for collection, program, check in runs for line in check["found"].values()]
    names = ", ".join(program for _, program, _ in runs)
    return (table(["collection", "programs", "without a report", "with a report", "cut off by the time limit", "emulator"], rows)
            + f"\n\nThese are {names}." + ("\n\n" + "\n".join(found) if found else ""))


def beside_openmp(record):
    rows = [[row["program"], f"`{row['cuda_arguments']}`", f"{row['emulated']:.2f}", f"{row['openmp']:.3f}", f"{row['emulated'] / row['openmp']:.1f}"]
            for row in record["rows"]]
    mean = statistics.geometric_mean(row["emulated"] / row["openmp"] for row in record["rows"])
    machine = record["machine"]
    return (table(["program", "arguments", "time emulated, s", "time with OpenMP, s", "emulated / OpenMP"], rows) +
            f"\n\n{record['collection']}, commit {record['commit'][:12]}. Geometric mean of the ratios: {mean:.1f}. Medians of {record['runs']} runs of whole "
            f"processes on one core. Built: {machine['method']}. {machine['cpu']}, commit {machine['commit']}, {machine['date']}.")


def in_both_engines(record):
    """Compares the CPU time with machine code with that of the interpreter, by collection and checks."""
    kinds = dict.fromkeys((row["collection"], row["checks"]) for row in record["rows"])
    rows = []
    for collection, checks in [*kinds, *(("all", checks) for checks in dict.fromkeys(checks for _, checks in kinds))]:
        own = [row for row in record["rows"] if row["checks"] == checks and collection in (row["collection"], "all")]
        ratios = {f"{row['program']}": row["automatic"] / row["interpreter"] for row in own}
        slowest = max(ratios, key=ratios.get)
        rows.append([collection, checks, str(len(own)), f"{statistics.geometric_mean(ratios.values()):.2f}", f"{min(ratios.values()):.2f}",
                     f"{ratios[slowest]:.2f} ({slowest})", str(sum(ratio > 1.1 for ratio in ratios.values()))])
    machine = record["machine"]
    left_out = "; ".join(f"{row['program']} (checks: {row['checks']}) {row['why']}" for row in record["left out"])
    return (table(["collection", "checks", "programs", "geometric mean", "lowest", "highest", "above 1.1"], rows) +
            f"\n\nMedians of {record['runs']} runs of whole processes on one core, or one run if it takes more than 5 s." +
            (f" Left out: {left_out}." if left_out else "") + f" {machine['cpu']}, commit {machine['commit']}, {machine['date']}.")


def rendered(folder, what):
    if what == "in both engines":
        return in_both_engines(json.loads((folder.parent / "program_engines.json").read_text(encoding="utf-8")))
    if what == "beside OpenMP":
        return beside_openmp(json.loads((folder.parent / "openmp.json").read_text(encoding="utf-8")))
    collections = read(folder)
    if what == "checked":
        return checked(collections)
    if what == "others":
        return others(collections)
    return f"{summary(collections)}\n\n{methods(collections)}"
