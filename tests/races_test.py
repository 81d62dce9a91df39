#!/usr/bin/env python3
"""Tests record-races.py: the labels of the suites' programs, interrupted runs, and summaries."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import race_tables  # noqa: E402

specification = importlib.util.spec_from_file_location("record_races", SCRIPTS / "record-races.py")
record = importlib.util.module_from_spec(specification)
sys.modules["record_races"] = record
specification.loader.exec_module(record)


class Labels(unittest.TestCase):
    def check(self, label, *names):
        for name in names:
            self.assertEqual(record.label_of_indigo3(name), label, name)

    def test_names_of_indigo3_state_their_bugs(self):
        self.check(record.RACY, "BFS_CUDA_E_Data_IntType_ReadWrite_Persist_RaceBug_NoBoundsBug_Determ_NoFieldBug",
                   "TC_CUDA_V_Block_Persist_Reduction_IntType_RaceBug_NoSyncBug", "PR_CUDA_Pull_FloatType_NoRaceBug_SyncBug_Determ")
        self.check(record.OTHER, "CC_CUDA_E_Topo_Determ_IntType_RaceBug_BoundsBug", "CC_CUDA_E_Topo_Determ_IntType_Atomic_FieldBug")
        self.check(record.RIGHT, "CC_CUDA_E_Data_IntType_ReadWrite_Persist_Atomic_NoBoundsBug", "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug")

    def test_faulty_programs_are_told_from_their_right_neighbours(self):
        self.check(record.FAULTY, "CC_CUDA_V_Data_Pull_Determ_IntType_Persist_CudaAtomic_Block_NoFieldBug",
                   "SSSP_CUDA_E_Data_IntType_ReadWrite_Persist_Atomic_NoBoundsBug", "TC_CUDA_E_Warp_NonPersist_Reduction_IntType_Atomic_NoSyncBug")
        self.check(record.FAULTY, "CC_CUDA_V_Data_Pull_Determ_IntType_Persist_CudaAtomic_Warp_NoFieldBug",
                   "MST_CUDA_V_Data_Atomic_IntType_Warp_Persist_NoBoundsBug",
                   "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug_Persist_Block_NonDeterm_GlobalAdd",
                   "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug_Persist_Block_Determ_BlockAdd",
                   "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug_Persist_Warp_Determ_Reduction",
                   "PR_CUDA_Push_FloatType_NoSyncBug_Persist_Warp_NoRaceBug_GlobalAdd")
        self.check(record.RIGHT, "CC_CUDA_V_Data_Pull_Determ_IntType_NonPersist_CudaAtomic_Block_NoFieldBug",
                   "CC_CUDA_V_Data_Pull_Determ_IntType_Persist_CudaAtomic_Thread_NoFieldBug",
                   "MST_CUDA_E_Data_Atomic_IntType_Persist_NoBoundsBug",
                   "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug_Persist_Block_Determ_Reduction",
                   "PR_CUDA_Pull_FloatType_NoRaceBug_NoSyncBug_Persist_Warp_Determ_GlobalAdd",
                   "PR_CUDA_Push_FloatType_NoSyncBug_Persist_Thread_NoRaceBug_BlockAdd", "BFS_CUDA_V_Data_Pull_Determ_IntType_Persist_Atomic_Block",
                   "SSSP_CUDA_E_Topo_Determ_IntType_Persist_Atomic_NoBoundsBug", "TC_CUDA_E_Warp_NonPersist_BlockAdd_IntType_Atomic_NoSyncBug")


class Rows(unittest.TestCase):
    def test_an_interrupted_run_goes_on(self):
        ran = []

        def run(program, label, given):
            ran.append((program.name, given))
            return {"program": program.name, "label": label, "input": pathlib.Path(given).stem, "found": ["race"]}

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "suite.rows"
            first, second = ((pathlib.Path(folder) / name, record.RACY, "graphs/small.egr") for name in ("first", "second"))
            self.assertEqual(record.row_of(first, {}, path, "abc", run)["program"], "first")
            with path.open("a", encoding="utf-8") as file:
                file.write('\n{"program": "seco')  # an entry whose writing was interrupted
            kept = record.kept_rows(path, "abc")
            rows = [record.row_of(job, kept, path, "abc", run) for job in (first, second)]
            self.assertEqual([row["program"] for row in rows], ["first", "second"])
            self.assertEqual(ran, [("first", "graphs/small.egr"), ("second", "graphs/small.egr")])
            self.assertEqual(record.kept_rows(path, "another commit"), {})


class Table(unittest.TestCase):
    def table(self, gpu, racecheck):
        def rows(label, *found):
            return [{"program": f"{label}{i}", "label": label, "found": kinds} | racecheck for i, kinds in enumerate(found)]

        labels = {record.RACY: rows(record.RACY, ["race"], ["race", "uninitialised"], []), record.RIGHT: rows(record.RIGHT, ["leak"], []),
                  record.FAULTY: rows(record.FAULTY, ["leak", "uninitialised"])}
        inputs = {"tree_4n": {label: record.summary_of(of) for label, of in labels.items()}}
        machine = {"method": "1 program at a time", "cpu": "CPU", "commit": "abc", "date": "2026-01-01"}
        return race_tables.indigo3({"Indigo3": {"suite": "Indigo3", "repository": "a/b", "repository_commit": "c", "seconds": None, "machine": machine,
                                                "gpu": gpu, "sanitizer": "1.2.3", "not_built": {}, "inputs": inputs}}).splitlines()[-1]

    def test_leaks_of_the_host_are_no_reports_about_a_kernel(self):
        self.assertEqual(self.table(None, {}), "| tree\\_4n | 3 | 2 | 0 of 2 | 1 of 1 |")

    def test_racecheck_stands_beside(self):
        self.assertEqual(self.table("GPU, 1.2", {"racecheck": 2}), "| tree\\_4n | 3 | 2 | 3 | 0 of 2 | 1 of 1 |")


if __name__ == "__main__":
    unittest.main()
