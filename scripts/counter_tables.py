"""Makes the table of a GPU's counters beside the emulator's counts, from the records of `lab run --counters`."""
from ladder_tables import block_text, size_text
from tables import origin, table

# The name of each count, and of its column.
COLUMNS = {"global load requests": "global load requests", "global load sectors": "global load sectors",
           "global store requests": "global store requests", "global store sectors": "global store sectors",
           "shared load requests": "shared load requests", "shared load wavefronts": "shared load passes",
           "shared store requests": "shared store requests", "shared store wavefronts": "shared store passes",
           "divergent branches": "divergent branches", "warp instructions": "warp instructions",
           "active lanes": "active lanes"}


def ratio_text(ratio):
    """Formats a ratio: "=" for exactly 1, "0 counted" for None. A ratio that rounds to 1.000 gets a further digit."""
    if ratio is None:
        return "0 counted"
    if ratio == 1:
        return "="
    return f"{ratio:.4f}" if f"{ratio:.3f}" == "1.000" else f"{ratio:.3f}"


def cells(row):
    counted = row["counters_of_counts"]
    if "compared" not in counted:
        return [counted["not_comparable"], *[""] * (len(COLUMNS) - 1)]
    ratios = {each["count"]: each.get("ratio") for each in counted["compared"]}
    unknown = ratios.keys() - COLUMNS.keys()
    if unknown:
        raise ValueError(f"counter_tables.py has no column for {', '.join(sorted(unknown))}")
    return ["" if count not in ratios else ratio_text(ratios[count]) for count in COLUMNS]


def varied(rows):
    """Returns True if some kernel was counted more than once, with different parameters."""
    return len({row["rung"] for row in rows}) < len(rows)


def name_of(row, several):
    values = {**row["parameters"], **row.get("axes", {})}
    return row["rung"] + "".join(f", {key} {value}" for key, value in values.items()) if several else row["rung"]


def counters(report):
    rows = [row for row in report["results"] if "counters_of_counts" in row]
    several = varied(rows)
    lines = [[name_of(row, several), block_text(row), *cells(row)] for row in rows]
    filled = [0, 1, *(i for i in range(2, len(COLUMNS) + 2) if any(line[i] for line in lines))]
    header = ["rung", "block", *COLUMNS.values()]
    sizes = dict.fromkeys(size_text(row["counters_of_counts"]["size"]) for row in rows)
    shown = table([header[i] for i in filled], [[line[i] for i in filled] for line in lines])
    return f"{shown}\n\n{origin(report)}, {', '.join(sizes)}."


STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# Metrics that waits() shows, and the names of their columns. All are percentages.
RATES = {"sm__warps_active.avg.pct_of_peak_sustained_active": "achieved occupancy",
         "l1tex__t_sector_hit_rate.pct": "L1 hit rate",
         "lts__throughput.avg.pct_of_peak_sustained_elapsed": "L2 throughput, share of peak",
         "dram__throughput.avg.pct_of_peak_sustained_elapsed": "DRAM throughput, share of peak"}


# Most warps that a scheduler can hold, by compute capability; an SM has four schedulers.
MOST_WARPS = {"9.0": 16}


def cycles_of(metrics):
    """Returns by reason the cycles that a warp waits for each instruction, without the cycle of the issue itself."""
    before, after = STALL.split("{}")
    return {name[len(before):-len(after)]: value for name, value in metrics.items()
            if name.startswith(before) and name.endswith(after)}


def most_time(metrics):
    """Returns the three reasons on which a warp spends most of its time, with their shares."""
    cycles = cycles_of(metrics)
    whole = 1 + sum(cycles.values())
    three = sorted(cycles, key=cycles.get, reverse=True)[:3]
    return ", ".join(f"{name} {100 * cycles[name] / whole:.0f} %" for name in three)


def issue_text(metrics, compute_capability):
    """Returns the share of a scheduler's cycles in which it issues: its warps divided by the cycles per instruction."""
    if compute_capability not in MOST_WARPS:
        return ""
    warps = MOST_WARPS[compute_capability] * metrics["sm__warps_active.avg.pct_of_peak_sustained_active"]
    return f"{warps / (1 + sum(cycles_of(metrics).values())):.0f} %"


def waits(report):
    """Makes a table of rates and of reasons for waiting: a line for each launch of each rung."""
    rows = [row for row in report["results"] if "counters" in row]
    several = varied(rows)
    lines = []
    for row in rows:
        launches = row["counters"]["launches"]
        for launch in launches:
            name = name_of(row, several) + (f": {launch['kernel'].split('::')[-1]}" if len(launches) > 1 else "")
            metrics = launch["metrics"]
            rates = (f"{metrics[key]:.0f} %" if key in metrics else "" for key in RATES)
            lines.append([name, *rates, issue_text(metrics, report["machine"]["compute_capability"]), most_time(metrics)])
    sizes = dict.fromkeys(size_text(row["counters"]["size"]) for row in rows)
    header = ["rung", *RATES.values(), "used issue slots", "where warps wait, share of their time"]
    return f"{table(header, lines)}\n\n{origin(report)}, {', '.join(sizes)}."
