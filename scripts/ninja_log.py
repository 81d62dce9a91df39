"""The log that Ninja keeps in a build folder."""


def logged(folder):
    """Returns the entries by the output's name: start and end in ms, and the file's time."""
    entries = {}
    log = folder / ".ninja_log"
    for line in log.read_text(encoding="utf-8").splitlines()[1:] if log.exists() else []:
        fields = line.split("\t")
        if len(fields) == 5 and fields[0].isdecimal() and fields[1].isdecimal():  # the last line may be incomplete
            entries[fields[3]] = (int(fields[0]), int(fields[1]), fields[2])
    return entries


def seconds(entries):
    return {name: (end - start) / 1000 for name, (start, end, _) in entries.items()}
