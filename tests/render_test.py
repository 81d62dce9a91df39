"""Tests scripts/render-results.py and the modules of its tables, with records of today and with older ones, whose
fields meant something else."""

import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/render-results.py"
sys.path.insert(0, str(SCRIPT.parent))
specification = importlib.util.spec_from_file_location("render_results", SCRIPT)
render = importlib.util.module_from_spec(specification)
specification.loader.exec_module(render)
import build_tables  # noqa: E402
import form_tables  # noqa: E402
import ladder_tables  # noqa: E402
import study_tables  # noqa: E402

TIME = {"median_us": 10, "p5_us": 9, "p95_us": 11}
COUNTS = {"transactions_per_request": 4, "shared_passes_per_request": 0}
ROW = {"rung": "second", "idea": "an idea", "size": [4, 3], "parameters": {}, "block": [32, 8, 1], "cold": TIME,
       "batch": TIME, "share_of_roof": 0.5, "speedup_over_first": 3, "document_time_us": 100,
       "resources": [{"registers": 32, "occupancy": 1}]}


class Cells(unittest.TestCase):
    def test_a_row(self):
        row = {**ROW, "step_before": "first", "speedup_over_step_before": 1.5, "document_speedup_over_first": 2,
               "counts": [{**COUNTS, "references_per_pixel": 2}]}
        self.assertEqual(ladder_tables.ladder_cells(row)[3:], ["×1.50", "×3.00", "32, 100 %", "2.00", "4.00"])
        self.assertEqual(ladder_tables.document_text(row), "100 ×2")

    def test_an_older_record(self):
        row = {**ROW, "speedup_over_previous": 1.5, "document_speedup": 2,
               "counts": [{**COUNTS, "global_references_per_pixel": 64}]}
        self.assertEqual(ladder_tables.ladder_cells(row)[3:], ["", "×3.00", "32, 100 %", "", "4.00"])
        self.assertEqual(ladder_tables.document_text(row), "100")

    def test_rows_of_the_cpu(self):
        row = {"rung": "cpu 16 threads", "on_cpu": True, "time": TIME, "document_threads": 16,
               "document_gpu_speedup": 23}
        self.assertEqual(ladder_tables.ladder_cells(row)[0], "10.0")
        self.assertEqual(ladder_tables.document_text(row), "its GPU ×23 (16 threads)")
        skipped = {"rung": "cpu reference", "on_cpu": True, "skipped": "it would take long"}
        self.assertEqual(ladder_tables.ladder_cells(skipped)[0], "skipped: it would take long")


class Forms(unittest.TestCase):
    LINES = """# a comment
[sm_90 8.6]
add.<u32,s32> %r1, %r2, %r3
mbarrier.init.b64 [%r0], 1; bar.sync 0; @%p7 st<,.volatile>.b32 [%r0], %r1
fma.oob.f16 %h1, %h2, %h3, %h4 -- not documented
mov.u32 %r1, %pm0 -- special register %pm0
[sm_75 7.8]
L: .branchtargets L; @!%p7 brx.idx %r1, L
"""

    def rendered(self, what):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "forms.txt"
            path.write_text(self.LINES, encoding="utf-8")
            golden = pathlib.Path(folder) / "golden.json"
            machine = {"gpu": "G", "driver": "1", "ptxas": "13", "commit": "c", "date": "2026-01-01T"}
            golden.write_text(json.dumps({"machine": machine, "hashes": {"add.u32 %r1, %r2, %r3": "00"},
                                          "not_compared": {"L: .branchtargets L; @!%p7 brx.idx %r1, L": {"why": "jumps"}}}), encoding="utf-8")
            return [line for line in form_tables.rendered(path, golden, what).splitlines() if line.startswith("| `") or "PTX" in line]

    def test_forms_that_run_are_counted_by_their_target(self):
        self.assertEqual(self.rendered("run"), ["| sm_75, PTX 7.8 | 1 | 0 | `brx` 1 |", "| sm_90, PTX 8.6 | 4 | 1 | `add` 2, `st` 2 |"])

    def test_forms_that_are_not_compared_have_a_reason(self):
        self.assertEqual(self.rendered("compared"), ["| `add` 1, `st` 2 | not run on a GPU yet |", "| `brx` 1 | jumps |"])

    def test_refused_forms_are_listed_by_their_reason(self):
        self.assertEqual(self.rendered("refused"),
                         ["| `fma` 1 | not documented |", "| `%pm0` 1 | special registers that are not modelled |"])


class Experiments(unittest.TestCase):
    def test_the_documents_figures_beside_all_sizes(self):
        small = {**ROW, "document_speedup_over_first": 2}
        large = {key: value for key, value in {**ROW, "size": [40, 30]}.items() if not key.startswith("document")}
        report = {"title": "A title", "rows": ["A8"], "results": [small, large], "copy_roof_gb_per_s": 1,
                  "machine": {"gpu": "G", "driver": "1", "toolkit": "1", "commit": "c", "date": "2026-01-01T"}}
        self.assertIn("| second | 100 ×2 | 10.0 | 10.0 |", ladder_tables.experiment(report))
        # An experiment with many blocks has a table for each size.
        report["document_size"] = [4, 3]
        report["results"] += [{**each, "block": [8, 8, 1]} for each in [large, large]]
        report["results"][2]["size"] = [4, 3]
        rendered = ladder_tables.experiment(report)
        self.assertIn("| second | 100 ×2 | 10.0 | 10.0 |", rendered)
        self.assertIn("| second | 10.0 | 10.0 |", rendered)

    def test_a_parameter_that_a_rung_fixes_is_no_column(self):
        rows = [{**ROW, "rung": rung, "parameters": {"measure": measure, "side": side}, "cold": {**ROW["cold"], "median_us": us}}
                for rung, measure, first in [("by_products", 3, 10), ("by_differences", 0, 30)]
                for side, us in [(8, first), (16, first + 5)]]
        rendered = ladder_tables.experiment({"title": "A title", "rows": ["E3"], "results": rows, "copy_roof_gb_per_s": 1,
                                             "machine": MACHINE})
        self.assertIn("side | 8 | 16 |", rendered)
        self.assertIn("| by_products | 10.0 | 15.0 |", rendered)
        self.assertIn("| by_differences | 30.0 | 35.0 |", rendered)

    def test_figures_of_a_study(self):
        machine = {"gpu": "G", "driver": "1", "toolkit": "1", "commit": "c", "date": "2026-01-01T"}
        row = {**ROW, "gb_per_s": 1234.4, "parameters": {"same": 3}}
        points = [{**row, "axes": {"CAP": cap}, "resources": [{"registers": cap, "spill_bytes": 64 - cap, "occupancy": 0.75}]}
                  for cap in [32, 24]]
        plain = {**row, "rung": "plain"}
        skipped = {**{key: value for key, value in plain.items() if key != "cold"}, "skipped": "why", "size": [8, 8]}
        rendered = study_tables.figures({"results": [*points, plain, skipped], "copy_roof_gb_per_s": 1,
                                         "machine": machine})
        self.assertIn("| second | size 4×3, CAP 32 | 10.0 | 1234 | 50 % | 32 | 32 | 75.0 % |", rendered)
        self.assertIn("| second | size 4×3, CAP 24 | 10.0 | 1234 | 50 % | 24 | 40 | 75.0 % |", rendered)
        self.assertIn("| plain | size 4×3 | 10.0 | 1234 | 50 % | 32 |  | 100.0 % |", rendered)
        self.assertIn("| plain | size 8×8 | skipped |", rendered)


class Curves(unittest.TestCase):
    def test_a_column_for_each_and_their_knees(self):
        def row(operations, loads, **more):
            return {"rung": "multiply", "size": [4, 3], "parameters": {"loads": loads, "stores": 1},
                    "axes": {"OPS": operations}, "block": [32, 4, 1], **more}
        def knee(loads, **more):
            return {"rung": "multiply", "size": [4, 3], "parameters": {"loads": loads, "stores": 1},
                    "block": [32, 4, 1], **more}
        report = {"title": "A title", "rows": ["A5"], "copy_roof_gb_per_s": 1,
                  "machine": {"gpu": "G", "driver": "1", "toolkit": "1", "commit": "c", "date": "2026-01-01T"},
                  "knee": {"axis": "OPS", "of": "cold_us"},
                  "knees": [knee(1, at=123.4, level_us=70, slope_us=0.25, largest_deviation=0.02),
                            knee(2, none="all flat")],
                  "results": [row(64, 1, cold=TIME), row(0, 1, cold=TIME), row(0, 2, skipped="for a reason")]}
        lines = study_tables.curves(report).split("\n")
        self.assertIn("| OPS | loads 1 | loads 2 |", lines)
        self.assertIn("| 0 | 10.0 [9.00, 11.0] | skipped: for a reason |", lines)
        self.assertIn("| 64 | 10.0 [9.00, 11.0] |  |", lines)
        self.assertIn("| knee | 123 (level 70.0 µs, then 0.25 µs for each; within 2 %) | none: all flat |", lines)


MACHINE = {"gpu": "G", "driver": "1", "toolkit": "2", "commit": "c", "date": "2026-01-01T"}


class Settings(unittest.TestCase):
    def test_ways_of_transfers(self):
        times = {**TIME, "upload_us": 3, "kernel_us": 6, "download_us": 1, "kernel_share": 0.6}
        rows = [{**ROW, "setting": {"transfer": "pinned"}, "end_to_end": times},
                {**ROW, "setting": {"transfer": "overlapped 4"}, "end_to_end": TIME},
                {**ROW, "setting": {"transfer": "mapped"}, "skipped": "for a reason"}]
        report = {"ladder": "sobel", "machine": MACHINE, "results": rows,
                  "bus": {"up_gb_per_s": 50, "down_gb_per_s": 49, "both_gb_per_s": 90}}
        text = study_tables.transfers([report])
        self.assertIn("| sobel | second | 4×3 | pinned | 10.0 [9.00, 11.0] | 3.00 | 6.00 | 1.00 | 1.5 : 1 |", text)
        self.assertIn("| overlapped 4 | 10.0 [9.00, 11.0] |  |  |  |  |", text)
        self.assertIn("| mapped | skipped: for a reason |", text)
        self.assertIn("50.0 GB/s up, 49.0 down and 90.0 both ways", text)
        faster = {**report, "bus": {"up_gb_per_s": 50, "down_gb_per_s": 49.5, "both_gb_per_s": 91}}
        self.assertIn("c, 2026-01-01. The bus reaches 50.0 GB/s up, 49.0 to 49.5 down and 90.0 to 91.0 both ways",
                      study_tables.transfers([report, faster]))
        self.assertEqual(study_tables.ratio_text(0.2), "1 : 4.0")

    def test_shares_of_a_gpu(self):
        rows = [{**ROW, "setting": {"sm_percent": 66, "neighbour_percent": 50}, "multiprocessors": 88,
                 "neighbour_gb_per_s": 2000, "bandwidth_left": 0.5},
                {**ROW, "setting": {"sm_percent": 66, "neighbour_percent": 0}, "multiprocessors": 88}]
        report = {"machine": MACHINE, "results": rows, "copy_roof_gb_per_s": 4000,
                  "halved": [{"rung": "second", "block": [32, 8, 1], "multiprocessors": [88, 44],
                              "multiprocessors_halved_at_all_bandwidth": 0.5, "hangs_on": "both"}]}
        self.assertIn("| second | 66 % | 88 | 2000 | 50 % | 10.0 [9.00, 11.0] |", study_tables.shares(report))
        self.assertIn("| second | 66 % | 88 |  | 100 % |", study_tables.shares(report))
        self.assertIn("| second 32×8 | 88 → 44 | 50.0 % |  |  |  | both |", study_tables.halved(report))


class Builds(unittest.TestCase):
    RECORD = {"machine": {"cpu": "C, 2 cores", "compiler": "g++", "toolkit": "13.0", "commit": "c", "date": "2026-01-01T", "method": "m"},
              "sizes": {"library": 14.96e6, "installation": 39e6},
              "demos": [{"cuda": False, "first_picture_s": 20, "wall_s": 85, "cpu_s": 160, "build": {"wall_s": 70, "cpu_s": 140}},
                        {"cuda": True, "first_picture_s": 30, "wall_s": 324.8, "cpu_s": 1600, "build": {"wall_s": 300, "cpu_s": 1500}}],
              "objects": {"warpwise/CMakeFiles/warpwise.dir/primitives/sobel/cuda.cu.o": 50.4,
                          "warpwise/cli/CMakeFiles/first.dir/__/base/view.cpp.o": 1}}

    def test_waits(self):
        text = build_tables.english(self.RECORD)
        self.assertIn("a first picture after 30 s and ends after 1 min 25 s, or 5 min 25 s with a CUDA toolkit. It installs "
                      "Debian's packages in this time (C, 2 cores, commit c, 2026-01-01).", text)
        self.assertIn("30초 뒤에 첫 그림을 보여 주고 1분 25초 뒤에, CUDA 툴킷이 있으면 5분 25초 뒤에 끝납니다", build_tables.korean(self.RECORD))
        without = {**self.RECORD, "demos": self.RECORD["demos"][:1]}
        self.assertIn("after 20 s and ends after 1 min 25 s. It installs", build_tables.english(without))

    def test_details(self):
        text = build_tables.details(self.RECORD)
        self.assertIn("| demo with CUDA, its builds | 5 min | 1,500 s |", text)
        before = {"commit": "b", "wall_s": 900, "cpu_s": 1800, "then": {"commit": "c", "wall_s": 250, "cpu_s": 500}}
        text = build_tables.details({**self.RECORD, "before": before})
        self.assertIn("| build with CUDA at b |  | 1,800 s |\n| build with CUDA at c, in the same run |  | 500 s |", text)
        self.assertIn("of 2 objects: warpwise/primitives/sobel/cuda.cu 50 s, warpwise/cli/base/view.cpp 1 s.", text)
        self.assertIn("`libwarpwise.so` has 15.0 MB, an installation 39.0 MB.", text)
        self.assertIn(", the wheel 8.0 MB.", build_tables.details({**self.RECORD, "sizes": {**self.RECORD["sizes"], "wheel": 8e6}}))


class NotRecorded(unittest.TestCase):
    def test_every_kind_says_so(self):
        for kind in [*render.OF_ONE_RECORD, "transfers"]:
            self.assertEqual(render.rendered(f"{kind} not-there", {}), "Not recorded yet.")
            self.assertIn("-->\nNot recorded yet.\n<!--",
                          render.render(f"<!-- results: {kind} not-there -->\n<!-- end -->", {}, ""))

    def test_transfers_of_those_that_are(self):
        report = {"ladder": "sobel", "machine": MACHINE, "results": [],
                  "bus": {"up_gb_per_s": 50, "down_gb_per_s": 49, "both_gb_per_s": 90}}
        read_record, render.read_record = render.read_record, {"there": report}.get
        try:
            self.assertIn("50.0 GB/s up", render.rendered("transfers there not-there", {}))
        finally:
            render.read_record = read_record


if __name__ == "__main__":
    unittest.main()
