"""scripts/render-results.py: what it shows of a ladder's rows, of records of today and of older ones, whose fields meant
something else."""

import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/render-results.py"
specification = importlib.util.spec_from_file_location("render_results", SCRIPT)
render = importlib.util.module_from_spec(specification)
specification.loader.exec_module(render)

TIME = {"median_us": 10, "p5_us": 9, "p95_us": 11}
COUNTS = {"transactions_per_request": 4, "shared_passes_per_request": 0}
ROW = {"rung": "second", "idea": "an idea", "size": [4, 3], "parameters": {}, "block": [32, 8, 1], "cold": TIME,
       "batch": TIME, "share_of_roof": 0.5, "speedup_over_first": 3, "document_time_us": 100,
       "resources": [{"registers": 32, "occupancy": 1}]}


class Cells(unittest.TestCase):
    def test_a_row(self):
        row = {**ROW, "step_before": "first", "speedup_over_step_before": 1.5, "document_speedup_over_first": 2,
               "counts": [{**COUNTS, "references_per_pixel": 2}]}
        self.assertEqual(render.ladder_cells(row)[3:], ["×1.50", "×3.00", "32, 100 %", "2.00", "4.00"])
        self.assertEqual(render.document_text(row), "100 ×2")

    def test_an_older_record(self):
        row = {**ROW, "speedup_over_previous": 1.5, "document_speedup": 2,
               "counts": [{**COUNTS, "global_references_per_pixel": 64}]}
        self.assertEqual(render.ladder_cells(row)[3:], ["", "×3.00", "32, 100 %", "", "4.00"])
        self.assertEqual(render.document_text(row), "100")

    def test_rows_of_the_cpu(self):
        row = {"rung": "cpu 16 threads", "on_cpu": True, "time": TIME, "document_threads": 16,
               "document_gpu_speedup": 23}
        self.assertEqual(render.ladder_cells(row)[0], "10.0")
        self.assertEqual(render.document_text(row), "its GPU ×23 (16 threads)")
        skipped = {"rung": "cpu reference", "on_cpu": True, "skipped": "it would take long"}
        self.assertEqual(render.ladder_cells(skipped)[0], "skipped: it would take long")


class Experiments(unittest.TestCase):
    def test_the_documents_figures_beside_all_sizes(self):
        small = {**ROW, "document_speedup_over_first": 2}
        large = {key: value for key, value in {**ROW, "size": [40, 30]}.items() if not key.startswith("document")}
        report = {"title": "A title", "rows": ["A8"], "results": [small, large], "copy_roof_gb_per_s": 1,
                  "machine": {"gpu": "G", "driver": "1", "toolkit": "1", "commit": "c", "date": "2026-01-01T"}}
        render.ladder_report = lambda name: report
        self.assertIn("| second | 100 ×2 | 10.0 | 10.0 |", render.experiment("x"))
        # With many blocks a table for each size, the figures in one of them.
        report["document_size"] = [4, 3]
        report["results"] += [{**each, "block": [8, 8, 1]} for each in [large, large]]
        report["results"][2]["size"] = [4, 3]
        rendered = render.experiment("x")
        self.assertIn("| second | 100 ×2 | 10.0 | 10.0 |", rendered)
        self.assertIn("| second | 10.0 | 10.0 |", rendered)


if __name__ == "__main__":
    unittest.main()
