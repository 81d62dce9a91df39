"""The comparison of the emulated GPU with numba's simulator and Triton's interpreter: results/emulator/python-speed.json."""
from tables import table


def rendered(recorded):
    times, found, machine = recorded["cpu_seconds"], recorded["found"], recorded["machine"]
    rows = [[f"product of 128 × 128, {stack}", *(f"{times[f'product of {stack.split()[0]}, {way}']:.3f} s" for way in ["emulated", "emulated, all checks", other])]
            for stack, other in [("numba with tiles", "simulator"), ("Triton", "interpreter")]]
    lines = [table(["program", "emulated GPU", "emulated GPU with all checks", "numba's simulator or Triton's interpreter"], rows), "",
             f"- The emulated GPU finds {len(found['emulated'])} of {len(recorded['faults'])} planted faults "
             f"({', '.join(each.replace('_', ' ') for each in recorded['faults'])}), and numba's simulator {len(found['simulator'])}"
             + (f" ({', '.join(each.replace('_', ' ') for each in found['simulator'])})." if found["simulator"] else "."),
             f"- `from numba import cuda` and a context take {times['import and context, emulated'] - times['import alone']:.2f} s longer than the import alone "
             f"({times['import alone']:.2f} s).",
             f"- A second launch on 10,000 elements, with its copies and all checks, takes {1000 * times['10,000 elements, emulated, all checks']:.1f} ms.",
             "",
             f"CPU seconds, medians; {machine['cpu']}, commit {machine['commit']}, {machine['date']}."]
    return "\n".join(lines)
