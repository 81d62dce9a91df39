#!/usr/bin/env python3
"""Writes arithmetic kernels as PTX, the same in each run, and the inputs that they read.

    random_kernels.py FOLDER

There is one kernel for each instruction, over 1,024 choices of operands that favour extreme values; 1,000 kernels of
some forty random instructions each; and one kernel for each approximate instruction. Each operation names its rounding,
as with nvcc's --fmad=false. PTX defines every result: divisors are not zero, and a NaN whose bits PTX leaves open
becomes the canonical one. The random kernels have no instruction that ptxas translates differently from PTX's
definition (Composition.instruction).

FOLDER gets op_*.ptx, random_*.ptx, approx_*.ptx, inputs.bin and kernels.json, which lists the kernels.
"""

import json
import os
import sys

from arithmetic_instructions import (APPROXIMATE, OPS, define_approximate, define_exchanges, define_floats,
                                     define_halves, define_integers)
from random_inputs import ELEMENTS, SECTIONS, SIZE, Generator, inputs

THREADS = 128
RANDOM_KERNELS = 1000
KERNELS_A_FILE = 50
REGISTER = {"u": ".b32", "l": ".b64", "f": ".f32", "d": ".f64", "h": ".b32", "b": ".b32"}


def header(sm):
    return f"// Written by tests/golden/random_kernels.py.\n.version 8.0\n.target sm_{sm}\n.address_size 64\n\n"


def fill(text, rng, selector=0xFFFF, **registers):
    numbers = {"imm": rng.bits() & 0x7FFFFFFF, "bits": rng.below(256), "lane": rng.below(32),
               "half": rng.below(65536) & selector}
    return text.format(**numbers, **registers)


def start(name):
    return (f".visible .entry {name}(.param .u64 in, .param .u64 out) {{\n"
            "  .reg .b64 %in, %out, %at;\n  .reg .b32 %e, %i;\n  .reg .pred %more;\n"
            "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n  mov.u32 %e, %tid.x;\n")


def load(register, kind, multiplier, addend):
    bits = 8 * SIZE[kind]
    return (f"  mad.lo.u32 %i, %e, {multiplier}, {addend};\n  and.b32 %i, %i, {ELEMENTS - 1};\n"
            f"  mul.wide.u32 %at, %i, {SIZE[kind]};\n  add.u64 %at, %at, %in;\n"
            f"  ld.global.b{bits} {register}, [%at+{SECTIONS[kind]}];\n")


def single_instruction(name, op, rng):
    """Returns a kernel in which every thread runs the instruction on eight choices of operands."""
    text = start(name) + f"  .reg {REGISTER[op.result]} %d;\n"
    names = {"d": "%d"}
    for letter, kind in zip("abc", op.operands):
        text += f"  .reg {REGISTER[kind]} %{letter};\n"
        names[letter] = "%" + letter
    text += "again:\n"
    for place, (letter, kind) in enumerate(zip("abc", op.operands)):
        text += load("%" + letter, kind, (1, 5, 29)[place], (0, 77, 391)[place])
    size = SIZE[op.result]
    text += "  " + fill(op.text, rng, **names) + "\n"
    text += (f"  mul.wide.u32 %at, %e, {size};\n  add.u64 %at, %at, %out;\n  st.global.b{8 * size} [%at], %d;\n"
             f"  add.u32 %e, %e, {THREADS};\n  setp.lt.u32 %more, %e, {ELEMENTS};\n  @%more bra again;\n  ret;\n}}\n\n")
    return text, ELEMENTS * size


class Composition:
    """A kernel of many instructions. The 16 bytes that each thread writes depend on every value."""

    def __init__(self, rng, ops, exchanges):
        self.rng, self.ops, self.exchanges = rng, ops, exchanges
        self.counts = dict.fromkeys(SECTIONS, 0)
        self.pools = {kind: [] for kind in SECTIONS}
        self.body = ""
        self.labels = 0

    def new(self, kind):
        name = f"%{kind}{self.counts[kind]}"
        self.counts[kind] += 1
        return name

    def operand(self, kind):
        pool = self.pools[kind]
        # Prefers the latest values, so that long chains of dependent instructions grow.
        return self.rng.pick(pool[-4:] if self.rng.below(2) else pool)

    def distinct(self, names, operands):
        """Replaces operands that occur twice in `names`, without calls of the random generator."""
        for letter, kind in zip("bc", operands[1:]):
            pool = self.pools[kind]
            while names[letter] in [names[before] for before in "ab" if before < letter]:
                names[letter] = pool[(pool.index(names[letter]) + 1) % len(pool)]

    def instruction(self, ops, target=None):
        op = self.rng.pick(ops)
        names = {letter: self.operand(kind) for letter, kind in zip("abc", op.operands)}
        # ptxas removes the minimum of a number and itself, which keeps a NaN's bits, but PTX does not define those
        # bits. Also, ptxas 13.0.88 wrongly merges a lop3 that repeats an operand with the next instruction: for lop3 d,
        # a, a, b, 0x70 and vadd4 e, d, b, c the signs are those of ~b | a instead of a | b.
        float_extreme = op.name.startswith(("min.", "max.")) and op.result in "fhb"
        if float_extreme or op.name.startswith("lop3."):
            self.distinct(names, op.operands)
        names["d"] = target or self.new(op.result)
        # If a prmt copies a byte's sign to the upper half, and only the lower half is used, ptxas 13.0.88 reads zeros
        # for the operand. Kernels of single instructions use the whole result, so they are not affected.
        selector = 0x7777 if op.name == "prmt.b32.imm" else 0xFFFF
        self.body += "  " + fill(op.text, self.rng, selector, **names) + "\n"
        return op.result, names["d"]

    def straight(self, count):
        for _ in range(count):
            kind, register = self.instruction(self.ops if self.rng.below(8) else self.exchanges)
            self.pools[kind].append(register)

    def condition(self):
        """Appends instructions that compute a predicate, which differs between lanes."""
        a, b = self.operand("u"), self.operand("u")
        cmp = self.rng.pick(["setp.lt.s32", "setp.gt.u32", "setp.ne.s32"])
        self.body += f"  {cmp} %more, {a}, {b};\n"

    def region(self, count, label):
        """Appends the instructions of one side of a branch. Each result goes to a register that both sides have."""
        self.body += label
        for _ in range(count):
            kind = self.rng.pick(["u", "u", "f", "l", "d", "h"])
            candidates = [op for op in self.ops if op.result == kind]
            target = self.rng.pick(self.pools[kind][2:] or self.pools[kind])
            self.instruction(candidates, target)

    def branch(self):
        self.labels += 1
        n = self.labels
        self.condition()
        self.body += f"  @%more bra then{n};\n"
        self.region(3, "")
        self.body += f"  bra.uni join{n};\n"
        self.region(3, f"then{n}:\n")
        self.body += f"join{n}:\n"
        self.body += "  bar.warp.sync 0xffffffff;\n"

    def loop(self):
        self.labels += 1
        n = self.labels
        # A lane leaves the loop after one to eight iterations.
        self.body += f"  and.b32 %trips, {self.operand('u')}, 7;\n  add.u32 %trips, %trips, 1;\n"
        self.region(4, f"loop{n}:\n")
        self.body += f"  sub.u32 %trips, %trips, 1;\n  setp.ne.u32 %more, %trips, 0;\n  @%more bra loop{n};\n"
        self.body += "  bar.warp.sync 0xffffffff;\n"

    def text(self, name):
        rng = self.rng
        for kind in SECTIONS:
            for _ in range(3):
                register = self.new(kind)
                self.body += load(register, kind, 2 * rng.below(256) + 1, rng.below(ELEMENTS))
                self.pools[kind].append(register)
        self.straight(10 + rng.below(8))
        shape = rng.below(4)
        if shape == 1:
            self.branch()
        elif shape == 2:
            self.loop()
        elif shape == 3:
            self.branch()
            self.straight(4)
            self.loop()
        self.straight(8 + rng.below(8))
        body = self.body + self.results()
        registers = "".join(f"  .reg {REGISTER[kind]} %{kind}<{count}>;\n" for kind, count in self.counts.items())
        return start(name) + registers + "  .reg .b32 %trips, %sum<4>, %low, %high;\n" + body + "  ret;\n}\n\n"

    def results(self):
        """Appends instructions that sum all values: separate sums for integers, floats, doubles and halves."""
        text = "".join(f"  mov.u32 %sum{i}, {17 + i};\n" for i in range(4))
        place = {"u": 0, "l": 0, "f": 1, "d": 2, "h": 3, "b": 3}
        for kind, pool in self.pools.items():
            total = f"%sum{place[kind]}"
            for register in dict.fromkeys(pool):
                if SIZE[kind] == 8:
                    text += (f"  mov.b64 {{%low, %high}}, {register};\n"
                             f"  mad.lo.u32 {total}, {total}, 1664525, %low;\n"
                             f"  mad.lo.u32 {total}, {total}, 22695477, %high;\n")
                else:
                    text += f"  mov.b32 %low, {register};\n  mad.lo.u32 {total}, {total}, 1664525, %low;\n"
        return text + ("  mul.wide.u32 %at, %e, 16;\n  add.u64 %at, %at, %out;\n"
                       "  st.global.v4.b32 [%at], {%sum0, %sum1, %sum2, %sum3};\n")


def write_files(folder, stem, kernels, listed):
    """Writes kernels to files, each file for one target. kernels: (name, sm, bytes of its output, text)."""
    number = 0
    for sm in sorted({kernel[1] for kernel in kernels}):
        of_target = [kernel for kernel in kernels if kernel[1] == sm]
        for first in range(0, len(of_target), KERNELS_A_FILE):
            file = f"{stem}_{number:02d}"
            number += 1
            part = of_target[first:first + KERNELS_A_FILE]
            with open(os.path.join(folder, file + ".ptx"), "w") as out:
                out.write(header(sm) + "".join(text for _, _, _, text in part))
            listed += [{"name": name, "file": file, "bytes": size} for name, _, size, _ in part]


def kernel_name(prefix, op):
    return prefix + "_" + op.name.replace(".", "_")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    define_integers()
    define_floats()
    define_halves()
    ordinary = len(OPS)
    define_exchanges()
    define_approximate()
    rng = Generator(21)
    listed = []
    for prefix, ops in (("op", OPS), ("approx", APPROXIMATE)):
        kernels = []
        for op in ops:
            name = kernel_name(prefix, op)
            text, size = single_instruction(name, op, rng)
            kernels.append((name, op.sm, size, text))
        assert len({k[0] for k in kernels}) == len(kernels), "two kernels of one name"
        write_files(folder, prefix, kernels, listed)
    compositions = []
    for number in range(RANDOM_KERNELS):
        sm = (75, 75, 75, 80, 90)[number * 5 // RANDOM_KERNELS]
        def usable(ops):
            return [op for op in ops if op.sm <= sm for _ in range(op.often)]
        name = f"random_{number:04d}"
        kernel = Composition(rng, usable(OPS[:ordinary]), usable(OPS[ordinary:]))
        compositions.append((name, sm, 16 * THREADS, kernel.text(name)))
    write_files(folder, "random", compositions, listed)
    with open(os.path.join(folder, "inputs.bin"), "wb") as out:
        out.write(inputs())
    with open(os.path.join(folder, "kernels.json"), "w") as out:
        json.dump({"threads": THREADS, "kernels": listed}, out, indent=0)


if __name__ == "__main__":
    main()
