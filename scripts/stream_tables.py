"""Tables of the records of scripts/record-stream.py and live_bench."""
import json

import opencv_tables
import tables
from tables import table

NAMES = {"warpwise": "warpwise stream", "opencv": "OpenCV, the same bytes", "ffmpeg": "ffmpeg's filters"}
STEPS = {"chain": "all three", "luma": "luma of ycbcr32", "sobel": "sobel", "threshold": "threshold window=31"}
NOT_RECORDED = "Not recorded yet."


def read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def rendered(path):
    record = read(path)
    if not record:
        return NOT_RECORDED

    def cells(kind):
        return [f"{kind['seconds']:.3g}", f"{kind['ratio']:.2f} [{kind['least']:.2f}, {kind['most']:.2f}]"]

    rows = [[NAMES[row["program"]], f"{row['fps']:,.0f}", *cells(row["wall"]), *cells(row["cpu"])] for row in record["rows"]]
    return f"{opencv_tables.origin(record)}\n\n" + table(
        ["program", "frames per second", "wall time, s", "wall time / warpwise's", "CPU time, s", "CPU time / warpwise's"], rows)


def rates(row):
    """Returns the time of one frame and the frame rate of a row."""
    return [f"{row['us']:.2f}", f"{row['fps']:,.0f} [{row['fps_least']:,.0f}, {row['fps_most']:,.0f}]"]


def resident(record):
    """Makes a table of each part and number of frames: on one stream, and on the fastest number of streams."""
    shown = []
    for what in STEPS:
        for frames in sorted({row["frames"] for row in record["resident"] if row["what"] == what}):
            rows = [row for row in record["resident"] if (row["what"], row["frames"]) == (what, frames)]
            best = max(rows, key=lambda row: row["fps"])
            shown += [row for row in rows if row["streams"] == 1 or row is best]
    cells = [[STEPS[row["what"]], str(row["frames"]), str(row["streams"]), *rates(row), f"{row['floor_separate_us']:.2f}",
              f"{row['floor_fused_us']:.2f}"] for row in shown]
    return table(["steps", "frames in memory", "streams", "µs per frame", "frames per second", "floor of the steps one by one, µs",
                  "floor of one kernel, µs"], cells)


def streamed(record):
    bus = record["streamed"]["bus"]
    both = bus["both"]["us"]
    rows = [[f"copies alone, {name}", *rates(bus[kind]), f"{100 * both / bus[kind]['us']:.0f} %"]
            for kind, name in [("upload", "up"), ("download", "down"), ("both", "both ways")]]
    rows += [[row["name"], *rates(row), f"{100 * row['share_of_bus']:.0f} %"] for row in record["streamed"]["rows"]]
    late = record["latency"]
    return table(["work", "µs per frame", "frames per second", "share of the rate of copies both ways"], rows) + (
        f"\n\nAt {late['fps']:.0f} frames a second, {late['frames']} frames: a picture is there {late['median_ms']:.3f} ms after its "
        f"frame (median; 99th percentile {late['p99_ms']:.3f} ms), {late['dropped']} dropped.")


def conversion(record):
    slowest = next(row for row in record["conversion"] if row["name"] == "unoptimised")
    rows = [[row["name"], *rates(row), f"{row['fps'] / slowest['fps']:.2f}", f"{row['fps_from_source']:,.0f}"]
            for row in record["conversion"]]
    return table(["kernel", "µs per frame", "frames per second", "speed-up over unoptimised", "frames per second of whole streams"], rows)


DECODERS = {"cpu": "the CPU", "gpu": "the GPU, several engines", "ffmpeg": "ffmpeg -hwaccel cuda, one engine"}


def decoding(path):
    """Makes a table of whole processes that decode one film: their decoder, their number, and their common rate."""
    record = read(path)
    if not record:
        return NOT_RECORDED
    one = record["one_decoder"]

    def cells(name, row, steps):
        in_run = f"{row['fps_in_run']:,.0f}" if row["fps_in_run"] else "–"
        return [name, "three" if steps else "none", str(row["at_once"]), f"{row['fps']:,.0f}", in_run]

    rows = [cells(DECODERS[row["by"]], row, row["steps"]) for row in record["rows"]]
    rows += [cells("the GPU, one engine for each process", row, True) for row in one["rows"]]
    return (f"{tables.origin(record)}. Method: {record['method']}. Rows of one engine for each process: commit {one['commit']}, "
            f"{one['method']}.\n\n") + table(
        ["decoded by", "stages", "processes at once", "frames per second, start to exit", "frames per second, while they come"], rows)


def decoding_films(path):
    """Makes a table of films of several kinds, decoded by the CPU and by one GPU or two."""
    record = read(path)
    if not record:
        return NOT_RECORDED
    cells = [[film["name"], DECODERS[row["by"]], film["stages"] if row["steps"] else "none", str(row["at_once"]), str(row["gpus"]),
              f"{row['fps']:,.0f}", f"{row['fps_in_run']:,.0f}"] for film in record["films"] for row in film["rows"]]
    machine = record["machine"]
    place = f"{machine['gpus']} x {machine['gpu']}, commit {machine['commit']}, {machine['date'][:10]}"
    return f"{place}. Method: {record['method']}.\n\n" + table(
        ["film", "decoded by", "stages", "processes at once", "GPUs", "frames per second, start to exit", "frames per second, while they come"],
        cells)


def end_to_end(path):
    """Makes a table of whole processes that read and write files, ordered by the work that they do."""
    record = read(path)
    if not record:
        return NOT_RECORDED
    machine = record["machine"]
    place = f"{machine['gpu']}, driver {machine['driver']}, " if "gpu" in machine else ""
    rows = [(row, "") for row in record["rows"]] + [(row, ", before") for row in record.get("before", {}).get("rows", [])]
    order = sorted({row["case"] for row, _ in rows}, key=[row["case"] for row, _ in rows].index)
    cells = [[row["case"], row["by"] + when, f"{row['per_second']:,.1f}",
              f"{row['cpu_ms']:,.1f}" if "cpu_ms" in row else "–"]
             for case in order for row, when in rows if row["case"] == case]
    before = f" Before: commit {record['before']['commit']}, {record['before']['method']}." if "before" in record else ""
    return (f"{place}{machine['cpu']}, {machine['threads']} threads, commit {machine['commit']}, {machine['date'][:10]}. Method: "
            f"{record['method']}{before}\n\n") + table(["work", "program", "pictures or frames per second", "CPU time per picture or frame, ms"], cells)


LIVE = {"resident": resident, "streamed": streamed, "conversion": conversion}


def live(path, what):
    record = read(path)
    if not record:
        return NOT_RECORDED
    method = f" Method: {record['method']}." if what == "resident" else " Method: as above."
    return f"{tables.origin(record)}.{method}\n\n{LIVE[what](record)}"
