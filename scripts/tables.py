"""Tables for documents and records, and the wording that they share."""


def table(header, rows):
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def origin(report):
    """Returns the origin of a GPU's record."""
    machine = report["machine"]
    return (f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['toolkit']}, "
            f"commit {machine['commit']}, {machine['date'][:10]}")
