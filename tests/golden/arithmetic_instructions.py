"""Instructions from which random_kernels.py makes kernels."""


class Op:
    """An instruction, perhaps with others around it. In its text, {d} is the result, {a} to {c} are the operands, {imm}
    is a random number, {bits} is one below 256, and {lane} is one below 32."""

    def __init__(self, name, text, result, operands, sm=75, often=1):
        self.name, self.text, self.result, self.operands = name, text, result, operands
        self.sm, self.often = sm, often


OPS = []
APPROXIMATE = []


def add(name, result, operands, sm=75, text=None, often=1, to=OPS):
    if text is None:
        text = name + " {d}, " + ", ".join("{" + x + "}" for x in "abc"[:len(operands)]) + ";"
    to.append(Op(name, text, result, operands, sm, often))


def one_nan(kind, value="{d}"):
    """Returns text that replaces a NaN in a register by the canonical NaN."""
    if kind == "d":
        return ("{{ .reg .pred p; setp.nan.f64 p, " + value + ", " + value + "; selp.f64 " + value +
                ", 0d7FF8000000000000, " + value + ", p; }}")
    return ("{{ .reg .pred p; setp.nan.f32 p, " + value + ", " + value + "; selp.f32 " + value +
            ", 0f7FFFFFFF, " + value + ", p; }}")


def scalar(name, half_kind, operands, result="same"):
    """Returns the text of an operation on 16-bit registers, which hold the lower halves of 32-bit operands."""
    text = "{{ .reg .b16 x, y, z, w, n; "
    for register, operand in zip("xyz", "abc"[:operands]):
        text += "mov.b32 {{" + register + ", n}}, {" + operand + "}; "
    text += name + " w, " + ", ".join("xyz"[:operands]) + "; "
    return text + "mov.b32 {d}, {{w, w}}; }}"


def define_integers():
    for t, k in (("u32", "u"), ("s32", "u"), ("u64", "l"), ("s64", "l")):
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            add(f"{name}.{t}", k, k + k, often=2)
        add(f"mad.lo.{t}", k, k * 3, often=2)
        add(f"mad.hi.{t}", k, k * 3)
        add(f"shr.{t}", k, k + "u", text=f"shr.{t} {{d}}, {{a}}, {{b}};")
        add(f"shr.{t}.imm", k, k, text=f"shr.{t} {{d}}, {{a}}, {{bits}};")
        add(f"bfe.{t}", k, k + "uu", text=f"bfe.{t} {{d}}, {{a}}, {{b}}, {{c}};")
        add(f"bfe.{t}.imm", k, k, text=f"bfe.{t} {{d}}, {{a}}, {{lane}}, {{bits}};")
        add(f"bfind.{t}", "u", k)
        add(f"bfind.shiftamt.{t}", "u", k)
        add(f"sad.{t}", k, k * 3)
        size = t[1:]
        # The divisors are positive, so that no quotient overflows.
        limit = f"and.b{size} x, {{b}}, {2**(int(size) - 1) - 1}; or.b{size} x, x, 1; "
        for name in ("div", "rem"):
            add(f"{name}.{t}", k, k + k, text=f"{{{{ .reg .b{size} x; {limit}{name}.{t} {{d}}, {{a}}, x; }}}}")
        if t[0] == "u":
            for name in ("div", "rem"):
                add(f"{name}.{t}.large", k, k + k,
                    text=f"{{{{ .reg .b{size} x; or.b{size} x, {{b}}, 1; {name}.{t} {{d}}, {{a}}, x; }}}}")
        else:
            add(f"abs.{t}", k, k)
            add(f"neg.{t}", k, k)
            for name in ("div", "rem"):  # negative divisors other than -1
                add(f"{name}.{t}.negative", k, k + k,
                    text=f"{{{{ .reg .b{size} x; or.b{size} x, {{b}}, {2**(int(size) - 1) + 1}; "
                         f"and.b{size} x, x, -3; {name}.{t} {{d}}, {{a}}, x; }}}}")
        comparisons = ["eq", "ne", "lt", "le", "gt", "ge"] + (["lo", "ls", "hi", "hs"] if t[0] == "u" else [])
        for cmp in comparisons:
            add(f"setp.{cmp}.{t}", "u", k + k,
                text=f"{{{{ .reg .pred p; setp.{cmp}.{t} p, {{a}}, {{b}}; selp.u32 {{d}}, 7, 9, p; }}}}")
        add(f"set.lt.u32.{t}", "u", k + k)
        add(f"set.ge.s32.{t}", "u", k + k)
        add(f"set.lt.f32.{t}", "f", k + k)
    for t, k in (("b32", "u"), ("b64", "l")):
        for name in ("and", "or", "xor"):
            add(f"{name}.{t}", k, k + k, often=2)
        for name in ("not", "cnot", "brev"):
            add(f"{name}.{t}", k, k)
        for name in ("popc", "clz"):
            add(f"{name}.{t}", "u", k)
        add(f"shl.{t}", k, k + "u")
        add(f"shl.{t}.imm", k, k, text=f"shl.{t} {{d}}, {{a}}, {{lane}};")
        add(f"bfi.{t}", k, k + k + "u", text=f"{{{{ .reg .b32 n; shr.u32 n, {{c}}, 8; "
                                            f"bfi.{t} {{d}}, {{a}}, {{b}}, {{c}}, n; }}}}")
        add(f"bfi.{t}.imm", k, k + k, text=f"bfi.{t} {{d}}, {{a}}, {{b}}, {{lane}}, {{lane}};")
        add(f"selp.{t}", k, k + k + "u", often=2,
            text=f"{{{{ .reg .pred p; setp.lt.s32 p, {{c}}, {{imm}}; selp.{t} {{d}}, {{a}}, {{b}}, p; }}}}")
        add(f"slct.{t}.s32", k, k + k + "u")
        add(f"slct.{t}.f32", k, k + k + "f")
    for t in ("u32", "s32"):
        add(f"mul.wide.{t}", "l", "uu", often=2)
        add(f"mad.wide.{t}", "l", "uul")
        for part in ("lo", "hi"):
            add(f"mul24.{part}.{t}", "u", "uu")
            add(f"mad24.{part}.{t}", "u", "uuu")
    add("mad.hi.sat.s32", "u", "uuu")
    add("add.sat.s32", "u", "uu")
    add("sub.sat.s32", "u", "uu")
    for mode in ("l.wrap", "l.clamp", "r.wrap", "r.clamp"):
        add(f"shf.{mode}.b32", "u", "uuu")
    add("prmt.b32", "u", "uuu", often=2)
    add("prmt.b32.imm", "u", "uu", text="prmt.b32 {d}, {a}, {b}, {half};")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        add(f"prmt.b32.{mode}", "u", "uuu")
    for table in (0x96, 0xE8, 0xCA, 0x2D, 0x78, 0xD8):
        add(f"lop3.b32.{table:02x}", "u", "uuu", text=f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};")
    add("lop3.b32.any", "u", "uuu", text="lop3.b32 {d}, {a}, {b}, {c}, {bits};", often=2)
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            add(f"dp4a.{a}.{b}", "u", "uuu")
            for part in ("lo", "hi"):
                add(f"dp2a.{part}.{a}.{b}", "u", "uuu")
    add("bmsk.clamp.b32", "u", "uu")
    add("bmsk.wrap.b32", "u", "uu")
    for mode in ("wrap", "clamp"):
        for t in ("u32", "s32"):
            add(f"szext.{mode}.{t}", "u", "uu")
    for t in ("u32", "s32"):
        add(f"add.cc.{t}", "l", "uuu", text="{{ .reg .b32 x, y; add.cc." + t + " x, {a}, {b}; addc." + t +
            " y, {b}, {c}; mov.b64 {d}, {{x, y}}; }}")
        add(f"sub.cc.{t}", "l", "uuu", text="{{ .reg .b32 x, y; sub.cc." + t + " x, {a}, {b}; subc." + t +
            " y, {b}, {c}; mov.b64 {d}, {{x, y}}; }}")
        add(f"mad.cc.{t}", "l", "uuu", text="{{ .reg .b32 x, y; mad.lo.cc." + t + " x, {a}, {b}, {c}; madc.hi." + t +
            " y, {a}, {b}, {c}; mov.b64 {d}, {{x, y}}; }}")
        add(f"addc.cc.{t}", "u", "uuu", text="{{ .reg .b32 x, y; add.cc." + t + " x, {a}, {b}; addc.cc." + t +
            " y, {b}, {c}; addc." + t + " {d}, y, x; }}")
    add("add.cc.u64", "l", "lll",
        text="{{ .reg .b64 x, y; add.cc.u64 x, {a}, {b}; addc.u64 y, {b}, {c}; xor.b64 {d}, x, y; }}")
    add("sub.cc.u64", "l", "lll",
        text="{{ .reg .b64 x, y; sub.cc.u64 x, {a}, {b}; subc.u64 y, {b}, {c}; xor.b64 {d}, x, y; }}")
    add("mov.b64.pack", "l", "uu", text="mov.b64 {d}, {{{a}, {b}}};")
    add("mov.b64.unpack", "u", "l", text="{{ .reg .b32 x, y; mov.b64 {{x, y}}, {a}; xor.b32 {d}, x, y; }}")
    for size, k in (("32", "u"), ("64", "l")):
        for cmp in ("and", "or", "xor"):
            add(f"setp.{cmp}.s{size}", "u", k + k + "u",
                text=f"{{{{ .reg .pred p, q, r; setp.gt.u32 p, {{c}}, {{imm}}; "
                     f"setp.lt.{cmp}.s{size} q|r, {{a}}, {{b}}, p; selp.u32 {{d}}, 1, 2, q; "
                     f"@r xor.b32 {{d}}, {{d}}, 64; }}}}")
    # Instructions on 16-bit registers.
    for t in ("u16", "s16"):
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            add(f"{name}.{t}", "u", "uu", text=scalar(f"{name}.{t}", "u", 2))
        add(f"mad.lo.{t}", "u", "uuu", text=scalar(f"mad.lo.{t}", "u", 3))
        add(f"mul.wide.{t}", "u", "uu", text="{{ .reg .b16 x, y, n; mov.b32 {{x, n}}, {a}; mov.b32 {{n, y}}, {b}; "
            "mul.wide." + t + " {d}, x, y; }}")
        add(f"shr.{t}", "u", "uu", text="{{ .reg .b16 x, n; mov.b32 {{x, n}}, {a}; shr." + t +
            " x, x, {b}; mov.b32 {d}, {{x, n}}; }}")
        add(f"sad.{t}", "u", "uuu", text=scalar(f"sad.{t}", "u", 3))
    add("shl.b16", "u", "uu", text="{{ .reg .b16 x, n; mov.b32 {{x, n}}, {a}; shl.b16 x, x, {b}; "
        "mov.b32 {d}, {{x, n}}; }}")
    for t in ("u16x2", "s16x2"):
        add(f"min.{t}", "u", "uu", 90)
        add(f"max.{t}", "u", "uu", 90)
    add("add.u16x2", "u", "uu", 90)
    # Video instructions on two or four packed elements.
    for n in "24":
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for t in ("u32.u32.u32", "s32.s32.s32"):
                for more in ("", ".sat", ".add"):
                    if more == ".sat" and name in ("vavrg", "vmin", "vmax", "vabsdiff"):
                        continue
                    if more == ".add" and name in ("vmin", "vmax", "vadd", "vsub") and n == "2":
                        continue
                    add(f"{name}{n}.{t}{more}", "u", "uuu")
        for cmp in ("eq", "ne", "lt", "ge"):
            add(f"vset{n}.u32.u32.{cmp}", "u", "uuu")
            add(f"vset{n}.s32.s32.{cmp}", "u", "uuu")
    # Conversions between integers, through 32-bit registers.
    for to in ("u8", "s8", "u16", "s16"):
        for source in ("u32", "s32"):
            for sat in ("", ".sat"):
                add(f"cvt{sat}.{to}.{source}", "u", "u")
        for source, k in (("u64", "l"), ("s64", "l")):
            for sat in ("", ".sat"):
                add(f"cvt{sat}.{to}.{source}", "u", k)
    for to in ("u32", "s32"):
        for source in ("u8", "s8", "u16", "s16"):
            add(f"cvt.{to}.{source}", "u", "u")
        for source in ("u64", "s64"):
            add(f"cvt.{to}.{source}", "u", "l")
            add(f"cvt.sat.{to}.{source}", "u", "l")
        add(f"cvt.u64.{to}", "l", "u")
        add(f"cvt.s64.{to}", "l", "u")
    add("cvt.sat.u32.s32", "u", "u")
    add("cvt.sat.s32.u32", "u", "u")
    add("cvt.pack.sat.u8.s32.b32", "u", "uuu")
    add("cvt.pack.sat.s8.s32.b32", "u", "uuu")
    add("cvt.pack.sat.u16.s32", "u", "uu")
    add("cvt.pack.sat.s16.s32", "u", "uu")


def define_floats():
    for t, k in (("f32", "f"), ("f64", "d")):
        fix = "" if k == "f" else " " + one_nan("d")
        ftz = ("", ".ftz") if k == "f" else ("",)
        for rounding in ("rn", "rz", "rm", "rp"):
            for flush in ftz:
                many = 3 if rounding == "rn" and not flush else 1
                for name, operands in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1),
                                       ("sqrt", 1)):
                    for sat in ("", ".sat") if k == "f" and name in ("add", "sub", "mul", "fma") and rounding in (
                            "rn", "rz") else ("",):
                        full = f"{name}.{rounding}{flush}{sat}.{t}"
                        text = full + " {d}, " + ", ".join("{" + x + "}" for x in "abc"[:operands]) + ";" + fix
                        add(full, k, k * operands, text=text, often=many if not sat else 1)
        for flush in ftz:
            for name in ("min", "max"):
                add(f"{name}{flush}.{t}", k, k + k, text=f"{name}{flush}.{t} {{d}}, {{a}}, {{b}};" + fix, often=2)
            for name in ("neg", "abs"):
                add(f"{name}{flush}.{t}", k, k, text=f"{name}{flush}.{t} {{d}}, {{a}}; " + one_nan(k))
        if k == "f":
            for name in ("min", "max"):
                add(f"{name}.NaN.f32", k, "ff", 80)
        add(f"copysign.{t}", k, k + k)
        for property in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            add(f"testp.{property}.{t}", "u", k,
                text=f"{{{{ .reg .pred p; testp.{property}.{t} p, {{a}}; selp.u32 {{d}}, 3, 4, p; }}}}")
        for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            add(f"setp.{cmp}.{t}", "u", k + k,
                text=f"{{{{ .reg .pred p; setp.{cmp}.{t} p, {{a}}, {{b}}; selp.u32 {{d}}, 5, 6, p; }}}}")
            add(f"set.{cmp}.u32.{t}", "u", k + k)
        add(f"setp.lt.ftz.f32.{t}", "u", "ff",
            text="{{ .reg .pred p, q; setp.lt.ftz.f32 p|q, {a}, {b}; selp.u32 {d}, 5, 6, p; @q not.b32 {d}, {d}; }}")
        add(f"selp.{t}", k, k + k + "u",
            text=f"{{{{ .reg .pred p; setp.gt.u32 p, {{c}}, {{imm}}; selp.{t} {{d}}, {{a}}, {{b}}, p; }}}}")
        # Conversions between integers and floats.
        for integer, i in (("u32", "u"), ("s32", "u"), ("u64", "l"), ("s64", "l")):
            for rounding in ("rn", "rz", "rm", "rp"):
                add(f"cvt.{rounding}.{t}.{integer}", k, i)
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                add(f"cvt.{rounding}.{integer}.{t}", i, k)
            if k == "f":
                add(f"cvt.rzi.ftz.{integer}.f32", i, k)
        for integer in ("u8", "s8", "u16", "s16"):
            add(f"cvt.rn.{t}.{integer}", k, "u", text=small_source(f"cvt.rn.{t}.{integer}"))
            for rounding in ("rni", "rzi"):
                add(f"cvt.{rounding}.{integer}.{t}", "u", k, text=small_result(f"cvt.{rounding}.{integer}.{t}",
                                                                            integer))
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            add(f"cvt.{rounding}.{t}.{t}", k, k, text=f"cvt.{rounding}.{t}.{t} {{d}}, {{a}};" + fix)
    add("cvt.sat.f32.f32", "f", "f")
    add("cvt.ftz.f32.f32", "f", "f", text="cvt.rni.ftz.f32.f32 {d}, {a};")
    for rounding in ("rn", "rz", "rm", "rp"):
        add(f"cvt.{rounding}.f32.f64", "f", "d")
    add("cvt.rn.ftz.f32.f64", "f", "d")
    add("cvt.rn.sat.f32.f64", "f", "d")
    add("cvt.f64.f32", "d", "f", text="cvt.f64.f32 {d}, {a}; " + one_nan("d"))
    add("mov.b32.f32", "u", "f", text="mov.b32 {d}, {a};")
    add("mov.f32.b32", "f", "u", text="mov.b32 {d}, {a};")
    add("mov.b64.f64", "l", "d", text="mov.b64 {d}, {a};")
    add("mov.f64.b64", "d", "l", text="mov.b64 {d}, {a}; " + one_nan("d"))


def small_source(name):
    bits = int(name.rsplit(".", 1)[1][1:])
    if bits == 16:
        return "{{ .reg .b16 x, y; mov.b32 {{x, y}}, {a}; " + name + " {d}, x; }}"
    return name + " {d}, {a};"


def small_result(name, integer):
    if integer[1:] == "16":
        return "{{ .reg .b16 x; " + name + " x, {a}; cvt.u32." + integer + " {d}, x; }}"
    return name + " {d}, {a};"


def define_halves():
    for t, k, sm in (("f16", "h", 75), ("bf16", "b", 90)):
        extra = ("", ".ftz", ".sat") if t == "f16" else ("",)
        for form in (t + "x2", t):
            def half(name, operands, needs, form=form, t=t, k=k):
                full = f"{name}.{form}"
                if form == t:
                    add(full, k, k * operands, needs, text=scalar(full, k, operands))
                else:
                    add(full, k, k * operands, needs, often=2)
            for more in extra:
                for name in ("add.rn", "sub.rn", "mul.rn"):
                    half(name + more, 2, sm)
                half("fma.rn" + more, 3, 75 if t == "f16" else 80)
            half("fma.rn.relu", 3, 80)
            for name in ("min", "max", "min.NaN", "max.NaN"):
                half(name, 2, 80)
            # For a NaN these may return any NaN. A multiplication by 1 makes it the canonical one.
            one = ("0x3C003C00" if form != t else "0x3C00") if t == "f16" else ("0x3F803F80" if form != t else
                                                                               "0x3F80")
            zero = "0x80008000" if form != t else "0x8000"
            for name in ("neg", "abs"):
                needs = 75 if t == "f16" else 80
                full = f"{name}.{form}"
                if form == t:
                    text = ("{{ .reg .b16 x, n, o, m; mov.b32 {{x, n}}, {a}; mov.b16 o, " + one + "; mov.b16 m, " +
                            zero + "; " + full + " x, x; fma.rn." + form + " x, x, o, m; mov.b32 {d}, {{x, x}}; }}")
                else:
                    text = ("{{ .reg .b32 x, o, m; mov.b32 o, " + one + "; mov.b32 m, " + zero + "; " + full +
                            " x, {a}; fma.rn." + form + " {d}, x, o, m; }}")
                add(full, k, k, needs, text=text)
        for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            needs = 75 if t == "f16" else 90
            add(f"setp.{cmp}.{t}x2", "u", k + k, needs,
                text=f"{{{{ .reg .pred p, q; setp.{cmp}.{t}x2 p|q, {{a}}, {{b}}; selp.u32 {{d}}, 5, 6, p; "
                     f"@q not.b32 {{d}}, {{d}}; }}}}")
        for cmp in ("eq", "ne", "lt", "geu"):
            needs = 75 if t == "f16" else 90
            add(f"set.{cmp}.{t}x2.{t}x2", k, k + k, needs)
            add(f"set.{cmp}.u32.{t}x2", "u", k + k, needs)
            add(f"setp.{cmp}.{t}", "u", k + k, needs,
                text="{{ .reg .pred p; .reg .b16 x, y, n; mov.b32 {{x, n}}, {a}; mov.b32 {{n, y}}, {b}; setp." + cmp +
                     "." + t + " p, x, y; selp.u32 {d}, 5, 6, p; }}")
    halves = "{{ .reg .b16 x, y; mov.b32 {{x, y}}, {a}; "
    add("cvt.f32.f16", "f", "h", text=halves + "cvt.f32.f16 {d}, y; }}")
    add("cvt.f32.bf16", "f", "b", 90, text=halves + "cvt.f32.bf16 {d}, y; }}")
    add("cvt.f64.f16", "d", "h", text=halves + "cvt.f64.f16 {d}, x; }} " + one_nan("d"))
    out = " mov.b32 {d}, {{x, x}}; }}"
    for rounding in ("rn", "rz"):
        add(f"cvt.{rounding}.f16.f32", "h", "f", text="{{ .reg .b16 x; cvt." + rounding + ".f16.f32 x, {a};" + out)
        add(f"cvt.{rounding}.bf16.f32", "b", "f", 80, text="{{ .reg .b16 x; cvt." + rounding + ".bf16.f32 x, {a};" +
            out)
        add(f"cvt.{rounding}.f16x2.f32", "h", "ff", 80)
        add(f"cvt.{rounding}.bf16x2.f32", "b", "ff", 80)
        add(f"cvt.{rounding}.relu.f16x2.f32", "h", "ff", 80)
        add(f"cvt.{rounding}.relu.bf16x2.f32", "b", "ff", 80)
    add("cvt.rn.f16.f64", "h", "d", text="{{ .reg .b16 x; cvt.rn.f16.f64 x, {a};" + out)
    for integer, k in (("u32", "u"), ("s32", "u"), ("u64", "l"), ("s64", "l")):
        for rounding in ("rn", "rz", "rm", "rp"):
            add(f"cvt.{rounding}.f16.{integer}", "h", k,
                text="{{ .reg .b16 x; cvt." + rounding + ".f16." + integer + " x, {a};" + out)
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            add(f"cvt.{rounding}.{integer}.f16", k, "h", text=halves + f"cvt.{rounding}.{integer}.f16 {{d}}, x; }}}}")
    for integer in ("u16", "s16"):
        add(f"cvt.rn.f16.{integer}", "h", "u", text=halves + f"cvt.rn.f16.{integer} x, x;" + out)
        add(f"cvt.rni.{integer}.f16", "u", "h", text=halves + f"cvt.rni.{integer}.f16 x, x;" + out)
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        add(f"cvt.{rounding}.f16.f16", "h", "h", text=halves + f"cvt.{rounding}.f16.f16 x, x;" + out)


def define_exchanges():
    everyone = "0xffffffff"
    for mode, clamp in (("up", 0), ("up", 0x1800), ("down", 31), ("down", 0x181F), ("bfly", 31), ("bfly", 0x1C1F),
                        ("idx", 31), ("idx", 0x181F)):
        add(f"shfl.{mode}.{clamp:x}", "u", "uu", text=f"{{{{ .reg .pred p; .reg .b32 x; and.b32 x, {{b}}, 31; "
            f"shfl.sync.{mode}.b32 {{d}}|p, {{a}}, x, {clamp}, {everyone}; @p xor.b32 {{d}}, {{d}}, 1; }}}}")
    for mode in ("all", "any", "uni"):
        # In some warps the predicate is true for few lanes, in others for nearly all.
        add(f"vote.{mode}", "u", "u", text=f"{{{{ .reg .pred p, q; .reg .b32 x, y; and.b32 x, {{a}}, 63; "
            f"shr.u32 y, %e, 5; and.b32 y, y, 31; shl.b32 y, y, 1; add.u32 y, y, 1; setp.ge.u32 p, x, y; setp.ne.and.u32 p, x, 63, p; "
            f"vote.sync.{mode}.pred q, p, {everyone}; selp.u32 {{d}}, 11, 12, q; }}}}")
    add("vote.ballot", "u", "uu", text="{{ .reg .pred p; setp.lt.s32 p, {a}, {b}; vote.sync.ballot.b32 {d}, p, " +
        everyone + "; }}")
    add("match.any.b32", "u", "u", text="{{ .reg .b32 x; and.b32 x, {a}, 3; match.any.sync.b32 {d}, x, " + everyone +
        "; }}")
    add("match.any.b64", "u", "l", text="{{ .reg .b64 x; and.b64 x, {a}, 4294967297; match.any.sync.b64 {d}, x, " +
        everyone + "; }}")
    add("match.all.b32", "u", "u", text="{{ .reg .pred p; .reg .b32 x; shr.u32 x, {a}, 31; "
        "match.all.sync.b32 {d}|p, x, " + everyone + "; @p not.b32 {d}, {d}; }}")
    for name in ("add.u32", "add.s32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"):
        operation, kind = name.split(".")
        add(f"redux.{name}", "u", "u", 80, text=f"redux.sync.{operation}.{kind} {{d}}, {{a}}, {everyone};")


def define_approximate():
    for flush in ("", ".ftz"):
        for name in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
            add(f"{name}.approx{flush}.f32", "f", "f", to=APPROXIMATE)
        add(f"div.approx{flush}.f32", "f", "ff", to=APPROXIMATE)
        add(f"div.full{flush}.f32", "f", "ff", to=APPROXIMATE)
    add("tanh.approx.f32", "f", "f", to=APPROXIMATE)
    for form in ("f16x2", "f16"):
        for name in ("ex2.approx", "tanh.approx"):
            add(f"{name}.{form}", "h", "h", 75, text=scalar(f"{name}.{form}", "h", 1) if form == "f16" else None,
                to=APPROXIMATE)
    for name in ("ex2.approx.ftz", "tanh.approx"):
        add(f"{name}.bf16x2", "b", "b", 90, to=APPROXIMATE)
