"""The tables of the pairs in tests/pairs: measured times and gains beside predicted ones."""
import pairs
from tables import origin, table


def summary_row(gpu, which, rows):
    said = pairs.summary(rows)
    share = [f"{said[name]} ({100 * said[name] / said['pairs']:.0f} %)" for name in ("direction", "near")]
    return [gpu, which, str(said["pairs"]), *share, f"{said['median_factor']:.2f}", f"{100 * said['median_time_error']:.0f} %",
            f"{100 * said['in_range'] / said['times']:.0f} %", f"{100 * said['gain_in_range'] / said['pairs']:.0f} %"]


def summary():
    """Makes a table with two lines for each GPU: the open pairs, and the sealed ones."""
    lines = [summary_row(pairs.read(pairs.measured_path(device, sealed))["machine"]["gpu"], which, list(rows.values()))
             for device in pairs.DEVICES for sealed, which in ((False, "open"), (True, "sealed")) if (rows := pairs.rows(device, sealed))]
    head = ["GPU", "kind of pairs", "pairs", "direction right", f"gain within ×{pairs.NEAR}", "median error of a gain, as a factor",
            "median error of a time", "times within the predicted range", "gains within the predicted range"]
    return table(head, lines)


def open_row(pair, row):
    both = ("measured", "predicted")
    times = [f"{row[kernel][f'{what}_us']:,.1f}" for what in both for kernel in pairs.KERNELS]
    gains = [f"{row['gain'][what]:.2f}" for what in both]
    return [pair["kind"], pair["name"].replace("_", " "), *times, *gains, " → ".join(row[kernel]["rules"] for kernel in pairs.KERNELS)]


def each_open():
    """Makes a table of the open pairs one by one, on the GPU that has most of them."""
    device = max(pairs.DEVICES, key=lambda device: len(pairs.rows(device, False)))
    rows, record = pairs.rows(device, False), pairs.read(pairs.measured_path(device, False))
    if not rows:
        return "Not recorded yet."
    lines = [open_row(pair, rows[pair["name"]]) for pair in pairs.table() if pair["name"] in rows]
    head = ["kind", "pair", "slow, µs", "fast, µs", "slow, predicted, µs", "fast, predicted, µs", "gain", "predicted gain", "predicted bottlenecks"]
    predicted = pairs.read(pairs.predictions_path(False))["commit"]
    return f"{origin(record)}; predicted at commit {predicted}.\n\n{table(head, lines)}"


PARTS = {"summary": summary, "open": each_open}


def rendered(what):
    return PARTS[what]()
