#!/usr/bin/env python3
"""Writes a kernel for each form of an instruction in tests/emulator/ptx_forms.txt, over the inputs of random_inputs.py.

    form_kernels.py FOLDER

FOLDER gets form_*.ptx and forms.json, which lists the kernels. Each kernel has 128 threads. A thread has its own operands, and its own
32 bytes of global and of shared memory. It runs the form once and writes every register that the form names; the memory is written too if
the form names an address. OTHERS gives the reason for each form whose results cannot be compared.
"""

import json
import os
import pathlib
import re
import sys

from random_inputs import ELEMENTS, SECTIONS, SIZE

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))
import form_tables  # noqa: E402

THREADS = 128
MEMORY = 4096            # bytes of global memory, and of shared memory
KERNELS_A_FILE = 50
# The reason for which a form is not compared. The first expression that matches a form counts.
OTHERS = [
    (r"^(@%p7|T:).*(tex|tld4|suld|sust|wgmma|tensor)", "needs a texture, a tensor map or a descriptor; other programs compare it"),
    (r"^(@%p7|T:)", "ends the kernel or jumps through a table, so it is not executed"),
    (r"%(clock|globaltimer|smid|nsmid|warpid|nwarpid|gridid|total_smem_size|reserved_smem|envreg)", "its value belongs to the machine"),
    (r"^(cvta|mapa|mov\.\w+ %\w+, [gs]\b|stacksave)", "addresses differ from machine to machine"),
    (r"^cp\.async\.c[ag].*cache_hint", "an H200 ends the kernel: illegal instruction, with each policy that was tried"),
    (r"^createpolicy", "a cache policy is an opaque number"),
    (r"^mbarrier\.pending_count", "the state of an mbarrier is an opaque number"),
    (r"^wmma.*(m8n32k16|m32n8k16|m8n8k32|m8n8k128)", "the places of a fragment's elements are not documented"),
    (r"^tensormap\.replace", "the layout of a tensor map is not documented"),
    (r"^(cp\.async\.bulk\.prefetch\.tensor|prefetch\.tensormap)", "needs a tensor map"),
    (r"^discard", "the memory is undefined behind it"),
    (r"\.(approx|full)\b", "approximate"),
    (r"^(bar\.(sync|arrive|warp)|barrier\S*\.(sync|arrive|cluster)|membar|fence|exit|ret|bra|@%p1 bra|nanosleep|pmevent|prefetch|applypriority|"
     r"cp\.async\.(commit|wait|bulk\.(commit|wait|prefetch))|griddepcontrol|setmaxnreg|wgmma\.|mbarrier\.init\S* \[%r0\], 128; mbarrier\.inval)",
     "has no result"),
]
# This mask clears the highest exponent bit of 8-, 16-, 32- and 64-bit floats, so that each is finite and below 2 or 4.
FINITE = 0xBFBFBFBF
MATRIX = r"^(mma|wmma)"
COMPUTES = r"^(add|sub|mul|fma|mad|div|rcp|sqrt|min|max|neg|abs|cvt|mma)\b"


def reason(form):
    """Returns the reason for which a form is not compared, or an empty text."""
    return next((why for pattern, why in OTHERS if re.search(pattern, form)), "")


def number_kind(form, letter):
    """Returns the section of random_inputs.py's inputs from which a form's register is loaded."""
    if letter in "lq":
        return "d" if "f64" in form else "l"
    if "bf16" in form:
        return "b"
    return "h" if re.search(r"\bf16", form) else "f" if "f32" in form else "u"


def registers(form):
    """Returns the registers of a form's data as [('r', '2'), ...], without those of addresses and without %p7."""
    found = dict.fromkeys(re.findall(r"%([phrlqbv])(\d*)\b(?!\w)", form))
    addresses = {("r", "0"), ("l", "0"), ("p", "7")}
    if re.search(r"\[%l1|^(isspacep|getctarank)", form):
        addresses.add(("l", "1"))
    return [register for register in found if register not in addresses]


def is_finite(form):
    """Returns whether operands must be finite: the form sums floats in an unstated order, or keeps a NaN's bits."""
    floats = re.search(r"f16|f32|f64|e4m3|e5m2", form)
    return bool(floats and re.search(MATRIX + r"|^(neg|abs)\b|^(atom|red)\b|reduce", form))


def loaded(form, finite):
    """Returns text that loads a value into each register of a form. Registers and threads get different values."""
    text = ""
    for place, (letter, number) in enumerate(registers(form)):
        kind = "u" if letter in "pb" else number_kind(form, letter)
        name = f"%{letter}{number}"
        text += (f"mad.lo.u32 %i, %e, {2 * place + 1}, {77 * place}; and.b32 %i, %i, {ELEMENTS - 1 - (letter in 'qv') * 3}; "
                 f"mul.wide.u32 %at, %i, {SIZE[kind]}; add.u64 %at, %at, %in; add.u64 %at, %at, {SECTIONS[kind]};\n")
        if letter == "p":
            text += f"ld.global.b32 %t, [%at]; and.b32 %t, %t, {1 << place % 8}; setp.ne.u32 {name}, %t, 0;\n"
        elif letter == "q":
            text += f"ld.global.b64 %wide, [%at]; ld.global.b64 %high, [%at+8]; mov.b128 {name}, {{%wide, %high}};\n"
        elif letter == "v":
            text += "".join(f"ld.global.b32 %t, [%at+{4 * i}]; mov.b32 %v.{axis}, %t;\n" for i, axis in enumerate("xyzw"))
        else:
            text += f"ld.global.b{dict(h=16, r=32, l=64, b=8)[letter]} {name}, [%at];\n"
            mask = {"h": FINITE & 0xFFFF, "r": FINITE, "l": FINITE << 32 | FINITE}.get(letter)
            if finite and mask:
                text += f"and.b{dict(h=16, r=32, l=64)[letter]} {name}, {name}, {mask:#x};\n"
    return text


def addresses(form):
    """Returns text that sets %l0, %r0 and %l1 to a thread's place in memory, fills the place, and waits for all."""
    if form.startswith("wmma"):
        slot = "shr.u32 %t, %e, 5; mul.lo.u32 %t, %t, 1024; "  # a matrix for each warp
    elif ", 128" in form and "mbarrier" not in form or form.startswith("tensormap"):
        slot = "mov.u32 %t, 0; "
    else:
        slot = "mul.lo.u32 %t, %e, 32; "
    mask = f"and.b32 %x, %x, {FINITE:#x}; " if is_finite(form) else ""
    fill = "mul.lo.u32 %i, %e, 32; cvt.u64.u32 %at, %i; add.u64 %wide, %out, %at; add.u64 %at, %at, %in; mov.u32 %r0, s; add.u32 %i, %i, %r0;\n"
    for byte in range(0, 32, 4):
        fill += (f"ld.global.b32 %x, [%at+{byte}]; {mask}st.global.b32 [%wide+{byte}], %x; not.b32 %x, %x; {mask}"
                 f"st.shared.b32 [%i+{byte}], %x;\n")
    return fill + slot + ("cvt.u64.u32 %l0, %t; add.u64 %l0, %l0, %out; add.u32 %r0, %r0, %t; cvt.u64.u32 %l1, %r0; cvta.shared.u64 %l1, %l1; "
                          "membar.gl; bar.sync 0;\n")


def prepared(form):
    """Returns the instructions that must precede a form so that its result is defined."""
    text = ""
    if re.match(r"(addc|subc|madc)", form):
        text += f"{{ .reg .b32 x; {'sub' if form.startswith('sub') else 'add'}.cc.u32 x, %in_low, 0x80000000; }}\n"
    if "stack" in form and "[stack]" in form:
        text += "st.local.b32 [stack], %e;\n"
    if "cache_hint" in form:
        text += "createpolicy.fractional.L2::evict_first.b64 %l2, 1.0;\n"
    if re.match(r"cp\.async\.c[ag]\.\S* \[%r0\], \[%l0\], 16, %r1", form):
        text += "and.b32 %r1, %r1, 15;\n"  # number of bytes to copy
    if form.startswith("fns"):
        text += "and.b32 %r3, %r3, 31; shr.s32 %r4, %r4, 26;\n"  # a bit's number, and a count of up to 32 bits
    if ".cas." in form:  # for every second thread the comparison succeeds
        found = re.search(r"\.b(\d+) .*\[(%\w\d)\], %(\w)(\d)", form)
        place = "shared" if found[2] == "%r0" else "global"
        text += f"@%even ld.{place}.b{found[1]} %{found[3]}{found[4]}, [{found[2]}];\n"
    if "bulk" in form:
        text += "fence.proxy.async;\n"
    return text


def finished(form):
    """Returns text that follows a form: it waits for copies, and makes each NaN of a double the canonical one."""
    text = ""
    if re.match(r"cp\.(reduce\.)?async\.c?[ag]?", form) and "bulk" not in form:
        text += "cp.async.wait_all;\n"
    if "bulk_group" in form:
        text += "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    if form.startswith("mbarrier"):  # no phase of the mbarrier ends here, since the copies are done long before
        text += "nanosleep.u32 100000;\n" * 20
    if ".cc" in form:
        text += f"{'sub' if form.startswith('sub') else 'add'}c.u32 %t, 0, 0; mov.b32 %carry, %t;\n"
    if "f64" in form and re.match(COMPUTES, form):
        for letter, number in registers(form):
            if letter == "l" and (number == "1" or form.startswith("mma")):
                name = f"%l{number}"
                text += f"setp.nan.f64 %nan, {name}, {name}; selp.b64 {name}, 0x7FF8000000000000, {name}, %nan;\n"
    if re.match(r"(neg|abs|cvt\.f32).*\.f32", form):
        text += "setp.nan.f32 %nan, %r1, %r1; selp.b32 %r1, 0x7FFFFFFF, %r1, %nan;\n"
    return text


def written(form):
    """Returns text that stores a form's registers, and the number of bytes that a thread stores."""
    text = ""
    at = 0
    opaque = {("l", "2")} if form.startswith("mbarrier") or "cache_hint" in form else set()
    for letter, number in registers(form):
        if (letter, number) in opaque:
            continue
        name = f"%{letter}{number}"
        size = {"l": 8, "q": 16, "v": 16}.get(letter, 4)
        at = (at + 7) // 8 * 8 if letter in "lq" else at
        if letter == "p":
            text += f"selp.u32 %t, 1, 0, {name}; st.global.b32 [%at+{at}], %t;\n"
        elif letter == "h":
            text += f"st.global.b16 [%at+{at}], {name};\n"
        elif letter == "q":
            text += f"mov.b128 {{%wide, %high}}, {name}; st.global.b64 [%at+{at}], %wide; st.global.b64 [%at+{at + 8}], %high;\n"
        elif letter == "v":
            text += "".join(f"mov.b32 %t, %v.{axis}; st.global.b32 [%at+{at + 4 * i}], %t;\n" for i, axis in enumerate("xyzw"))
        else:
            text += f"st.global.b{dict(r=32, l=64, b=8)[letter]} [%at+{at}], {name};\n"
        at += size
    if "[stack]" in form:
        text += f"ld.local.b32 %t, [stack]; st.global.b32 [%at+{at}], %t;\n"
        at += 4
    text += f"st.global.b32 [%at+{at}], %carry;\n"
    return text, (at + 11) // 8 * 8


def kernel(name, form):
    """Returns the text of a form's kernel, and the bytes that it writes: both memories and each thread's registers."""
    register_text, stride = written(form)
    uses_memory = "[" in form
    # The first 16 bytes of a thread's place have the mbarrier, whose content is opaque.
    first = 16 if form.startswith("mbarrier") else 0
    shared = "".join(f"ld.shared.b32 %t, [%i+{byte}]; st.global.b32 [%at+{MEMORY + byte}], %t;\n" for byte in range(first, 32, 4))
    declared = "".join(declaration for mark, declaration in (("%q", ".reg .b128 %q<8>; "), ("%b", ".reg .b8 %b<9>; "), ("%v", ".reg .v4 .b32 %v; "))
                       if mark in form)
    cluster = ".explicitcluster .reqnctapercluster 1, 1, 1 " if "shared::cluster" in form else ""
    text = (f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 p) {cluster}{{\n"
            ".reg .pred %p<8>, %even, %nan; .reg .b16 %h<16>; .reg .b32 %r<80>, %e, %i, %t, %x, %carry, %in_low; "
            f".reg .b64 %l<40>, %in, %out, %at, %wide, %high; {declared}\n.shared .align 128 .b8 s[{MEMORY}]; .local .align 16 .b8 stack[64];\n"
            "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %e, %tid.x; mov.u32 %carry, 0; setp.ne.u32 %p7, %e, %e; "
            "and.b32 %t, %e, 1; setp.eq.u32 %even, %t, 0;\n"
            f"mul.lo.u32 %t, %e, 0x9E3779B9; mov.b32 %in_low, %t;\n{addresses(form)}{loaded(form, is_finite(form))}{prepared(form)}"
            f"{form};\n{finished(form)}bar.sync 0;\n")
    if uses_memory:
        text += f"mul.lo.u32 %i, %e, 32; cvt.u64.u32 %at, %i; add.u64 %at, %at, %out; mov.u32 %t, s; add.u32 %i, %i, %t;\n{shared}"
    text += f"mul.wide.u32 %at, %e, {stride}; add.u64 %at, %at, %out; add.u64 %at, %at, {2 * MEMORY};\n{register_text}ret;\n}}\n\n"
    return text, 2 * MEMORY + THREADS * stride


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    by_section = {}
    seen = set()
    for section, form, refusal in form_tables.read(REPOSITORY / "tests/emulator/ptx_forms.txt"):
        if not refusal and form not in seen and int(re.match(r"sm_(\d+)", section)[1]) <= 90:
            by_section.setdefault(section, []).append(form)
            seen.add(form)
    listed = []
    for section, forms in by_section.items():
        target, version = section.split(", PTX ")
        for first in range(0, len(forms), KERNELS_A_FILE):
            file = f"form_{target}_{version.replace('.', '')}_{first // KERNELS_A_FILE:02d}"
            texts = []
            for form in forms[first:first + KERNELS_A_FILE]:
                name = f"form_{len(listed):04d}"
                text, size = kernel(name, form)
                texts.append(text)
                listed.append({"name": name, "file": file, "bytes": size, "form": form, "not_compared": reason(form)})
            header = f".version {version}\n.target {target}\n.address_size 64\n.global .align 128 .b8 g[4096];\n.const .b32 c[64];\n\n"
            (folder / f"{file}.ptx").write_text(header + "".join(texts), encoding="utf-8")
    (folder / "forms.json").write_text(json.dumps({"threads": THREADS, "kernels": listed}, indent=0), encoding="utf-8")


if __name__ == "__main__":
    main()
