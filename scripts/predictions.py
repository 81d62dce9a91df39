#!/usr/bin/env python3
"""Compares times that `warpwise lab predict` gives with recorded times, and with times in the documents.

    scripts/predictions.py COMMAND [OUT.json] [--only REGEX]     COMMAND: build/release/bin/warpwise

Predicts every recorded experiment of the H200's ladders and studies, and the documents' tables on the GPUs that the
documents measured. Writes results/predictions.json: each pair of times, and for each experiment Spearman's rank
correlation, the ratios' spread and the median error. Runs as many predictions at a time as there are cores. Most take
up to a minute, some take ten. --only is matched with STUDY/EXPERIMENT; OUT.json's other entries stay as they are. Each
result is written as soon as it is made. Predictions are the same on every machine with the same CUDA compiler.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RECORDS = REPOSITORY / "results/nvidia-h200"
# Experiments with times in a document: ladder, experiment, GPU, and the document's letter in docs/sources.md.
DOCUMENTS = [("sobel", "table5", "gtx280", "A"), ("sobel", "table4", "gtx280", "A"),
             ("gemv", "table6", "gtx280", "A"), ("convert", "table5", "9400gt", "D")]


def ranks(values):
    """Returns the rank of each value, from 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return result


def spearman(pairs):
    """Returns the rank correlation of two columns; None for fewer than three pairs, or if all values of a column are equal."""
    if len(pairs) < 3:
        return None
    a, b = (ranks([pair[i] for pair in pairs]) for i in (0, 1))
    mean = (len(pairs) + 1) / 2
    spread = [sum((x - mean) ** 2 for x in column) for column in (a, b)]
    if not all(spread):
        return None
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / (spread[0] * spread[1]) ** 0.5


def summary(rows):
    """Summarises rows with predicted_us and measured_us."""
    pairs = [(row["predicted_us"], row["measured_us"]) for row in rows]
    ratios = sorted(predicted / measured for predicted, measured in pairs)
    # A prediction of twice the time counts as the same error as one of half the time.
    errors = [max(ratio, 1 / ratio) - 1 for ratio in ratios]
    correlation = spearman(pairs)
    return {"points": len(rows), "rank_correlation": correlation and round(correlation, 3),
            "ratio_least": round(ratios[0], 3), "ratio_median": round(statistics.median(ratios), 3),
            "ratio_greatest": round(ratios[-1], 3), "median_error": round(statistics.median(errors), 3)}


def key(row):
    return (row["rung"], tuple(row["size"]), tuple(sorted(row["parameters"].items())),
            tuple(sorted(row.get("axes", {}).items())), tuple(row["block"]))


def predicted(command, name, device):
    done = subprocess.run([command, "lab", "predict", name, "--profile", device, "--json"], text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"predictions.py: {name} on {device}: {done.stderr}")
    return json.loads(done.stdout)["results"]


def row_of(row, measured):
    return {"rung": row["rung"], "size": row["size"], "parameters": row["parameters"],
            "axes": row.get("axes", {}), "block": row["block"],
            "predicted_us": round(row["time_us"], 3), "measured_us": round(measured, 3),
            "rules": row["rules"], "bounds_us": {k: round(v, 3) for k, v in row["bounds_us"].items()}}


def compared(command, path):
    """Compares a recorded experiment with its predictions; None if nothing of it can be predicted."""
    record = json.loads(path.read_text(encoding="utf-8"))
    name = record.get("ladder") or record.get("study")
    experiment = record.get("experiment")
    if any("setting" in row or "end_to_end" in row for row in record["results"]):
        return None  # it was timed on a part of the GPU, or with transfers
    times = {key(row): row["cold"]["median_us"] for row in record["results"] if row.get("cold")}
    # The record of a whole study names no experiment.
    rows = predicted(command, f"{name}/{experiment}" if experiment else name, "h200")
    both = [row_of(row, times[key(row)]) for row in rows if "time_us" in row and key(row) in times]
    if not both:
        return None
    return {"study": name, "experiment": experiment, "record": str(path.relative_to(REPOSITORY)),
            "device": "h200", "commit": commit(), "not_predicted": len(times) - len(both), **summary(both), "rows": both}


def of_document(command, name, experiment, device, document):
    table = json.loads((REPOSITORY / f"warpwise/primitives/{name}/ladder/ladder.json").read_text(encoding="utf-8"))
    given = {rung["name"]: rung["document"]["time_us"] for rung in table["rungs"]
             if rung.get("document", {}).get("time_us")}
    rows, seen = [], set()
    for row in predicted(command, f"{name}/{experiment}", device):
        # The document measured only the first point of each rung.
        if "time_us" not in row or row["rung"] in seen or row["size"] != table["size"] or row["rung"] not in given:
            continue
        seen.add(row["rung"])
        rows.append(row_of(row, given[row["rung"]]))
    return {"study": name, "experiment": experiment, "record": f"document {document}", "device": device, "commit": commit(),
            "not_predicted": 0, **summary(rows), "rows": rows}


def commit():
    """Returns the commit of the tree, or of the bundle that the command is in."""
    beside = pathlib.Path(sys.argv[1]).resolve().parent.parent / "COMMIT"
    if beside.exists():
        return beside.read_text(encoding="utf-8").strip()
    return subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=REPOSITORY, text=True,
                          capture_output=True, check=True).stdout.strip()


def commits(experiments):
    """Names the commits that made the predictions. Some experiments may be newer than others."""
    return ", ".join(dict.fromkeys(each["commit"] for each in experiments))


def every_second_rung(rows):
    """Returns every second rung in alphabetical order. No figure was fitted to either half, so similar results of both
    halves show that the figures do not depend on a few rungs."""
    names = sorted({(row["study"], row["rung"]) for row in rows})
    half = set(names[1::2])
    return [row for row in rows if (row["study"], row["rung"]) in half]


def done(made):
    print(made["study"], made["experiment"], {k: v for k, v in made.items() if k not in ("rows", "record")}, flush=True)
    return made


def write(out, experiments, documents):
    every = [{**row, "study": each["study"]} for each in experiments for row in each["rows"]]
    result = {"commit": commits([*experiments, *documents]), "all": summary(every), "every_second_rung": summary(every_second_rung(every)),
              "documents": documents, "experiments": experiments}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")
    return result


def name(experiment):
    return "/".join(filter(None, (experiment["study"], experiment["experiment"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=REPOSITORY / "results/predictions.json")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    command, out = arguments.command, arguments.out
    before = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"experiments": [], "documents": []}
    made = {kind: {name(each): each for each in before[kind]} for kind in ("experiments", "documents")}
    # Experiments with the most points start first, because they take the longest.
    paths = sorted([*RECORDS.glob("ladders/*.json"), *RECORDS.glob("studies/*.json")], key=lambda path: -path.stat().st_size)
    chosen = [path for path in paths if re.search(arguments.only, path.stem.replace("-", "/"))]
    documents = [each for each in DOCUMENTS if re.search(arguments.only, f"{each[0]}/{each[1]}")]
    result = None
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        begun = {pool.submit(compared, command, path): "experiments" for path in chosen}
        begun |= {pool.submit(of_document, command, *each): "documents" for each in documents}
        for future in concurrent.futures.as_completed(begun):
            if future.result():
                made[begun[future]][name(future.result())] = done(future.result())
                result = write(out, *(list(made[kind].values()) for kind in ("experiments", "documents")))
    if not result:
        sys.exit("predictions.py: --only chooses no experiment that can be predicted")
    print("all", result["all"], "every second rung", result["every_second_rung"])


if __name__ == "__main__":
    main()
