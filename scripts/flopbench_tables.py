"""Makes the tables of results/flopbench.json, which compares `warpwise run --explain` with gpuFLOPBench's table."""
import collections
import json
import statistics

from tables import table

# The table gives operations as time × rate. A rate is the sum of three rates (additions, multiplications, fused
# operations), each rounded to two decimals of operations a cycle.
EQUAL = 0.01
ROUNDED_PER_CYCLE = 3 * 0.005
CYCLES_PER_US = 1440
SMALL_US = 10
# Operations that the RTX 3080 can execute in the time that DRAM moves one byte. Its published figures at the boost
# clock, as in Nsight Compute's rooflines, are 29.77 (single) and 0.465 (double) TFLOP/s and 760.3 GB/s. It issues half
# as many integer instructions as single-precision additions.
BALANCE = {"float32": 29770 / 760.3, "float64": 465.1 / 760.3, "integer": 29770 / 4 / 760.3}
COMPUTE, BANDWIDTH = "compute", "bandwidth"


def factor(a, b):
    return max(a / b, b / a)


def bound(counts):
    """Returns a kernel's class as the suite defines it: bandwidth-bound if it is so for each kind of operation."""
    if not counts["bytes"]:
        return COMPUTE
    return COMPUTE if any(counts[kind] / counts["bytes"] > balance for kind, balance in BALANCE.items()) else BANDWIDTH


def floats(counts):
    return counts["float32"] + counts["float64"]


def equal(row, kind):
    """Returns True if table and emulator differ in a kind of operations by no more than 1 % or the table's rounding."""
    rounded = ROUNDED_PER_CYCLE * CYCLES_PER_US * row["measured"]["time_us"]
    return abs(row["measured"][kind] - row["predicted"][kind]) <= max(EQUAL * row["measured"][kind], rounded)


def equal_floats(row):
    return equal(row, "float32") and equal(row, "float64")


def share(rows, holds):
    return f"{sum(map(holds, rows))} of {len(rows)} ({100 * sum(map(holds, rows)) / len(rows):.0f} %)" if rows else "–"


def time_factor(row):
    return factor(row["measured"]["time_us"], row["predicted"]["time_us"])


def in_range(row):
    return row["predicted"]["least_us"] <= row["measured"]["time_us"] <= row["predicted"]["most_us"]


def same_bound(row):
    return bound(row["measured"]) == bound(row["predicted"])


def parts(kernels):
    """Returns the compared kernels, and groups of them, by name."""
    rows = [row for row in kernels if "predicted" in row]
    with_floats = [row for row in rows if floats(row["measured"]) > 0]
    repeating = [row for row in with_floats if row["predicted"].get("repeats", False)]
    rest = [row for row in with_floats if row not in repeating]
    return {"compared": rows, "with floats": with_floats, "repeating": repeating, "plain": [row for row in rest if not row["predicted"]["special"]],
            "special": [row for row in rest if row["predicted"]["special"]]}


def operations(record):
    of = parts(record["kernels"])
    rest = of["special"]
    none = [row for row in of["compared"] if floats(row["measured"]) == 0]

    def near(row):
        return floats(row["predicted"]) > 0 and factor(floats(row["measured"]), floats(row["predicted"])) <= 1.1

    return table(["kernels", "single and double counts both equal", "total count within 10 %"], [
        ["without divisions, roots and special functions", share(of["plain"], equal_floats), share(of["plain"], near)],
        ["with some", share(rest, equal_floats), share(rest, near)],
        # These kernels have no fixed number of additions: machine code repeats each addition until it succeeds.
        *([["that add floats in shared memory, by machine code that repeats", share(of["repeating"], equal_floats), share(of["repeating"], near)]]
          if of["repeating"] else []),
        ["that have none in the table", share(none, equal_floats), "–"]])


def unequal(record):
    """Lists the kernels without divisions, roots and special functions whose operations differ from the table's."""
    rows = [row for row in parts(record["kernels"])["plain"] if not equal_floats(row)]
    return table(["program", "kernel", "single, table", "single, emulator", "double, table", "double, emulator"],
                 [[row["program"], f"`{row['kernel']}`", *(f"{row[who][kind]:,.0f}" for kind in ("float32", "float64") for who in ("measured", "predicted"))]
                  for row in rows])


def misses(record):
    """Lists the ten kernels whose predicted times have the largest errors."""
    rows = sorted(parts(record["kernels"])["compared"], key=time_factor, reverse=True)[:10]
    return table(["program", "kernel", "table, µs", "predicted, µs", "predicted : measured", "predicted bottleneck"],
                 [[row["program"], f"`{row['kernel']}`", f"{row['measured']['time_us']:,.1f}", f"{row['predicted']['time_us']:,.1f}",
                   f"{row['predicted']['time_us'] / row['measured']['time_us']:.2f}", row["predicted"]["rules"]] for row in rows])


def time_row(name, rows):
    if not rows:
        return [name, "0", *4 * ["–"]]
    return [name, str(len(rows)), f"{100 * (statistics.median(map(time_factor, rows)) - 1):.0f} %",
            f"{statistics.median(row['predicted']['time_us'] / row['measured']['time_us'] for row in rows):.2f}",
            share(rows, lambda row: time_factor(row) <= 2), share(rows, in_range)]


def times(record):
    rows = parts(record["kernels"])["compared"]
    long = [row for row in rows if row["measured"]["time_us"] >= SMALL_US]
    by_rules = collections.defaultdict(list)
    for row in long:
        by_rules[row["predicted"]["rules"]].append(row)
    lines = [time_row("all", rows), time_row(f"shorter than {SMALL_US} µs", [row for row in rows if row not in long]),
             time_row(f"of {SMALL_US} µs and more", long),
             *(time_row(f"of these, bottleneck {rules}", by_rules[rules]) for rules in sorted(by_rules, key=lambda rules: -len(by_rules[rules])))]
    return table(["kernels", "number", "median error of the time", "median of predicted : measured", "time within ×2", "time within the predicted range"], lines)


def bounds(record):
    rows = parts(record["kernels"])["compared"]
    lines = [["all", share(rows, same_bound)],
             *([f"{name}-bound in the table", share([row for row in rows if bound(row["measured"]) == name], same_bound)] for name in (COMPUTE, BANDWIDTH))]
    lines.append(["of those with float operations", share([row for row in rows if floats(row["measured"]) > 0], same_bound)])
    return table(["kernels", "class predicted rightly"], lines)


def taken(record):
    """Says which programs and kernels were compared, and why the others were not."""
    kernels, machine = record["kernels"], record["machine"]
    compared = [row for row in kernels if "predicted" in row]
    programs = {row["program"] for row in kernels}
    rest = collections.Counter(row["why"] for row in kernels if "why" in row).most_common()
    lines = [["programs of the table", str(record["programs_in_table"])], ["chosen at random", str(record["programs"])],
             ["built", str(len(programs - {row["program"] for row in kernels if row.get("why") == "not built"}))],
             ["with a compared kernel", str(len({row["program"] for row in compared}))],
             ["their kernels in the table", str(len(kernels))], ["compared", str(len(compared))], *([why, str(count)] for why, count in rest)]
    return (f"[gpuFLOPBench](https://github.com/{record['repository']}/tree/{record['repository_commit']}); {machine['method']}; "
            f"{machine['toolkit']}; {machine['cpu']}, commit {machine['commit']}, {machine['date']}.\n\n{table(['programs or kernels', 'number'], lines)}")


PARTS = {"taken": taken, "operations": operations, "unequal": unequal, "times": times, "misses": misses, "bounds": bounds}


def rendered(path, part):
    return PARTS[part](json.loads(path.read_text(encoding="utf-8"))) if path.exists() else "Not recorded yet."
