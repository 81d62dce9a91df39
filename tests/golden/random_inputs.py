"""Random numbers, the same in each run, and the inputs that random_kernels.py's kernels read."""

import struct

ELEMENTS = 1024          # number of elements of each kind
SECTIONS = {"u": 0, "l": 4096, "f": 12288, "d": 16384, "h": 24576, "b": 28672}
INPUT_BYTES = 32768
SIZE = {"u": 4, "l": 8, "f": 4, "d": 8, "h": 4, "b": 4}


class Generator:
    """The generator splitmix64, which gives the same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def below(self, n):
        return self.bits() % n

    def pick(self, items):
        return items[self.below(len(items))]


def words(rng):
    special = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
               0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF,
               0xFFFF0000, 0x00FF00FF, 0x80808080, 0x7F7F7F7F, 0x80007FFF]
    def one():
        kind = rng.below(4)
        if kind == 0:
            return rng.pick(special)
        return (rng.bits() >> (32 + (rng.below(32) if kind == 1 else 0))) & 0xFFFFFFFF
    return struct.pack(f"<{ELEMENTS}I", *[one() for _ in range(ELEMENTS)])


def long_words(rng):
    special = [0, 1, 2, 31, 32, 63, 64, 65, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62,
               2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2, 0xFFFFFFFF00000000, 0x8000000080000000]
    def one():
        kind = rng.below(4)
        if kind == 0:
            return rng.pick(special)
        return rng.bits() >> (rng.below(64) if kind == 1 else 0)
    return struct.pack(f"<{ELEMENTS}Q", *[one() for _ in range(ELEMENTS)])


def floats(rng, exponent_bits, fraction_bits):
    """Returns bit patterns: zeros, subnormals, ends of the range, numbers near 1, integers, and integers plus 1/2."""
    bias = 2 ** (exponent_bits - 1) - 1
    top = 2**exponent_bits - 1
    one = bias << fraction_bits
    infinity = top << fraction_bits
    special = [0, 1, 2, (1 << fraction_bits) - 1, 1 << fraction_bits, (1 << fraction_bits) + 1, one - 1, one,
               one + 1, one + (1 << (fraction_bits - 1)), one - (1 << fraction_bits), one + (1 << fraction_bits),
               infinity - 1, infinity, infinity + 1, infinity | (1 << (fraction_bits - 1)),
               infinity | ((1 << fraction_bits) - 1)]
    for power in (7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64):
        if bias + power < top:
            special += [(bias + power) << fraction_bits, ((bias + power) << fraction_bits) - 1]
    for twice in (1, 3, 5, 7, 9, 255, 511, 513):  # n + 1/2, which the modes of rounding to integers treat differently
        n = twice.bit_length() - 1
        special.append(((bias + n - 1) << fraction_bits) | ((twice - (1 << n)) << (fraction_bits - n))
                       if n <= fraction_bits else one)
    def bits():
        kind = rng.below(8)
        if kind < 2:
            magnitude = rng.pick(special)
        elif kind < 5:  # near 1, so that sums cancel, and none absorbs the other
            magnitude = ((bias - 6 + rng.below(13)) << fraction_bits) | rng.bits() % 2**fraction_bits
        elif kind < 6:  # numbers with few bits, whose results are exact or ties
            magnitude = ((bias - 3 + rng.below(12)) << fraction_bits) | (rng.below(16) << max(fraction_bits - 4, 0))
            magnitude &= 2 ** (exponent_bits + fraction_bits) - 1
        elif kind < 7:
            magnitude = rng.bits() % 2**fraction_bits  # subnormal
        else:
            magnitude = rng.bits() % infinity
        return magnitude | rng.below(2) << (exponent_bits + fraction_bits)
    return bits


def inputs():
    rng = Generator(20)
    single = floats(rng, 8, 23)
    double = floats(rng, 11, 52)
    half = floats(rng, 5, 10)
    bfloat = floats(rng, 8, 7)
    pair = lambda bits: [bits() | bits() << 16 for _ in range(ELEMENTS)]
    data = words(rng) + long_words(rng)
    data += struct.pack(f"<{ELEMENTS}I", *[single() for _ in range(ELEMENTS)])
    data += struct.pack(f"<{ELEMENTS}Q", *[double() for _ in range(ELEMENTS)])
    data += struct.pack(f"<{ELEMENTS}I", *pair(half)) + struct.pack(f"<{ELEMENTS}I", *pair(bfloat))
    assert len(data) == INPUT_BYTES
    return data
