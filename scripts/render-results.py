#!/usr/bin/env python3
"""Renders the tables of recorded measurements into the documents, between the markers
<!-- results: NAME --> and <!-- end -->, so that no figure is typed by hand.

  scripts/render-results.py           rewrites the documents
  scripts/render-results.py --check   fails when a document differs from what is recorded
"""
import json
import pathlib
import re
import statistics
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "docs/emulator.md", "docs/performance.md",
             *sorted(str(path.relative_to(REPOSITORY))
                     for path in REPOSITORY.glob("warpwise/primitives/*/ladder/README.md"))]
# What the README shows: the main case of each primitive, at the sizes of the documents.
IMAGE = (4096, 3072)
HEADLINES = [("copy", "u8 image", IMAGE), ("convert", "rgb24 to ycbcr32", IMAGE),
             ("sobel", "u8 magnitude l1", IMAGE), ("threshold", "u8 mean window 31", IMAGE),
             ("match", "sad 32x32 search -16:15", (12000, 1024)), ("gemv", "f32", (16384, 16384))]


def load(name):
    return json.loads((REPOSITORY / "results" / name).read_text(encoding="utf-8"))


def time_text(row):
    return f"{row['median_us']:.1f} µs [{row['p5_us']:.1f}, {row['p95_us']:.1f}]"


def measured_cells(row):
    return [time_text(row), f"{row['gb_per_s']:.0f}", f"{100 * row['share_of_roof']:.0f} %" + (" of reads" if row.get("roof") == "read" else "")]


def table(header, rows):
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def origin(report):
    machine = report["machine"]
    return (f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['toolkit']}, "
            f"commit {machine['commit']}, {machine['date'][:10]}")


def peers_of(report, row):
    """Peers that did the same work on the same size in the same run."""
    same = ("primitive", "variant", "width", "height")
    return [other for other in report["rows"] if other["implementation"] != "warpwise"
            and all(other[key] == row[key] for key in same)]


def together(reports):
    """The benches of all primitives, which are recorded in parts."""
    return {"rows": [row for report in reports for row in report["rows"]]}


def origins(reports):
    """Which commit each part was recorded at."""
    parts = []
    for report in reports:
        primitives = dict.fromkeys(row["primitive"] for row in report["rows"]
                                   if row["primitive"] != "roof")
        parts.append(f"{', '.join(primitives)}: {origin(report)}, the roof is "
                     f"{report['roof_gb_per_s']:.0f} GB/s" +
                     (f", of reads {report['read_roof_gb_per_s']:.0f}" if "read_roof_gb_per_s" in report else ""))
    return "; ".join(parts) + "."


def methods(reports):
    """How each part was measured; parts that were measured alike together."""
    parts = {}
    for report in reports:
        names = parts.setdefault(report["method"], [])
        names += dict.fromkeys(row["primitive"] for row in report["rows"] if row["primitive"] != "roof")
    if len(parts) == 1:
        method = next(iter(parts))
        return f"Method: {method[0].upper()}{method[1:]}."
    return "\n\n".join(f"Method for {', '.join(sorted(names))}: {method}." for method, names in parts.items())


def headline(reports):
    report = together(reports)
    rows = []
    for primitive, variant, size in HEADLINES:
        for row in report["rows"]:
            if (row["primitive"], row["variant"], (row["width"], row["height"]),
                    row["implementation"]) == (primitive, variant, size, "warpwise"):
                peers = [f"{peer['implementation']}: {peer['median_us']:.1f} µs"
                         for peer in peers_of(report, row)]
                rows.append([f"{primitive}, {variant}", f"{size[0]}×{size[1]}", *measured_cells(row),
                             "; ".join(peers) or "–"])
    text = table(["", "size", "median [5 %, 95 %]", "GB/s", "of the roof", "peer"], rows)
    return f"{text}\n\n{origins(reports)}"


def everything(reports):
    report = together(reports)
    rows = [[row["primitive"], row["variant"], f"{row['width']}×{row['height']}",
             row["implementation"], *measured_cells(row)]
            for row in report["rows"] if row["primitive"] != "roof"]
    text = table(["primitive", "what", "size", "by", "median [5 %, 95 %]", "GB/s",
                  "of the roof"], rows)
    return f"{origins(reports)}\n\n{methods(reports)}\n\n{text}"


def cpu_row(row):
    """What the name of a row of cpu_bench says, and its figures."""
    primitive, what, size, threads = row["name"].split("/")[:4]
    counters = {key: value for key, value in row.items() if key.endswith("_%")}
    roof, share = next(iter(counters.items()))
    return {**row, "primitive": primitive, "what": what, "size": size.replace("x", "×"),
            "threads": int(threads.split()[0]), "roof": roof.removesuffix("_%").replace("_", " "),
            "share": share, "ms": row.get("ours_ms", row["real_time"]),
            "peer": row.get("label", "").removeprefix("x ")}


def milliseconds(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cpu_origin(report):
    machine = report["machine"]
    return (f"{machine['cpu']}, {machine['compiler']}, commit {machine['commit']}, "
            f"{machine['date'][:10]}." + (f" Note: {machine['note']}." if "note" in machine else ""))


def cpu(report):
    rows = []
    for row in map(cpu_row, report["rows"]):
        if row["primitive"] == "gemv":
            continue
        beside = (f"{row['ratio']:.2f} [{row['ratio_p5']:.2f}, {row['ratio_p95']:.2f}]"
                  if "ratio" in row else "–")
        rows.append([row["primitive"], row["what"], row["size"], str(row["threads"]),
                     milliseconds(row["ms"]), f"{row['share']:.0f} % of {row['roof']}", beside,
                     row["peer"] if "ratio" in row else ""])
    text = table(["primitive", "what", "size", "threads", "ms", "of the roof",
                  "times as fast as the peer", "peer"], rows)
    text = f"{cpu_origin(report)}\n\nMethod: {report['machine']['method']}.\n\n{text}"
    other = report.get("ffmpeg")
    if other:
        text += (f"\n\nBeside ffmpeg, by CPU time, one thread each: {other['name']}, "
                 f"{other['size'].replace('x', '×')}, {other['searches']} searches: warpwise "
                 f"{other['ours_s']:.2f} s, {other['peer']} {other['peer_s']:.2f} s, "
                 f"{other['ratio']:.0f} times as long.")
    return text


def gemv_cpu(report):
    """Ratios to OpenBLAS: a line a shape, and their medians."""
    columns = {}
    shapes = {}
    for row in map(cpu_row, report["rows"]):
        if row["primitive"] != "gemv":
            continue
        kind, _, transposed = row["what"].partition(" ")
        case = (row["threads"], "Aᵀx" if transposed else "Ax")
        columns.setdefault(case, []).append(row["ratio"])
        shapes.setdefault((kind, row["size"]), {})[case] = row
    if not columns:
        return "Not recorded yet."
    cases = sorted(columns)
    header = ["shape", "columns × rows",
              *(f"{what}, {threads} thread{'s' if threads > 1 else ''}" for threads, what in cases)]
    rows = [[kind, size, *(f"{found[case]['ratio']:.2f} ({found[case]['share']:.0f} %)"
                           if case in found else "" for case in cases)]
            for (kind, size), found in shapes.items()]
    rows.append(["all", "median", *(f"{statistics.median(columns[case]):.2f}" for case in cases)])
    rows.append(["all", "at least 1", *(f"{sum(ratio >= 1 for ratio in columns[case])} of "
                                        f"{len(columns[case])}" for case in cases)])
    return f"{cpu_origin(report)}\n\n{table(header, rows)}"


def emulator(report):
    machine = report["machine"]
    rows = [[row["name"].split("/")[-1].replace("_", " "),
             f"{row['warp_instructions_per_s'] / 1e6:.0f}",
             f"{row['least'] / 1e6:.0f} to {row['most'] / 1e6:.0f}"] for row in report["rows"]]
    text = table(["kernel, counts", "median", f"of {report['rows'][0]['runs']} runs"], rows)
    return f"{text}\n\n{machine['cpu']}, commit {machine['commit']}, {machine['date'][:10]}."


def ladder_report(name):
    """A recorded experiment: LADDER-EXPERIMENT."""
    path = REPOSITORY / "results/nvidia-h200/ladders" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def three_digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size_text(size):
    return f"{size[0]:,}" if size[1] == 1 else f"{size[0]}×{size[1]}"


def block_text(row):
    sides = row["block"]
    while len(sides) > 1 and sides[-1] == 1:
        sides = sides[:-1]
    return "×".join(map(str, sides))


def parameters_text(parameters):
    return ", ".join(f"{name} {value}" for name, value in parameters.items())


def cold_text(row):
    if "cold" not in row:
        return "skipped: " + row["skipped"] if "skipped" in row else ""
    cold = row["cold"]
    return (f"{three_digits(cold['median_us'])} [{three_digits(cold['p5_us'])}, "
            f"{three_digits(cold['p95_us'])}]")


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
    """What one row of the ladder's table says at the first size; nothing of what an older record lacks."""
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
    machine = report["machine"]
    roof = f"its own copy reaches {report['copy_roof_gb_per_s']:.0f} GB/s"
    if "read_roof_gb_per_s" in report:
        roof += f", reading alone {report['read_roof_gb_per_s']:.0f} GB/s"
    if "absolute_differences_roof_per_s" in report:
        roof += (f", its `__vsadu4` {report['absolute_differences_roof_per_s'] / 1e12:.1f} T absolute "
                 "differences a second")
    transfers = "; ".join(
        f"{size_text(each['size'])}: {each['upload_us']:.0f} µs up, {each['download_us']:.0f} µs down"
        for each in {str(each["size"]): each for each in report.get("transfers", [])}.values())
    host = "; the CPU is an " + machine["cpu"] if any("on_cpu" in row for row in report["results"]) else ""
    return (f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['toolkit']}, commit "
            f"{machine['commit']}, {machine['date'][:10]}; {roof}{host}. Transfers of the operands, "
            f"page-locked: {transfers}.")


def ladder(name):
    """Every rung, at the document's size, and its time at the larger ones."""
    report = ladder_report(f"{name}-ladder")
    if report is None:
        return "Not recorded yet."
    rows = report["results"]
    first = rows[0]["size"]
    larger = []
    for row in rows:
        if row["size"] != first and row["size"] not in larger:
            larger.append(row["size"])
    times = {(row["rung"], str(row["size"])): row for row in rows}
    header = ["rung", "what is new", "document: µs, ×", f"{size_text(first)}: cold µs [5 %, 95 %]",
              "batch µs", "of the roof", "step", "all", "registers, occupancy", "references a pixel",
              "transactions a request; shared passes",
              *(f"{size_text(size)}: cold µs, of the roof" for size in larger)]
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


def shown_time(row):
    return three_digits((row.get("cold") or row["time"])["median_us"])


def matrix(rows, column_of, columns, show=shown_time):
    """Rungs against what varies."""
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
    """The document's figures as the second column, where it has any of these rows."""
    documents = dict.fromkeys(row["rung"] for row in rows)
    for row in rows:
        # They are of one size and block.
        documents[row["rung"]] = documents[row["rung"]] or document_text(row)
    if any(documents.values()):
        header.insert(1, "document: µs, ×")
        for line, text in zip(lines, documents.values()):
            line.insert(1, text)
    return table(header, lines)


def experiment(name):
    """One experiment: a matrix where blocks, parameters or many sizes vary, else a row a rung."""
    report = ladder_report(name)
    if report is None:
        return "Not recorded yet."
    rows = report["results"]
    many_sizes = len({tuple(row["size"]) for row in rows}) > 3
    text = [f"{report['title']} ({', '.join(report['rows'])}); "
            f"{'GB/s by the cold time' if many_sizes else 'cold µs'}."]
    works = list(dict.fromkeys(same_work(row) for row in rows))
    sizes = list(dict.fromkeys(size for size, _ in works))
    measured = [row for row in rows if "block" in row]
    shapes = {row["rung"]: set() for row in measured}
    for row in measured:
        shapes[row["rung"]].add(block_text(row))
    varied = [key for key in rows[0]["parameters"]
              if len({row["parameters"][key] for row in rows}) > 1]
    if any(len(each) > 1 for each in shapes.values()):
        for work in works:
            some = [row for row in measured if same_work(row) == work]
            if not some:
                continue
            columns = list(dict.fromkeys(block_text(row) for row in some))
            lines = matrix(some, block_text, columns)
            header = [f"{size_text(work[0])}, block", *columns]
            # Older records have the document's figures at every size.
            text.append(with_documents(header, lines, some) if "document_size" in report else
                        table(header, lines))
    elif len(varied) == 1 and len({row["rung"] for row in rows}) * 2 <= len(rows):
        for size in sizes:
            some = [row for row in rows if tuple(row["size"]) == size]
            columns = list(dict.fromkeys(row["parameters"][varied[0]] for row in some))
            text.append(table([f"{size_text(size)}, {varied[0]}", *map(str, columns)],
                              matrix(some, lambda row: row["parameters"][varied[0]], columns)))
    else:
        show = (lambda row: f"{row['gb_per_s']:.0f}") if many_sizes else shown_time
        lines = matrix(rows, lambda row: tuple(row["size"]), sizes, show)
        text.append(with_documents(["", *map(size_text, sizes)], lines, rows))
    text.append(ladder_origin(report))
    return "\n\n".join(text)


def branches(name):
    """Branches and instructions of an experiment's rungs, as the emulator counts them."""
    report = ladder_report(name)
    if report is None:
        return "Not recorded yet."
    lines = []
    for row in report["results"]:
        for counts in row.get("counts", []):
            lines.append([row["rung"], block_text(row), f"{counts['branches']:,}",
                          f"{counts['divergent_branches']:,}", f"{counts['warp_instructions']:,}",
                          cold_text(row)])
    size = report["results"][0]["counts"][0]["size"]
    text = table(["", "block", "branches", "divergent", "warp instructions", "cold µs"], lines)
    return f"Counts at {size_text(size)}, times at {size_text(report['results'][0]['size'])}.\n\n{text}\n\n{ladder_origin(report)}"


def render(text, reports):
    gpu, host, emulated = reports
    renderers = {"headline": lambda: headline(gpu), "everything": lambda: everything(gpu),
                 "cpu": lambda: cpu(host), "gemv_cpu": lambda: gemv_cpu(host), "emulator": lambda: emulator(emulated)}

    def rendered(name):
        kind, _, what = name.partition(" ")
        if kind == "ladder":
            return ladder(what)
        if kind == "branches":
            return branches(what)
        return experiment(what) if kind == "experiment" else renderers[name]()

    def replace(match):
        name = match.group(1)
        return f"<!-- results: {name} -->\n{rendered(name)}\n<!-- end -->"

    return re.sub(r"<!-- results: ([\w -]+?) -->\n.*?<!-- end -->", replace, text, flags=re.DOTALL)


def main():
    gpu = [json.loads(path.read_text(encoding="utf-8"))
           for path in sorted((REPOSITORY / "results/nvidia-h200/gpu_bench").glob("*.json"))]
    reports = (gpu, load("amd-epyc/cpu_bench.json"),
               load("amd-epyc/emulator_bench.json"))
    stale = []
    for name in DOCUMENTS:
        path = REPOSITORY / name
        text = path.read_text(encoding="utf-8")
        rendered = render(text, reports)
        if rendered == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(rendered, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"not what is recorded, run scripts/render-results.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
