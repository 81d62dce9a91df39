"""Tables of the records of scripts/record-races.py: the public suites of racy programs."""
import json

from tables import table

# Numbers of programs (of 346 racy ones) in which HiRace, iGUARD and compute-sanitizer found the race, by graph.
# From table 1 of HiRace's artifact (results/paper_figures/table1.png), measured on its authors' GPU.
PUBLISHED = {"DAG_100n_200e": ("346", "298", "92"), "DAG_200n_400e": ("346", "298", "92"), "counterDAG_200n_1000e": ("346", "298", "56"),
             "power_law_200n_1000e": ("346", "297", "128"), "DAG_5n_5e": ("182", "118", "92"), "counterDAG_5n_5e": ("295", "148", "92")}
# Reports about the program's host code or the time limit, not its kernels.
OF_THE_HOST = {"leak", "unchecked_launch", "interrupted"}


def kernel_reports(summary):
    """Counts the programs with a report about a kernel."""
    return sum(count for found, count in summary["reports"].items() if set(found.split(", ")) - OF_THE_HOST - {""})


def origin(record):
    machine = record["machine"]
    text = (f"[{record['suite']}](https://github.com/{record['repository']}/tree/{record['repository_commit']}): "
            f"{str(record['seconds']) + ' s for all runs, ' if record['seconds'] else ''}{machine['method']}, {machine['cpu']}, commit {machine['commit']}, {machine['date']}.")
    if record["gpu"]:
        gpu, _, driver = record["gpu"].partition(", ")
        text += f" compute-sanitizer {record['sanitizer']} ran on an {gpu}, driver {driver}."
    if record["not_built"]:
        text += f" {len(record['not_built'])} programs were not built."
    return text


def indigo(records):
    record = records["Indigo"]
    rows = []
    for given, labels in record["inputs"].items():
        racy, right = labels["racy"], labels["right"]
        rows.append([given.replace("_", "\\_"), str(racy["programs"]), str(racy["races"]), *PUBLISHED[given],
                     f"{kernel_reports(right)} of {right['programs']}"])
    return f"{origin(record)}\n\n" + table(
        ["graph", "racy programs", "found by the emulator", "found by HiRace, published", "found by iGUARD, published", "found by compute-sanitizer, published", "right programs with a report"], rows)


def outside(records):
    """Says what is reported of Indigo's programs that read or write outside of an allocation."""
    rows = [[given.replace("_", "\\_"), str(labels["out of bounds"]["programs"]),
             *(str(sum(count for found, count in labels["out of bounds"]["reports"].items() if test(set(found.split(", ")))))
               for test in (lambda kinds: "out_of_bounds" in kinds, lambda kinds: "race" in kinds and "out_of_bounds" not in kinds, lambda kinds: kinds == {""}))]
            for given, labels in records["Indigo"]["inputs"].items()]
    return table(["graph", "programs", "reported as `out_of_bounds`", "reported as `race` alone", "not reported"], rows)


def indigo3(records):
    record = records["Indigo3"]
    checked = bool(record["gpu"])
    rows = []
    for given, labels in record["inputs"].items():
        racy, right, faulty = labels["racy"], labels["right"], labels["labelled right, faulty"]
        rows.append([given.replace("_", "\\_"), str(racy["programs"]), str(racy["races"]), *([str(racy["racecheck"])] if checked else []),
                     f"{kernel_reports(right)} of {right['programs']}", f"{kernel_reports(faulty)} of {faulty['programs']}"])
    return f"{origin(record)}\n\n" + table(
        ["graph", "racy programs", "found by the emulator", *(["found by racecheck"] if checked else []), "right programs with a report",
         "faulty programs labelled right, with a report"], rows)


def others(records):
    rows = []
    origins = []
    for name in sorted(set(records) - {"Indigo", "Indigo3"}):
        origins.append(origin(records[name]))
        for given, labels in records[name]["inputs"].items():
            racy, right = labels["racy"], labels["right"]
            rows.append([f"{name} {given}".strip().replace("_", "\\_"), str(racy["programs"]), str(racy["races"]), str(racy.get("racecheck", "–")),
                         str(right["programs"]), str(right["races"]), str(kernel_reports(right) - right["races"])])
    return "\n\n".join(origins) + "\n\n" + table(
        ["suite", "racy programs", "found by the emulator", "found by racecheck", "right programs", "right ones reported as racy", "right ones with other reports"], rows)


PARTS = {"indigo": indigo, "outside": outside, "indigo3": indigo3, "others": others}


def rendered(folder, part):
    records = {record["suite"]: record for record in (json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json")))}
    return PARTS[part](records)
