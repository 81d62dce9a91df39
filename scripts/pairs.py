"""The pairs of tests/pairs: their table, where their records are, and how well predictions agree with measured times."""
import json
import math
import statistics

from recording import REPOSITORY

FOLDER = REPOSITORY / "tests/pairs"
RESULTS = REPOSITORY / "results/pairs"
KERNELS = ("slow", "fast")
DEVICES = ("h100", "h200")
# A gain closer to 1 than this factor counts as no gain, because nobody looks for so small an improvement.
NO_GAIN = 1.05
# A predicted gain within this factor of the measured gain counts as near.
NEAR = 1.5


def table():
    return json.loads((FOLDER / "pairs.json").read_text(encoding="utf-8"))


def source(pair):
    return FOLDER / ("sealed" if pair["sealed"] else "open") / f"{pair['name']}.cu"


def launch(pair, kernel):
    """Returns the launch of one of a pair's two kernels. A kernel's entry replaces the pair's entry of that name."""
    return {"shared": 0, "launches": 1, **pair, **pair.get(kernel, {})}


def ending(sealed):
    return "-sealed.json" if sealed else ".json"


def predictions_path(sealed):
    return RESULTS / f"predictions{ending(sealed)}"


def measured_path(device, sealed):
    return RESULTS / f"nvidia-{device}{ending(sealed)}"


def read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def factor(a, b):
    """Returns the greater of two numbers divided by the smaller."""
    return max(a / b, b / a)


def side(gain):
    return 0 if factor(gain, 1) <= NO_GAIN else 1 if gain > 1 else -1


def right_direction(measured, predicted):
    """Returns True if two gains are both real gains, both losses or both neither, or within NO_GAIN of each other."""
    return side(measured) == side(predicted) or factor(measured, predicted) <= NO_GAIN


def gain_range(slow, fast):
    """Returns the range of a predicted gain, as lab::gain_between() computes it: the errors of the two times are independent."""
    gain = slow["time_us"] / fast["time_us"]

    def both(one, other):
        return math.exp(math.hypot(math.log(one), math.log(other)))
    return (gain / both(slow["time_us"] / slow["least_us"], fast["most_us"] / fast["time_us"]),
            gain * both(slow["most_us"] / slow["time_us"], fast["time_us"] / fast["least_us"]))


def compared(measured, predicted):
    """Returns a pair's two times and its gain, as measured and as predicted, from one record of each."""
    times = {kernel: {"measured_us": measured[kernel]["median_us"], "predicted_us": predicted[kernel]["time_us"],
                      "range_us": (predicted[kernel]["least_us"], predicted[kernel]["most_us"]), "rules": predicted[kernel]["rules"]}
             for kernel in KERNELS}
    gain = {what: times["slow"][f"{what}_us"] / times["fast"][f"{what}_us"] for what in ("measured", "predicted")}
    return {**times, "gain": {**gain, "range": gain_range(predicted["slow"], predicted["fast"])}}


def rows(device, sealed):
    """Returns compared() by name for the pairs that were both measured on a GPU and predicted for it."""
    measured, predicted = read(measured_path(device, sealed)), read(predictions_path(sealed))
    if not measured or not predicted or device not in predicted["devices"]:
        return {}
    times = predicted["devices"][device]
    return {name: compared(row, times[name]) for name, row in measured["pairs"].items() if "wrong" not in row and name in times}


def summary(rows):
    """Summarises rows of compared()."""
    gains = [(row["gain"]["measured"], row["gain"]["predicted"]) for row in rows]
    times = [row[kernel] for row in rows for kernel in KERNELS]
    return {"pairs": len(rows), "direction": sum(right_direction(*gain) for gain in gains),
            "near": sum(factor(*gain) <= NEAR for gain in gains),
            "gain_in_range": sum(row["gain"]["range"][0] <= row["gain"]["measured"] <= row["gain"]["range"][1] for row in rows),
            "median_factor": statistics.median(factor(*gain) for gain in gains),
            "times": len(times), "in_range": sum(time["range_us"][0] <= time["measured_us"] <= time["range_us"][1] for time in times),
            "median_time_error": statistics.median(factor(time["measured_us"], time["predicted_us"]) - 1 for time in times)}
