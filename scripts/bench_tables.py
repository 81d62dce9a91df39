"""The tables of the benches: of a GPU, of the CPU and of the emulator."""
import json
import statistics

from tables import origin, table

# The rows of the README's table: the main case of each primitive, at the sizes of the documents.
IMAGE = (4096, 3072)
HEADLINES = [("copy", "u8 image", IMAGE), ("convert", "rgb24 to ycbcr32", IMAGE),
             ("sobel", "u8 magnitude l1", IMAGE), ("threshold", "u8 mean window 31", IMAGE),
             ("match", "sad 32x32 search -16:15", (12000, 1024)), ("gemv", "f32", (16384, 16384))]


def time_text(row):
    return f"{row['median_us']:.1f} µs [{row['p5_us']:.1f}, {row['p95_us']:.1f}]"


def measured_cells(row):
    return [time_text(row), f"{row['gb_per_s']:.0f}", f"{100 * row['share_of_roof']:.0f} %" + (" of reads" if row.get("roof") == "read" else "")]


def peers_of(report, row):
    """Returns the rows of a report in which peers did the work of `row` at the same size."""
    same = ("primitive", "variant", "width", "height")
    return [other for other in report["rows"] if other["implementation"] != "warpwise"
            and all(other[key] == row[key] for key in same)]


def together(reports):
    """Joins the benches of all primitives, which are recorded in parts."""
    return {"rows": [row for report in reports for row in report["rows"]]}


def timed(reports):
    return {"rows": [row for row in together(reports)["rows"] if "not_timed" not in row]}


def primitives_of(report):
    return ", ".join(dict.fromkeys(row["primitive"] for row in report["rows"] if row["primitive"] != "roof"))


def origins(reports):
    """Names the machine, the commit and the measured roofs of each part. Parts of one origin are named together."""
    parts = {}
    for report in reports:
        reads = f", of reads {report['read_roof_gb_per_s']:.0f}" if "read_roof_gb_per_s" in report else ""
        parts.setdefault(origin(report), []).append(
            f"{report['roof_gb_per_s']:.0f} GB/s{reads} ({primitives_of(report)})")
    return " ".join(f"{where}. The roof: {'; '.join(roofs)}." for where, roofs in parts.items())


def methods(reports):
    """Says how each part was measured. Parts that were measured in the same way are named together."""
    parts = {}
    for report in reports:
        names = parts.setdefault(report["method"], [])
        names += dict.fromkeys(row["primitive"] for row in report["rows"] if row["primitive"] != "roof")
    if len(parts) == 1:
        method = next(iter(parts))
        return f"Method: {method[0].upper()}{method[1:]}."
    return "\n\n".join(f"Method for {', '.join(sorted(names))}: {method}." for method, names in parts.items())


def headline(reports):
    report = timed(reports)
    rows = []
    for primitive, variant, size in HEADLINES:
        for row in report["rows"]:
            if (row["primitive"], row["variant"], (row["width"], row["height"]),
                    row["implementation"]) == (primitive, variant, size, "warpwise"):
                peers = [f"{peer['implementation']}: {peer['median_us']:.1f} µs"
                         for peer in peers_of(report, row)]
                rows.append([f"{primitive}, {variant}", f"{size[0]}×{size[1]}", *measured_cells(row),
                             "; ".join(peers) or "–"])
    text = table(["primitive, case", "size", "median time [5 %, 95 %]", "GB/s", "share of the roof", "peer: median time"], rows)
    shown = {primitive for primitive, _, _ in HEADLINES}
    parts = [{**report, "rows": [row for row in report["rows"] if row["primitive"] in shown]} for report in reports]
    return f"{text}\n\n{origins([part for part in parts if part['rows']])}"


def verdict_text(beside):
    """Returns a comparison's verdict, and the peer's time divided by ours with its interval."""
    return f"{beside['verdict']}, {beside['ratio']:.2f} [{beside['low']:.2f}, {beside['high']:.2f}]" if beside else ""


def result_cells(row):
    """Returns the measured case and our result beside a peer's, or the reason why nothing was measured."""
    if "not_timed" in row:
        return [row["not_timed"], "", "", ""]
    note = ("verified" if row.get("verified") else "") if row["implementation"] == "warpwise" else verdict_text(row.get("beside"))
    return [*measured_cells(row), note]


def everything(reports):
    report = together(reports)
    rows = [[row["primitive"], row["variant"], f"{row['width']}×{row['height']}",
             row["implementation"], *result_cells(row)]
            for row in report["rows"] if row["primitive"] != "roof"]
    text = table(["primitive", "case", "size", "implementation", "median time [5 %, 95 %]", "GB/s",
                  "share of the roof", "verified; or warpwise compared with this peer: verdict, peer's time / warpwise's"], rows)
    return f"{origins(reports)}\n\n{methods(reports)}\n\n{text}"


def growth(records):
    """Returns the plots of `bench --growth`, each with its origin."""
    def shown(path):
        report = json.loads(path.read_text(encoding="utf-8"))
        primitives = ", ".join(dict.fromkeys(row["primitive"] for row in report["rows"]))
        return (f"![GB/s of {primitives} and their peers over the bytes that a call moves]"
                f"(../results/{path.parent.name}/{path.stem}.svg)\n\n{origin(report)}.")
    return "\n\n".join(shown(path) for path in records)


def beside_python(reports):
    """Makes the table of Python libraries that do the same work on the GPU's machine."""
    parts = [report["python"] for report in reports if "rows" in report.get("python", {})]
    if not parts:
        return "Not recorded yet."
    rows = []
    for row in (row for part in parts for row in part["rows"]):
        measured = [time_text(row), verdict_text(row["beside"])] if "median_us" in row else [row["not_timed"], ""]
        rows.append([row["primitive"], row["variant"], f"{row['width']}×{row['height']}", row["implementation"],
                     {"cpu": "CPU", "gpu": "GPU"}[row["place"]], *measured])
    text = table(["primitive", "case", "size", "implementation", "device", "median time [5 %, 95 %]", "warpwise on the GPU: verdict, library's time / warpwise's"], rows)
    where = "; ".join(dict.fromkeys(origin(report) for report in reports if "rows" in report.get("python", {})))
    libraries = ", ".join(dict.fromkeys(name for part in parts for name in part["libraries"]))
    missing = "".join(f" Not there: {each}." for each in dict.fromkeys(name for part in parts for name in part["missing"]))
    return f"{where}. {libraries}.{missing}\n\n{text}"


def cpu_row(row):
    """Splits the name of a row of cpu_bench, and returns its parts with the row's figures."""
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
    text = table(["primitive", "case", "size", "threads", "time, ms", "share of the roof",
                  "peer's time / warpwise's", "peer"], rows)
    text = f"{cpu_origin(report)}\n\nMethod: {report['machine']['method']}.\n\n{text}"
    other = report.get("ffmpeg")
    if other:
        text += (f"\n\nBeside ffmpeg, by CPU time, one thread each: {other['name']}, "
                 f"{other['size'].replace('x', '×')}, {other['searches']} searches: warpwise "
                 f"{other['ours_s']:.2f} s, {other['peer']} {other['peer_s']:.2f} s, "
                 f"{other['ratio']:.0f} times as long.")
    return text


def cpu_scaling(report):
    """Makes a table with a line for each case: the time of one thread, and the speed-up of more threads."""
    cases = {}
    for row in map(cpu_row, report["rows"]):
        cases.setdefault((row["primitive"], row["what"], row["size"]), {})[row["threads"]] = row
    counts = sorted({threads for rows in cases.values() for threads in rows})
    most = counts[-1]
    lines = [[primitive, what, size, milliseconds(rows[1]["ms"]),
              *(f"{rows[1]['ms'] / rows[threads]['ms']:.1f}" for threads in counts[1:]),
              f"{rows[1]['share']:.0f} %", f"{rows[most]['share']:.0f} % of {rows[most]['roof']}"]
             for (primitive, what, size), rows in cases.items()]
    text = table(["primitive", "case", "size", "time with 1 thread, ms", *(f"speed-up with {threads}" for threads in counts[1:]),
                  "share of the roof with 1", f"share of the roof with {most}"], lines)
    return f"{cpu_origin(report)}\n\nMethod: {report['machine']['method']}.\n\n{text}"


def gemv_cpu(report):
    """Makes a table of ratios to OpenBLAS: a line for each shape, and their medians."""
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
              *(f"{what}, {threads} thread{'s' if threads > 1 else ''}: ratio (share of the roof)" for threads, what in cases)]
    rows = [[kind, size, *(f"{found[case]['ratio']:.2f} ({found[case]['share']:.0f} %)"
                           if case in found else "" for case in cases)]
            for (kind, size), found in shapes.items()]
    rows.append(["all", "median", *(f"{statistics.median(columns[case]):.2f}" for case in cases)])
    rows.append(["all", "at least 1", *(f"{sum(ratio >= 1 for ratio in columns[case])} of "
                                        f"{len(columns[case])}" for case in cases)])
    return f"{cpu_origin(report)}\n\n{table(header, rows)}"


def gemv_gpu(report):
    """Makes a table of `bench --shapes`: cuBLAS's time relative to ours, a line for each shape, and a summary."""
    orders = {"Ax": False, "Aᵀx": True}
    ratios = {order: [] for order in orders}
    shapes = {}
    for row in report["rows"]:
        if "beside" in row:
            _, kind, *transposed = row["variant"].split()
            order = "Aᵀx" if transposed else "Ax"
            ratios[order].append(row["beside"]["ratio"])
            ours = row["median_us"] / row["beside"]["ratio"]
            shapes.setdefault((kind, f"{row['width']}×{row['height']}"), {})[order] = [f"{ours:.1f}", f"{row['beside']['ratio']:.2f}"]
    rows = [[kind, size, *(cell for order in orders for cell in found.get(order, ["", ""]))] for (kind, size), found in shapes.items()]
    for what, text in [("median", lambda of: f"{statistics.median(of):.2f}"), ("least", lambda of: f"{min(of):.2f}"),
                       ("at least 1", lambda of: f"{sum(ratio >= 1 for ratio in of)} of {len(of)}")]:
        rows.append(["all", what, *(cell for of in ratios.values() for cell in ["", text(of)])])
    header = ["shape", "columns × rows", *(cell for order in orders for cell in [f"{order}: warpwise's time, µs", f"{order}: cuBLAS's time / warpwise's"])]
    return f"{origin(report)}\n\n{table(header, rows)}"


def emulator(report):
    machine = report["machine"]
    rows = [[row["name"].split("/")[-1].replace("_", " "),
             f"{row['warp_instructions_per_s'] / 1e6:.0f}",
             f"{row['least'] / 1e6:.0f} to {row['most'] / 1e6:.0f}"] for row in report["rows"]]
    text = table(["kernel, counts", "10⁶ warp instructions per second: median", f"range of {report['rows'][0]['runs']} runs"], rows)
    return f"{text}\n\n{machine['cpu']}, commit {machine['commit']}, {machine['date'][:10]}."


def engines(record):
    """Lists launches in the interpreter and in machine code."""
    machine = record["machine"]
    rows = []
    for row in record["rows"]:
        slow, fast = row["interpreter"], row["machine_code"]
        counted = [f"{each['instructions'] / 1e6:,.0f}" if "instructions" in each else "" for each in (slow, fast)]
        rows.append([f"{row['kernel']} {row['mode']}", f"{slow['rate'] / 1e6:.0f}", f"{fast['rate'] / 1e6:.0f}",
                     f"{fast['rate'] / slow['rate']:.1f}", *counted])
    text = table(["kernel, counts", *(f"10⁶ warp instructions per second, {by}" for by in ["interpreter", "machine code"]), "speed-up by machine code",
                  *(f"10⁶ CPU instructions per launch, {by}" for by in ["interpreter", "machine code"])], rows)
    products = table(["product on tensor cores", "10⁹ operations per second"],
                     [[f"`{name}`", f"{rate / 1e9:.1f}"] for name, rate in record["products"].items()])
    return f"{text}\n\n{products}\n\n{machine['cpu']}, commit {machine['commit']}, {machine['date']}; {machine['method']}."

