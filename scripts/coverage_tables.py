"""Makes the tables of the records of scripts/coverage.py and scripts/soak.py."""
from tables import table


def per_cent(pair):
    covered, total = pair
    return f"{100 * covered / total:.1f} %" if total else "–"


def coverage(record):
    goals = record["goals"]
    rows = [[f"`{room}`" if room != "whole" else "the whole product", *(f"{counts[kind][1]:,}" if not part else per_cent(counts[kind])
                                                                       for kind in ["lines", "branches"] for part in [0, 1]),
             " / ".join(f"{goal} %" for goal in goals[room]) if room in goals else "–"] for room, counts in record["rooms"].items()]
    machine = record["machine"]
    return (f"Commit {machine['commit']}, {machine['date']}, {machine['compiler']}. Method: {machine['method']}.\n\n"
            + table(["room", "lines", "lines run", "branches", "branches taken", "goals: lines / branches"], rows))


def soak(record):
    rows = []
    for name, each in record["processes"].items():
        did = f"{each['frames']:,} frames" if "frames" in each else f"{each['rounds']:,} rounds"
        rows.append([f"`{name}`" + (f", alone ({each['alone']})" if "alone" in each else ""), did, f"{each['minutes']:.0f}", f"{each['most_kib'] / 1024:.1f}",
                     f"{each['rise_kib'] / 1024:+.2f} of {each['allowed_kib'] / 1024:.1f}",
                     *(f"{before} → {after}" for before, after in [each["handles"], each["threads"]])])
    machine = record["machine"]
    return (f"{machine['cpu']}, commit {machine['commit']}, {machine['date']}. Method: {machine['method']}.\n\n"
            + table(["process", "work done", "duration, minutes", "peak memory, MiB", "rise of the fitted line and its bound, MiB",
                     "fewest handles: early → late", "fewest threads: early → late"], rows))
