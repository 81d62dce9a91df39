#!/usr/bin/env python3
"""Writes access_cases.json: the launches of the kernels of access.cu, one case a line.

An argument is a buffer of zeros, by its number of bytes, a table of 32-bit numbers, or words that are passed by value.
The most important cases come first, so that a run that is cut short has them.
"""

import json
import os

ALL = 0xFFFFFFFF
WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8, "32x2": 8, "128": 16}


class Pattern:
    def __init__(self, label, keep=31, flip=0, step=1, shift=31, jump=0, first=0, active=ALL):
        self.label = label
        self.words = [keep, flip, step, shift, jump, first, active]

    def place(self, lane):
        keep, flip, step, shift, jump, first, _ = self.words
        return ((lane & keep) ^ flip) * step + (lane >> shift) * jump + first

    def bytes(self, width):
        return (max(self.place(lane) for lane in range(32)) + 1) * width


def stride(n):
    return Pattern(f"stride {n}", step=n)


def misaligned(n):
    return Pattern(f"first {n}", first=n)


def lanes(mask, step=1):
    return Pattern(f"lanes {mask:08x}" + (f" stride {step}" if step != 1 else ""), active=mask, step=step)


BROADCAST = Pattern("broadcast", keep=0, first=3)
PAIRS = Pattern("pairs", keep=30)
QUADS = Pattern("fours", keep=28)
PAIRS_APART = Pattern("pairs stride 8", keep=30, step=8)
EVERY_OTHER_PAIR = Pattern("lanes 2 apart alike", keep=29)
EVERY_OTHER_PAIR_APART = Pattern("lanes 2 apart alike, stride 8", keep=29, step=8)
FOURS_APART = Pattern("lanes 4 apart alike", keep=27)
REVERSED = Pattern("reversed", flip=31)
SWAPPED = Pattern("neighbours swapped", flip=1)
SWAPPED_APART = Pattern("neighbours swapped, stride 3", flip=1, step=3)
FLIPPED = Pattern("flipped 21", flip=21)
HALVES = Pattern("half-warps alike", keep=15)
HALVES_APART = Pattern("half-warps 33 apart", keep=15, shift=4, jump=33)
QUARTERS_APART = Pattern("quarter-warps 40 apart", keep=7, shift=3, jump=40)
EIGHT_ROWS = Pattern("rows of 4, 32 apart", keep=3, shift=2, jump=32)

MASKS = [0x00000001, 0x80000000, 0x55555555, 0x0000FFFF, 0x00FF00FF, 0x12345678]


def cases():
    listed = []
    seen = set()

    def case(kernel, label, arguments, grid=(1, 1), block=(32, 1), shared=0):
        name = f"{kernel} {label}".strip()
        if block != (32, 1) or grid != (1, 1):
            name += f" <{grid[0]}, {block[0]}>" if block[1] == 1 else ""
        assert name not in seen, name
        seen.add(name)
        listed.append({"name": name, "kernel": kernel, "grid": list(grid), "block": list(block), "shared": shared,
                       "arguments": arguments})

    def out(grid, block):
        return {"buffer": 4 * grid[0] * block[0] * block[1]}

    def access(what, width, pattern, grid=(1, 1), block=(32, 1)):
        size = pattern.bytes(WIDTHS[width])
        words = {"words": pattern.words}
        if what == "load":
            case(f"load_{width}", pattern.label, [{"buffer": size}, out(grid, block), words], grid, block)
        elif what == "store":
            case(f"store_{width}", pattern.label, [{"buffer": size}, words], grid, block)
        elif what == "shared_load":
            case(f"shared_load_{width}", pattern.label, [out(grid, block), words], grid, block, -(-size // 16) * 16)
        else:
            case(f"shared_store_{width}", pattern.label, [words], grid, block, -(-size // 16) * 16)

    kinds = ("load", "store", "shared_load", "shared_store")
    # First one case of each kind, then whole kernels, then the sweeps.
    for what in kinds:
        for width in WIDTHS:
            access(what, width, stride(1))
    transposed = [{"buffer": 4096}, {"buffer": 4096}]
    for name in ("transpose_naive", "transpose_padded", "transpose_without_shared"):
        case(name, "", transposed, block=(32, 32))
    case("reduction", "", [{"buffer": 2048}, {"buffer": 8}], (2, 1), (256, 1))
    case("reduction_with_conflicts", "", [{"buffer": 2048}, {"buffer": 8}], (2, 1), (256, 1))
    case("grey_of_rgb", "", [{"buffer": 3 * 256}, {"buffer": 256}], (2, 1), (128, 1))
    case("structure_of_three", "", [{"buffer": 12 * 256}, {"buffer": 1024}], (2, 1), (128, 1))
    for ways in (1, 2, 3, 4, 5, 8, 16, 31, 32):
        words = [{"buffer": 4096}, {"buffer": 512}, {"words": [ways]}]
        case("loop_loads", f"{ways} ways", words)
        case("branch_in_loop", f"{ways} ways", words)
    case("loop_loads", "7 ways", [{"buffer": 4096}, {"buffer": 512}, {"words": [7]}], (2, 1), (48, 1))
    case("branch_in_loop", "7 ways", [{"buffer": 4096}, {"buffer": 512}, {"words": [7]}], (2, 1), (48, 1))
    for ways in (1, 2, 3, 4, 5, 6, 7, 8, 32):
        case("switch_stores", f"{ways} ways", [{"buffer": 4096}, {"words": [ways]}])
    for stay in (1, 5, 16, 31, 32):
        case("early_exit", f"{stay} stay", [{"buffer": 256}, {"buffer": 256}, {"words": [stay]}], block=(64, 1))

    # Permutations and other patterns that no formula describes, so they need a table.
    state = 12345
    def below(n):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 8) % n
    def permutation(n):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            k = below(i + 1)
            order[i], order[k] = order[k], order[i]
        return order
    tables = {"permuted": permutation(32), "permuted halves": permutation(16) + [16 + i for i in permutation(16)],
              "permuted quarters": [8 * q + i for q in range(4) for i in permutation(8)],
              "any of 64": [below(64) for _ in range(32)], "any of 16": [below(16) for _ in range(32)],
              "any of 512": [below(512) for _ in range(32)],
              "pairs of any of 64": [x for _ in range(16) for x in [below(64)] * 2],
              "pairs permuted": [x for p in permutation(16) for x in (p, p)],
              "lanes 2 apart alike, any of 64": [x for _ in range(8) for a, b in [(below(64), below(64))]
                                                 for x in (a, b, a, b)]}
    for label, table in tables.items():
        argument = {"table": table}
        out_32 = {"buffer": 128}
        case("gather_32", label, [argument, {"buffer": 4 * (max(table) + 1)}, out_32])
        case("gather_128", label, [argument, {"buffer": 16 * (max(table) + 1)}, out_32])
        case("scatter_32", label, [argument, {"buffer": 4 * (max(table) + 1)}])
        for width in (32, 64, 128):
            case(f"shared_gather_{width}", label, [argument, out_32], shared=-(-(max(table) + 1) * width // 128) * 16)

    for pattern in (BROADCAST, PAIRS, EVERY_OTHER_PAIR, REVERSED, SWAPPED_APART):
        for width in ("32", "64", "128"):
            for what in kinds:
                access(what, width, pattern)
    for n in range(2, 33):
        access("load", "32", stride(n))
        access("shared_load", "32", stride(n))
    access("shared_load", "32", stride(33))
    for n in range(1, 32):
        access("load", "32", misaligned(n))
    for n in (2, 3, 4, 5, 7, 8, 16, 31, 32, 33):
        for width in ("64", "128", "8", "16"):
            access("shared_load", width, stride(n))
            if n in (2, 3, 4, 8, 32):
                access("shared_store", width, stride(n))
                access("load", width, stride(n))
                access("store", width, stride(n))
        if n != 33:
            access("store", "32", stride(n))
        access("shared_store", "32", stride(n))
    for n in (1, 3, 7, 8, 15, 16, 31):
        for width in ("8", "16", "64", "128"):
            access("load", width, misaligned(n))
            if n in (1, 8, 31):
                access("store", width, misaligned(n))
        access("store", "32", misaligned(n))
    for mask in MASKS:
        for width in ("32", "64", "128"):
            access("load", width, lanes(mask, 3))
            access("shared_load", width, lanes(mask, 4))
            if mask in MASKS[2:]:
                access("shared_store", width, lanes(mask, 2))
                access("store", width, lanes(mask))
    for pattern in (QUADS, PAIRS_APART, EVERY_OTHER_PAIR_APART, FOURS_APART, SWAPPED, FLIPPED, HALVES, HALVES_APART,
                    QUARTERS_APART, EIGHT_ROWS):
        for width in ("32", "64", "128"):
            access("shared_load", width, pattern)
        access("shared_store", "128", pattern)
        access("load", "128", pattern)
        access("load", "32", pattern)
    for pattern in (BROADCAST, REVERSED, EIGHT_ROWS):
        for width in ("8", "16"):
            access("shared_load", width, pattern)
            access("load", width, pattern)
    for pattern in (stride(1), stride(2), misaligned(5), BROADCAST, QUARTERS_APART):
        case("load_read_only_32", pattern.label,
             [{"buffer": pattern.bytes(4)}, {"buffer": 128}, {"words": pattern.words}])
    # Several warps and blocks, in which the last warp is incomplete.
    for width in ("32", "128"):
        for what in kinds:
            access(what, width, stride(2), (2, 1), (80, 1))
    return listed


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "access_cases.json")
    with open(path, "w") as out:
        rows = ",\n".join(json.dumps(case) for case in cases())
        out.write('{"cases": [\n' + rows + "\n]}\n")
    print(f"{path}: {len(cases())} cases")


if __name__ == "__main__":
    main()
