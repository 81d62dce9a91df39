"""Makes a sentence and tables from the records of scripts/record-build.py."""
import json
import pathlib
import re

from tables import table

SLOWEST = 5


def newest(results):
    """Returns the newest of all machines' records; None if there is no record."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in pathlib.Path(results).glob("*/build.json")]
    return max(records, key=lambda record: record["machine"]["date"], default=None)


def parts_of(seconds, minute, second):
    minutes, rest = divmod(round(seconds), 60)
    return " ".join(text for text in [f"{minutes}{minute}" if minutes else "", f"{rest}{second}" if rest or not minutes else ""] if text)


def duration(seconds):
    return parts_of(seconds, " min", " s")


def waits(record):
    """Returns seconds from a fresh clone, packages included: to the first picture, to the end of the demo without CUDA,
    and to the end of the demo with CUDA. The first picture is that of the slower demo."""
    whole = {demo["cuda"]: demo["wall_s"] for demo in record["demos"]}
    return max(demo["first_picture_s"] for demo in record["demos"]), whole[False], whole.get(True)


def english(record):
    first, without, with_cuda = waits(record)
    machine = record["machine"]
    also = f", or {duration(with_cuda)} with a CUDA toolkit" if with_cuda else ""
    return (f"In a fresh clone `scripts/demo.sh` shows a first picture after {duration(first)} and ends after {duration(without)}{also}. "
            f"It installs Debian's packages in this time ({machine['cpu']}, commit {machine['commit']}, {machine['date'][:10]}).")


def korean(record):
    first, without, with_cuda = (None if each is None else parts_of(each, "분", "초") for each in waits(record))
    machine = record["machine"]
    also = f", CUDA 툴킷이 있으면 {with_cuda} 뒤에" if with_cuda else ""
    return (f"새로 복제한 저장소에서 `scripts/demo.sh`는 {first} 뒤에 첫 그림을 보여 주고 {without} 뒤에{also} 끝납니다. 데비안 패키지 설치도 "
            f"이 시간에 들어 있습니다({machine['cpu']}, 커밋 {machine['commit']}, {machine['date'][:10]}).")


def steps(record):
    def cells(times):
        return [duration(times["wall_s"]), f"{times['cpu_s']:,.0f} s"]

    rows = []
    for demo in record["demos"]:
        name = "demo with CUDA" if demo["cuda"] else "demo without CUDA"
        rows += [[f"{name}, to the first picture", duration(demo["first_picture_s"]), ""], [f"{name}, whole", *cells(demo)],
                 [f"{name}, its builds", *cells(demo["build"])]]
    if "before" in record:
        before, then = record["before"], record["before"]["then"]
        rows += [[f"build with CUDA at {before['commit']}", "", cells(before)[1]], [f"build with CUDA at {then['commit']}, in the same run", "", cells(then)[1]]]
    return table(["work", "wall time", "CPU time"], rows)


def slowest(record):
    """Lists the objects that take longest, by the names of their sources."""
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
