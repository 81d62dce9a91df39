"""The sentence and the tables of what scripts/record-build.py records."""
import json
import pathlib
import re

from tables import table

SLOWEST = 5


def newest(results):
    """The last record of all machines; None if there is none."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in pathlib.Path(results).glob("*/build.json")]
    return max(records, key=lambda record: record["machine"]["date"], default=None)


def parts_of(seconds, minute, second):
    minutes, rest = divmod(round(seconds), 60)
    return " ".join(text for text in [f"{minutes}{minute}" if minutes else "", f"{rest}{second}" if rest or not minutes else ""] if text)


def duration(seconds):
    return parts_of(seconds, " min", " s")


def waits(record):
    """Seconds from a fresh clone, packages included: to the first picture, to the end of the demo without and with CUDA."""
    packages = record["packages"]["wall_s"]
    whole = {demo["cuda"]: packages + demo["wall_s"] for demo in record["demos"]}
    return packages, max(packages + demo["first_picture_s"] for demo in record["demos"]), whole[False], whole.get(True)


def english(record):
    packages, first, without, with_cuda = waits(record)
    machine = record["machine"]
    also = f", and after {duration(with_cuda)} with a CUDA toolkit" if with_cuda else ""
    return (f"`scripts/demo.sh` takes, from a fresh clone on {machine['cpu']}: the first picture is there after {duration(first)}, "
            f"everything after {duration(without)}{also}; {duration(packages)} of each are Debian's packages "
            f"(commit {machine['commit']}, {machine['date'][:10]}).")


def korean(record):
    packages, first, without, with_cuda = (None if each is None else parts_of(each, "분", "초") for each in waits(record))
    machine = record["machine"]
    also = f", CUDA 툴킷이 있으면 {with_cuda} 뒤에" if with_cuda else ""
    return (f"`scripts/demo.sh`는 새로 복제한 저장소에서({machine['cpu']}) {first} 뒤에 첫 그림을, {without} 뒤에{also} 모든 것을 "
            f"보여 줍니다. 그중 {packages}는 데비안 패키지를 설치하는 시간입니다(커밋 {machine['commit']}, {machine['date'][:10]}).")


def steps(record):
    def cells(times):
        return [duration(times["wall_s"]), f"{times['cpu_s']:,.0f} s"]

    rows = [["Debian's packages", *cells(record["packages"])]]
    for demo in record["demos"]:
        toolkit = "with a CUDA toolkit" if demo["cuda"] else "without CUDA"
        rows += [[f"`scripts/demo.sh` {toolkit}, packages there: the first picture", duration(demo["first_picture_s"]), ""],
                 ["all of it", *cells(demo)], ["its builds", *cells(demo["build"])]]
    return table(["what", "wall", "CPU"], rows)


def slowest(record):
    """The objects that take longest, as the sources are named."""
    names = [(re.sub(r"CMakeFiles/\w+\.dir/|\.o$", "", name).replace("__/", ""), seconds)
             for name, seconds in sorted(record["objects"].items(), key=lambda item: -item[1])[:SLOWEST]]
    return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in names)


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def details(record):
    machine, sizes = record["machine"], record["sizes"]
    toolkit = f", CUDA {machine['toolkit']}" if "toolkit" in machine else ""
    wheel = f", the wheel {megabytes(sizes['wheel'])}" if "wheel" in sizes else ""
    return (f"{machine['cpu']}, {machine['compiler']}{toolkit}, commit {machine['commit']}, {machine['date'][:10]}. "
            f"Method: {machine['method']}.\n\n{steps(record)}\n\n"
            f"The slowest of {len(record['objects'])} objects: {slowest(record)}. `libwarpwise.so` has {megabytes(sizes['library'])}, "
            f"an installation {megabytes(sizes['installation'])}{wheel}.")


PARTS = {"english": english, "korean": korean, "details": details}


def rendered(results, part):
    record = newest(results)
    return PARTS[part](record) if record else "Not recorded yet."
