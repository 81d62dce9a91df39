"""Makes tables of the records of `lab run`: of whole ladders, and of any single experiment."""
import json

from tables import origin, table



def three_digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size_text(size):
    return f"{size[0]:,}" if size[1] == 1 else f"{size[0]}×{size[1]}"


def block_text(row):
    sides = row["block"]
    while len(sides) > 1 and sides[-1] == 1:
        sides = sides[:-1]
    return "×".join(map(str, sides))


def timing_text(timing):
    return (f"{three_digits(timing['median_us'])} [{three_digits(timing['p5_us'])}, "
            f"{three_digits(timing['p95_us'])}]")


def cold_text(row):
    if "cold" not in row:
        return "skipped: " + row["skipped"] if "skipped" in row else ""
    return timing_text(row["cold"])


def shown_time(row):
    return three_digits((row.get("cold") or row["time"])["median_us"])


def document_text(row):
    parts = []
    if "document_time_us" in row:
        parts.append(f"{row['document_time_us']:g}")
    if "document_speedup_over_first" in row:
        parts.append(f"×{row['document_speedup_over_first']:.3g}")
    if "document_gpu_speedup" in row:
        parts.append(f"its GPU ×{row['document_gpu_speedup']:g} ({row['document_threads']} threads)")
    return " ".join(parts)


def ladder_cells(row):
    """Returns the cells of a rung's row at the ladder's first size. Cells that an older record lacks are empty."""
    if row.get("on_cpu") and "time" in row:
        return [three_digits(row["time"]["median_us"])] + [""] * 7
    if "cold" not in row:
        return [cold_text(row)] + [""] * 7
    resources = row["resources"][0]
    counts = row["counts"][0] if "counts" in row else {}
    return [cold_text(row), three_digits(row["batch"]["median_us"]),
            f"{100 * row['share_of_roof']:.0f} %",
            f"×{row['speedup_over_step_before']:.2f}" if "speedup_over_step_before" in row else "",
            f"×{row['speedup_over_first']:.2f}",
            f"{resources['registers']}, {100 * resources['occupancy']:.0f} %",
            three_digits(counts["references_per_pixel"]) if "references_per_pixel" in counts else "",
            "; ".join(filter(None, [three_digits(counts["transactions_per_request"]),
                                    three_digits(counts["shared_passes_per_request"])
                                    if counts["shared_passes_per_request"] else ""]))
            if counts else ""]


def same_work(row):
    return tuple(row["size"]), json.dumps(row["parameters"])


def ladder_origin(report):
    roof = f"roof: its own copy reaches {report['copy_roof_gb_per_s']:.0f} GB/s"
    if "read_roof_gb_per_s" in report:
        roof += f", reading alone {report['read_roof_gb_per_s']:.0f} GB/s"
    if "absolute_differences_roof_per_s" in report:
        roof += (f", its `__vsadu4` {report['absolute_differences_roof_per_s'] / 1e12:.1f} T absolute "
                 "differences a second")
    transfers = "; ".join(
        f"{size_text(each['size'])}: {each['upload_us']:.0f} µs up, {each['download_us']:.0f} µs down"
        for each in {str(each["size"]): each for each in report.get("transfers", [])}.values())
    host = "; the CPU is an " + report["machine"]["cpu"] if any("on_cpu" in row for row in report["results"]) else ""
    text = f"{origin(report)}; {roof}{host}."
    return text + (f" Transfers of the operands, page-locked: {transfers}." if transfers else "")


def ladder(report):
    """Makes a table of every rung at the ladder's first size, with the times at the larger sizes."""
    rows = report["results"]
    first = rows[0]["size"]
    larger = []
    for row in rows:
        if row["size"] != first and row["size"] not in larger:
            larger.append(row["size"])
    times = {(row["rung"], str(row["size"])): row for row in rows}
    header = ["rung", "idea", "document: µs, speed-up", f"{size_text(first)}: cold time, µs [5 %, 95 %]",
              "time in a batch, µs", "share of the roof", "speed-up over the step before", "speed-up over the first rung", "registers per thread, occupancy",
              "global references per pixel", "global transactions per request; shared passes per request",
              *(f"{size_text(size)}: cold time, µs, share of the roof" for size in larger)]
    lines = []
    for row in rows:
        if row["size"] != first:
            continue
        more = []
        for size in larger:
            other = times.get((row["rung"], str(size)), {"on_cpu": True})
            more.append("" if other.get("on_cpu") else cold_text(other) if "cold" not in other else
                        f"{three_digits(other['cold']['median_us'])}, "
                        f"{100 * other['share_of_roof']:.0f} %")
        lines.append([row["rung"].replace("cpu", "CPU"), row["idea"], document_text(row),
                      *ladder_cells(row), *more])
    device = report.get("document_device")
    at = f", {size_text(report['document_size'])}" if "document_size" in report else ""
    note = f" The document's times are of a {device}{at}." if device else ""
    sizes = dict.fromkeys(size_text(counts["size"]) for row in rows for counts in row.get("counts", []))
    if sizes:
        note += f" References, transactions and passes are the emulator's counts at {', '.join(sizes)}."
    return f"{table(header, lines)}\n\n{ladder_origin(report)}{note}"


def matrix(rows, column_of, columns, show=shown_time):
    """Makes the lines of a table: a row for each rung, a column for each value of the varied parameter."""
    names = list(dict.fromkeys(row["rung"] for row in rows))
    cells = {(row["rung"], column_of(row)): row for row in rows}
    lines = []
    for name in names:
        line = [name.replace("cpu", "CPU")]
        for column in columns:
            row = cells.get((name, column))
            line.append("" if row is None else "skipped" if "skipped" in row else show(row))
        lines.append(line)
    return lines


def with_documents(header, lines, rows):
    """Makes a table, with the document's figures as the second column if it gives any for these rows."""
    documents = dict.fromkeys(row["rung"] for row in rows)
    for row in rows:
        # If several rows of a rung have figures of the document, the first one's are shown.
        documents[row["rung"]] = documents[row["rung"]] or document_text(row)
    if any(documents.values()):
        header.insert(1, "document: µs, speed-up")
        for line, text in zip(lines, documents.values()):
            line.insert(1, text)
    return table(header, lines)


def experiment(report):
    """Makes one experiment's table: a matrix if blocks, parameters or many sizes vary, or else a row for each rung."""
    rows = report["results"]
    many_sizes = len({tuple(row["size"]) for row in rows}) > 3
    text = [f"{report['title']} ({', '.join(report['rows'])}); "
            f"{'GB/s by the cold time' if many_sizes else 'cold times, µs'}."]
    works = list(dict.fromkeys(same_work(row) for row in rows))
    sizes = list(dict.fromkeys(size for size, _ in works))
    measured = [row for row in rows if "block" in row]
    shapes = {row["rung"]: set() for row in measured}
    for row in measured:
        shapes[row["rung"]].add(block_text(row))
    # Counts only parameters that vary within a rung. A parameter that each rung fixes may differ between rungs.
    varied = [key for key in rows[0]["parameters"]
              if any(len({row["parameters"][key] for row in rows if row["rung"] == rung}) > 1
                     for rung in {row["rung"] for row in rows})]
    if any(len(each) > 1 for each in shapes.values()):
        for work in works:
            some = [row for row in measured if same_work(row) == work]
            if not some:
                continue
            columns = list(dict.fromkeys(block_text(row) for row in some))
            lines = matrix(some, block_text, columns)
            header = [f"{size_text(work[0])}: rung \\ block", *columns]
            # Older records repeat the document's figures at every size, so these are left out.
            text.append(with_documents(header, lines, some) if "document_size" in report else
                        table(header, lines))
    elif len(varied) == 1 and len({row["rung"] for row in rows}) * 2 <= len(rows):
        for size in sizes:
            some = [row for row in rows if tuple(row["size"]) == size]
            columns = list(dict.fromkeys(row["parameters"][varied[0]] for row in some))
            text.append(table([f"{size_text(size)}: rung \\ {varied[0]}", *map(str, columns)],
                              matrix(some, lambda row: row["parameters"][varied[0]], columns)))
    else:
        show = (lambda row: f"{row['gb_per_s']:.0f}") if many_sizes else shown_time
        lines = matrix(rows, lambda row: tuple(row["size"]), sizes, show)
        text.append(with_documents(["rung", *map(size_text, sizes)], lines, rows))
    text.append(ladder_origin(report))
    return "\n\n".join(text)


def branches(report):
    """Makes a table of the branches and instructions that the emulator counts for an experiment's rungs."""
    lines = []
    for row in report["results"]:
        for counts in row.get("counts", []):
            lines.append([row["rung"], block_text(row), f"{counts['branches']:,}",
                          f"{counts['divergent_branches']:,}", f"{counts['warp_instructions']:,}",
                          cold_text(row)])
    size = report["results"][0]["counts"][0]["size"]
    text = table(["rung", "block", "branches of warps", "divergent branches", "warp instructions", "cold time, µs [5 %, 95 %]"], lines)
    return f"Counts at {size_text(size)}, times at {size_text(report['results'][0]['size'])}.\n\n{text}\n\n{ladder_origin(report)}"
