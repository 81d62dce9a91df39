"""Tables of the records of `lab run` on studies, one for each kind of question."""
from ladder_tables import block_text, cold_text, ladder_origin, shown_time, size_text, three_digits, timing_text
from tables import origin, table



def values_of(row):
    """Returns the values that axes may set: parameters of the problem and constants of the kernel."""
    return {**row["parameters"], **row.get("axes", {})}


def plane(rows, down, across, header, show=shown_time):
    """Makes a table of one kernel at two axes; `down` and `across` return a row's values."""
    columns = sorted({across(row) for row in rows})
    cells = {(down(row), across(row)): row for row in rows}
    lines = []
    for value in sorted({down(row) for row in rows}):
        found = (cells.get((value, column)) for column in columns)
        lines.append([str(value), *("" if row is None or "cold" not in row else show(row) for row in found)])
    return table([header, *map(str, columns)], lines)


def plane_of_blocks(rows):
    """Makes a table of one kernel at every block shape, and compares the best with the first, the document's."""
    timed = [row for row in rows if "cold" in row]
    best = min(timed, key=lambda row: row["cold"]["median_us"])
    first = rows[0]
    sides = lambda row: "{}×{}".format(*row["block"])
    text = f"**{first['rung']}**: the best is {sides(best)}, {shown_time(best)} µs"
    if best is not first and "cold" in first:
        text += f"; the document's {sides(first)} takes {shown_time(first)} µs"
    show = lambda row: f"**{shown_time(row)}**" if row is best else shown_time(row)
    return f"{text}.\n\n" + plane(rows, lambda row: row["block"][1], lambda row: row["block"][0], "y \\ x", show)


def planes(report):
    """Makes a table of each kernel of an experiment, with two axes: the block's two sides, or two values that vary."""
    text = [f"{report['title']} ({', '.join(report['rows'])}); cold times, µs."]
    for rung in dict.fromkeys(row["rung"] for row in report["results"]):
        rows = [row for row in report["results"] if row["rung"] == rung]
        varied = [key for key in values_of(rows[0]) if len({values_of(row)[key] for row in rows}) > 1]
        if not varied:
            text.append(plane_of_blocks(rows))
            continue
        down, across = sorted(varied, key=lambda key: len({values_of(row)[key] for row in rows}))
        text.append(plane(rows, lambda row: values_of(row)[down], lambda row: values_of(row)[across],
                          f"{rung}: {down} \\ {across}"))
    # Operands that grow along an axis have no single transfer time.
    text.append(ladder_origin({**report, "transfers": []}))
    return "\n\n".join(text)


def what_varies(rows):
    """Returns for each row a text that distinguishes it from other rows of its kernel: size, parameters, block."""
    told = [{"size": size_text(row["size"]), **row["parameters"], **row.get("axes", {}), "block": block_text(row)}
            for row in rows]
    varied = [key for key in dict.fromkeys(key for each in told for key in each)
              if len({each[key] for each in told if key in each}) > 1]
    return [", ".join(f"{key} {each[key]}" for key in varied if key in each) for each in told]


def figures(report):
    """Makes the table of a study's experiment: for each point its time, and the machine code's resources."""
    lines = []
    for row, varied in zip(report["results"], what_varies(report["results"])):
        if "cold" not in row:
            lines.append([row["rung"], varied, "skipped", *[""] * 5])
            continue
        takes = row["resources"][0]
        lines.append([row["rung"], varied, shown_time(row), f"{row['gb_per_s']:.0f}",
                      f"{100 * row['share_of_roof']:.0f} %", str(takes.get("registers", "")),
                      str(takes.get("spill_bytes", "")), f"{100 * takes['occupancy']:.1f} %"])
    title = f"{report['title']} ({', '.join(report['rows'])}).\n\n" if "title" in report else ""
    header = ["kernel", "setting", "cold time, µs", "GB/s", "share of the roof", "registers per thread", "spilled bytes per thread", "occupancy"]
    return f"{title}{table(header, lines)}\n\n{ladder_origin(report)}"


def is_of_curve(row, knee, axis):
    """Returns True if a row is a point of this knee's curve."""
    def without(values):
        return {key: value for key, value in values.items() if key != axis}
    return (all(row[key] == knee[key] for key in ("rung", "size", "block")) and
            without(row["parameters"]) == knee["parameters"] and
            without(row.get("axes", {})) == knee.get("axes", {}))


def knee_cell(knee):
    if "at" not in knee:
        return "none: " + knee["none"]
    return (f"{three_digits(knee['at'])} (level {three_digits(knee['level_us'])} µs, then {knee['slope_us']:.3g} µs "
            f"for each; within {100 * knee['largest_deviation']:.0f} %)")


def curves(report):
    """Makes a table with knees: a column for each curve, a line for each value of the axis, and the knees."""
    axis = report["knee"]["axis"]
    knees = report["knees"]
    told = [{"kernel": knee["rung"], **knee["parameters"], **knee.get("axes", {}), "block": block_text(knee)}
            for knee in knees]
    header = [axis]
    lines = {}
    for curve, (knee, says) in enumerate(zip(knees, told)):
        varied = [key for key in says if len({each.get(key) for each in told}) > 1]
        header.append(", ".join(says[key] if key == "kernel" else f"{key} {says[key]}" for key in varied) or
                      says["kernel"])
        for row in report["results"]:
            if is_of_curve(row, knee, axis):
                line = lines.setdefault({**row["parameters"], **row.get("axes", {})}[axis], [""] * len(knees))
                line[curve] = cold_text(row)
    rows = [[str(value), *cells] for value, cells in sorted(lines.items())]
    rows.append(["knee", *map(knee_cell, knees)])
    return (f"{report['title']} ({', '.join(report['rows'])}); cold times, µs [5 %, 95 %].\n\n{table(header, rows)}\n\n"
            f"{ladder_origin(report)}")


def ratio_text(kernel_share):
    """Returns the ratio of kernel to transfers, with the smaller as 1."""
    kernel, transfers = kernel_share, 1 - kernel_share
    return f"{kernel / transfers:.1f} : 1" if kernel >= transfers else f"1 : {transfers / kernel:.1f}"


def span(values):
    least, most = f"{min(values):.1f}", f"{max(values):.1f}"
    return least if least == most else f"{least} to {most}"


def transfers(reports):
    """Makes a table of all kinds of transfers, experiments side by side: a line for each kernel and kind."""
    lines = []
    for report in reports:
        for row in report["results"]:
            start = [report["ladder"], row["rung"], size_text(row["size"]), row["setting"]["transfer"]]
            if "end_to_end" not in row:
                lines.append([*start, "skipped: " + row["skipped"], *[""] * 4])
                continue
            times = row["end_to_end"]
            parts = [three_digits(times[part]) if part in times else ""
                     for part in ("upload_us", "kernel_us", "download_us")]
            share = ratio_text(times["kernel_share"]) if "kernel_share" in times else ""
            lines.append([*start, timing_text(times), *parts, share])
    header = ["ladder", "rung", "size", "way of transfer", "total time, µs [5 %, 95 %]", "upload, µs", "kernel, µs", "download, µs", "kernel time : transfer time"]
    up, down, both = (span([report["bus"][way] for report in reports])
                      for way in ("up_gb_per_s", "down_gb_per_s", "both_gb_per_s"))
    origins = dict.fromkeys(map(origin, reports))
    return (f"{table(header, lines)}\n\n{'; '.join(origins)}. The bus reaches {up} GB/s up, {down} down and {both} "
            "both ways at once.")


def shares(report):
    """Makes a table of the times of rungs on a share of the multiprocessors, beside a neighbour that reads memory."""
    lines = []
    for row in report["results"]:
        setting = row["setting"]
        start = [row["rung"], f"{setting['sm_percent']} %"]
        if "cold" not in row:
            lines.append([*start, "skipped: " + row["skipped"], *[""] * 3])
            continue
        neighbour = f"{row['neighbour_gb_per_s']:.0f}" if "neighbour_gb_per_s" in row else ""
        left = f"{100 * row['bandwidth_left']:.0f} %" if "bandwidth_left" in row else "100 %"
        lines.append([*start, str(row["multiprocessors"]), neighbour, left, cold_text(row)])
    size = size_text(report["results"][0]["size"])
    text = table(["rung", "requested share of multiprocessors", "multiprocessors", "neighbour's reads, GB/s", "bandwidth left", f"{size}: cold time, µs [5 %, 95 %]"],
                 lines)
    return f"{text}\n\n{origin(report)}; its own copy reaches {report['copy_roof_gb_per_s']:.0f} GB/s."


def halved(report):
    """Makes a table of how much slower rungs are with half of the multiprocessors or of the bandwidth."""
    keys = ("multiprocessors_halved_at_all_bandwidth", "multiprocessors_halved_at_half_bandwidth",
            "bandwidth_halved_at_many_multiprocessors", "bandwidth_halved_at_half_multiprocessors")
    lines = []
    for row in report.get("halved", []):
        many, half = row["multiprocessors"]
        lines.append([f"{row['rung']} {block_text(row)}", f"{many} → {half}",
                      *(f"{100 * row[key]:.1f} %" if key in row else "" for key in keys), row.get("hangs_on", "")])
    conditions = "multiprocessors halved, full bandwidth", "multiprocessors halved, half the bandwidth", "bandwidth halved, many multiprocessors", "bandwidth halved, half the multiprocessors"
    header = ["rung and block", "multiprocessors: many → half", *(f"loss of speed: {each}" for each in conditions), "bound by"]
    return f"{table(header, lines)}\n\n{origin(report)}, {size_text(report['results'][0]['size'])}."
