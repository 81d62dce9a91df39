"""Tables for documents and records, and the words that they share."""


def table(header, rows):
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def origin(report):
    """Of what is recorded of a GPU."""
    machine = report["machine"]
    return (f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['toolkit']}, "
            f"commit {machine['commit']}, {machine['date'][:10]}")
