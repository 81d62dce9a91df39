#!/usr/bin/env python3
"""Compares the advice that `warpwise explain` gives on each rung of the ladders with the optimisation step that
followed.

    scripts/advice.py COMMAND [OUT.json]     COMMAND: build/release/bin/warpwise

Explains every rung for the H200 and writes results/advice.json. For each step the file has the advice on the rung
before the step, what the step changes, and its gain as recorded (results/nvidia-h200) and as predicted
(results/predictions.json). Both gains are at the largest recorded size, because advice is for a grid that fills the
GPU. Takes a minute.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from predictions import commit, key, spearman

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RECORDS = REPOSITORY / "results/nvidia-h200/ladders"
# Least gain with which a step counts as worth advising.
WORTH = 1.1
TOP = 3

# The remedy of each step, in the words of the advice (Remedy in warpwise/lab/explain/advice/advice.hpp). They were
# taken from the rungs' ideas and the heads of their sources before the advice was read. An empty text: no remedy
# fits the step.
STEPS = {
    "convert": {
        "input": ["wide accesses"], "output": ["wide accesses"], "output_read_twice": ["divergence"],
        "input_output": ["wide accesses", "fewer instructions"], "warp": ["more in flight"],
        "wide": ["wide accesses"], "registers": ["fewer instructions"], "four_rows": ["more in flight"],
        "two_rows": ["more in flight"], "permute": ["fewer instructions"],
        "saturating_pack": ["fewer instructions"], "shipped": []},
    "copy": {
        "vector2": ["wide accesses"], "vector4": ["wide accesses"], "struct16": ["wide accesses"],
        "struct16_natural": [], "struct12": [], "in_flight2": ["more in flight"],
        "in_flight4": ["more in flight"], "streaming": [], "shipped": []},
    "disparity": {
        "separable": ["fewer instructions"], "sliding": ["fewer instructions"], "tiles": ["fewer bytes"],
        "two_at_once": ["fewer instructions"], "lanes": ["wide accesses", "fewer instructions"],
        "both_directions": ["fewer instructions"], "shipped": ["fewer instructions"]},
    "find": {
        "shared": ["reuse"], "packed": ["wide accesses", "fewer instructions"],
        "four_columns": ["reuse", "fewer instructions"], "four_by_four": ["reuse"],
        "running_sums": ["fewer instructions"], "fused": ["fewer bytes"], "matrix_units": ["fewer instructions"],
        "shipped": ["reuse"], "sad_packed": ["reuse", "wide accesses", "fewer instructions"],
        "sad_four_by_four": ["reuse"], "sad_fused": ["fewer bytes"], "sad_shipped": ["reuse", "wide accesses"]},
    "gemv": {
        "block_per_row": ["coalescing"], "occupancy": ["occupancy"], "texture": ["reuse"],
        "texture_matrix": ["reuse"], "conflict_free": ["bank conflicts"],
        "branch_free": ["divergence", "more in flight"], "warp_tree": ["more in flight"],
        "warp_per_row": ["more in flight"], "without_texture": [],
        "vector": ["wide accesses", "more in flight"], "two_rows": ["reuse"], "four_rows": ["reuse"],
        "shipped": ["reuse"]},
    "match": {
        "candidate_per_thread": ["occupancy", "more in flight"], "candidate_texture": ["reuse"],
        "layout_texture": ["coalescing"], "cached_layout": [], "shared": ["reuse"],
        "unrolled": ["fewer instructions"], "unrolled_32": ["fewer instructions"],
        "packed": ["wide accesses", "fewer instructions"], "four_columns": ["reuse", "fewer instructions"],
        "four_by_four": ["reuse"], "padded": ["bank conflicts"], "fused": ["fewer bytes"],
        "word_loads": ["wide accesses"], "shipped": [], "ssd_cached_layout": ["coalescing"],
        "ssd_shipped": ["fewer instructions"], "ncc_cached_layout": ["coalescing"],
        "ncc_shipped": ["fewer instructions"]},
    "sobel": {
        "global_constant_filter": ["constant memory"], "global_fewer_conditions": ["fewer instructions"],
        "global_fixed_block": ["fewer instructions"], "global_unrolled": ["fewer instructions"],
        "method_i_fixed": ["fewer instructions"], "method_ii": ["divergence"],
        "method_ii_fixed": ["fewer instructions"], "method_iii": ["reuse"],
        "method_iii_fixed": ["fewer instructions"], "shared_constant_filter": ["constant memory"],
        "method_iv_fixed": ["fewer instructions"], "shared_fewer_conditions": ["fewer instructions"],
        "shared_fixed_block": ["fewer instructions"], "shared_unrolled": ["fewer instructions"],
        "shared_reused": ["fewer instructions"], "texture_constant_filter": ["constant memory"],
        "texture_fewer_conditions": ["fewer instructions"], "texture_fixed_block": ["fewer instructions"],
        "texture_unrolled": ["fewer instructions"], "known_filter": ["fewer instructions"],
        "grey_tile": ["reuse", "fewer instructions"], "sliding_rows": ["reuse"],
        "four_pixels": ["wide accesses"], "dot_product_grey": ["fewer instructions"],
        "rows_in_flight": ["more in flight"], "shuffled_ends": ["reuse"],
        "packed_halves": ["fewer instructions"], "one_test": ["fewer instructions"],
        "shipped": ["fewer instructions", "reuse"]},
    "threshold": {
        "global": [], "tile": ["reuse"], "separable": ["reuse", "fewer instructions"],
        "sliding": ["reuse", "fewer instructions"], "prefix": ["coalescing", "more in flight"],
        "ahead": ["more in flight"], "fused": ["fewer bytes"], "tiles": ["fewer instructions"],
        "pairs": ["wide accesses", "fewer instructions"], "shipped": ["more in flight"]},
}
# Ladders that were timed on an H200 and predicted for it.
PREDICTED = {each["study"] for each in json.loads((REPOSITORY / "results/predictions.json").read_text(encoding="utf-8"))["experiments"]
             if each["experiment"] == "ladder"}
LADDERS = [name for name in STEPS if name in PREDICTED]


def advice_of(command, name):
    """Returns the remedies of a rung's findings with their gains, best first; leaves out findings without a remedy."""
    done = subprocess.run([command, "explain", name, "--profile", "h200", "--json"], text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"advice.py: {name}: {done.stderr}")
    report = json.loads(done.stdout)
    advice = [{"remedy": each["remedy"], "gain": round(each["gain"], 3) if "gain" in each else None}
              for each in report["advice"] if "remedy" in each]
    return {"rung": name, "placement": report["placement"]["kind"], "advice": advice[:TOP]}


def text_of(idea):
    return idea if isinstance(idea, str) else " ".join(idea)


def steps_of(name, predictions):
    """Returns the steps of a ladder: each rung with the rung that it improves on, its remedy, and its gain."""
    table = json.loads((REPOSITORY / f"warpwise/primitives/{name}/ladder/ladder.json").read_text(encoding="utf-8"))
    record = json.loads((RECORDS / f"{name}-ladder.json").read_text(encoding="utf-8"))
    rows = [row for row in record["results"] if row.get("cold")]
    [predicted] = [each for each in predictions["experiments"]
                   if (each["study"], each["experiment"]) == (name, "ladder")]
    times_us = {key(row): row["predicted_us"] for row in predicted["rows"]}
    largest = max((row["size"] for row in rows), key=lambda size: size[0] * size[1])
    known = {row["rung"]: row for row in reversed(rows) if row["size"] == largest}
    steps, before = [], None
    for rung in table["rungs"]:
        previous, before = rung.get("after", before), rung["name"]
        if not previous or rung["name"] not in known or previous not in known:
            continue
        rows_of_step = [known[previous], known[rung["name"]]]
        gains = {"measured": rows_of_step[0]["cold"]["median_us"] / rows_of_step[1]["cold"]["median_us"]}
        if all(key(row) in times_us for row in rows_of_step):
            gains["predicted"] = times_us[key(rows_of_step[0])] / times_us[key(rows_of_step[1])]
        steps.append({"ladder": name, "before": previous, "rung": rung["name"], "idea": text_of(rung["idea"]),
                      "size": largest, "remedies": STEPS[name][rung["name"]],
                      **{what: round(gain, 3) for what, gain in gains.items()}})
    return steps


def names(step, remedies):
    return any(remedy in step["remedies"] for remedy in remedies)


def remedies_of(step):
    return [each["remedy"] for each in step["advice"]]


def best_for_all(steps):
    """Returns the three remedies that would name the most steps if every rung got them as advice: a baseline."""
    every = sorted({remedy for step in steps for remedy in step["remedies"]})
    choices = [(a, b, c) for i, a in enumerate(every) for j, b in enumerate(every[:i]) for c in every[:j]]
    best = max(choices, key=lambda choice: sum(names(step, choice) for step in steps))
    return sorted(best), sum(names(step, best) for step in steps)


def by_remedy(gained):
    """Counts for each remedy the steps that took it ("taken"), the steps before which the advice named it ("said"), and
    the steps for which both are true ("named")."""
    rows = {}
    for step in gained:
        for remedy in {*step["remedies"], *remedies_of(step)}:
            row = rows.setdefault(remedy, {"taken": 0, "named": 0, "said": 0})
            row["taken"] += remedy in step["remedies"]
            row["said"] += remedy in remedies_of(step)
            row["named"] += remedy in step["remedies"] and remedy in remedies_of(step)
    return {remedy: rows[remedy] for remedy in sorted(rows)}


def summary(steps):
    """Counts the steps that gained, and those whose remedy the previous rung's advice names first, or names at all."""
    gained = [step for step in steps if step["measured"] >= WORTH]
    commonest = max(sorted({remedy for step in gained for remedy in step["remedies"]}),
                    key=lambda remedy: sum(remedy in step["remedies"] for step in gained))
    sayable = [step for step in gained if step["remedies"]]
    always, by_always = best_for_all(gained)
    pairs = [(step["predicted"], step["measured"]) for step in steps if "predicted" in step]
    return {"steps": len(steps), "gained": len(gained), "gained_sayable": len(sayable),
            "named_first": sum(names(step, remedies_of(step)[:1]) for step in gained),
            "named": sum(names(step, remedies_of(step)) for step in gained),
            "commonest": commonest, "named_by_commonest": sum(names(step, [commonest]) for step in gained),
            "always": always, "named_by_always": by_always, "by_remedy": by_remedy(gained),
            "advice_per_rung": round(sum(len(step["advice"]) for step in gained) / len(gained), 2),
            "same_side": sum((predicted >= 1) == (measured >= 1) for predicted, measured in pairs),
            "with_prediction": len(pairs), "rank_correlation": round(spearman(pairs), 3)}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    command = sys.argv[1]
    out = sys.argv[2] if len(sys.argv) == 3 else REPOSITORY / "results/advice.json"
    predictions = json.loads((REPOSITORY / "results/predictions.json").read_text(encoding="utf-8"))
    steps = [step for name in LADDERS for step in steps_of(name, predictions)]
    rungs = sorted({f"{step['ladder']}/{rung}" for step in steps for rung in (step["before"], step["rung"])})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        advice = {each["rung"]: each for each in pool.map(lambda name: advice_of(command, name), rungs)}
    for step in steps:
        step["advice"] = advice[f"{step['ladder']}/{step['before']}"]["advice"]
    result = {"commit": commit(), "summary": summary(steps), "steps": steps, "rungs": [advice[name] for name in rungs]}
    print(result["summary"])
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
