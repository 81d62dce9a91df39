"""Tests lab report: the page of the recorded results has every ladder and study, loads nothing, and has no dead links.
Also tests other folders, and refused calls. report_browser_test.py shows the page in a browser."""

import collections
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.parse

from lab_support import EMULATOR, FAILED, LabTest, USAGE
from page_support import PageTest
from support import SAMPLES, WARPWISE, runs_rungs, write

ROOT = pathlib.Path(SAMPLES).parent
RESULTS = ROOT / "results/nvidia-h200"
RECORDS = {path: json.loads(path.read_text(encoding="utf-8"))
           for kind in ("ladders", "studies") for path in sorted((ROOT / "results").glob(f"*/{kind}/*.json"))}
LINES = json.loads((ROOT / "results/lines.json").read_text(encoding="utf-8"))
PREDICTIONS = json.loads((ROOT / "results/predictions.json").read_text(encoding="utf-8"))


class Report(PageTest, LabTest):
    recorded = {}  # the parts of the page of the recorded results, which no test changes

    def page(self, *arguments):
        if arguments in self.recorded:
            return self.recorded[arguments]
        self.succeed("lab", "report", "--out", "page.html", *arguments)
        page = self.checked_page("page.html")
        if "--records" not in arguments:
            self.recorded[arguments] = page
        return page


class OfTheRecordedResults(Report):
    def test_every_ladder_and_study_is_there(self):
        page, text = self.page()
        headings = " ".join(page.texts["h2"])
        self.assertGreater(len(RECORDS), 50)
        for path, record in RECORDS.items():
            kind = "ladder" if "ladder" in record else "study"
            with self.subTest(path.name):
                self.assertRegex(headings, rf"\b{record[kind]}\b")
                self.assertIn(f"{kind}-{record[kind]}", page.ids)
                self.assertIn(f"From {path.name}: ", text)
                self.assertIn(record["machine"]["commit"], text)
                for row in record["results"]:
                    self.assertIn(row["rung"], text)

    def test_speed_ups_are_those_of_the_records(self):
        """Computes the numbers on the front page from the records again."""
        page, _ = self.page()
        for name in ("sobel", "match", "threshold", "gemv", "copy", "convert"):
            rows = [row for row in RECORDS[RESULTS / f"ladders/{name}-ladder.json"]["results"] if "cold" in row]
            steps = [row for row in rows if (row["size"], row["parameters"]) == (rows[0]["size"], rows[0]["parameters"])]
            gained = steps[0]["cold"]["median_us"] / steps[-1]["cold"]["median_us"]
            step = max((row for row in steps if "step_before" in row), key=lambda row: row["speedup_over_step_before"])
            card = next(text for text in page.texts["article"] if text.startswith(name))
            with self.subTest(name):
                said = float(re.search(r"×([\d.]+)over its first rung", card)[1])
                self.assertAlmostEqual(said / gained, 1, delta=0.006)
                self.assertIn(f"{steps[0]['rung']} takes ", card)
                self.assertIn(f"The largest gain is that of {step['rung']}, ", card)

    def test_a_roof_that_is_no_copy_is_named(self):
        page, _ = self.page()
        named = [text for text in page.texts["article"] if "Its roof is not the GPU's copy" in text]
        roofs = {re.match("disparity|find|gemv|match|", text)[0]: text for text in named}
        self.assertEqual(sorted(roofs), ["disparity", "find", "gemv", "match"])
        self.assertTrue(all(("reading" if name == "gemv" else "absolute differences") in text for name, text in roofs.items()))

    def test_the_branches_of_a_ladder_are_apart(self):
        _, text = self.page()
        section = text.partition('<section id="ladder-match">')[2].partition("</section>")[0]
        for branch in ["block_per_thread to shipped", "ssd_candidate_per_thread to ssd_shipped",
                       "ncc_candidate_per_thread to ncc_shipped"]:
            self.assertEqual(section.count(f">{branch}</text>"), 2, "above both pictures")
        section = text.partition('<section id="ladder-convert">')[2].partition("</section>")[0]
        self.assertNotIn(" to shipped</text>", section, "one branch needs no heading")

    def test_the_documents_best_that_is_no_longer(self):
        _, text = self.page()
        rows = [row for row in RECORDS[RESULTS / "ladders/sobel-ladder.json"]["results"]
                if "document_speedup_over_first" in row]
        then = max(rows, key=lambda row: row["document_speedup_over_first"])["rung"]
        now = max(rows, key=lambda row: row["speedup_over_first"])["rung"]
        self.assertNotEqual(then, now)
        self.assertRegex(text, rf"<li>sobel: {then} was the best rung .* now it is {now} ")

    def test_every_picture_has_its_table_and_its_figures_to_save(self):
        _, text = self.page()
        predicted = {each["study"] for each in PREDICTIONS["experiments"]}
        gpus = {path.parents[1] for path in RECORDS}
        self.assertEqual(text.count("<figure>"), len(RECORDS) + len(gpus) + len(predicted) + 1,
                         "one for each record, the roofs' of each GPU, the predictions of each study and those of the documents")
        for figure in text.split("<figure>")[1:]:
            self.assertIn("<svg class=\"chart\"", figure.partition("</figure>")[0])
            self.assertRegex(figure.partition("</figure>")[2], r"^<details><summary>.*?<table>.*?download=\"[^\"]+\.csv\"")
        saved = dict(re.findall(r"<a download=\"([^\"]+)\" href=\"data:text/csv;charset=utf-8,([^\"]*)\"", text))
        # The page's figures are the same as in the CSV file of `lab plot`.
        for name in ("banks-table1.csv", "latency-additions.csv"):
            shown = urllib.parse.unquote(saved[name]).splitlines()
            kept = (RESULTS / "studies" / name).read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(shown), len(kept))
            self.assertEqual(shown[1].split(",")[-3:], kept[1].rstrip(",").split(",")[-3:])

    def test_predictions_stand_beside_what_was_measured(self):
        page, text = self.page()
        section = text.partition('<section id="predictions">')[2].partition("</section>")[0]
        panels = re.split(r"<h3>", section)[1:]
        of_documents = panels.pop()
        by_study = {panel.partition("<")[0]: panel for panel in panels}
        studies = collections.defaultdict(list)
        for each in PREDICTIONS["experiments"]:
            studies[each["study"]].append(each)
        self.assertEqual(set(by_study), set(studies))
        for study, experiments in studies.items():
            with self.subTest(study):
                panel = by_study[study]
                rows = [row for each in experiments for row in each["rows"]]
                picture, _, misses = panel.partition("</figure>")[0].partition('<p class="note">')
                self.assertEqual(len(re.findall(r'<path class="m s\d" d="[^"]*"><title>', picture)), len(rows), "each is a point")
                self.assertEqual(panel.count("<th scope=\"row\">"), len(rows), "and a row")
                for each in experiments:
                    correlation = each["rank_correlation"]
                    said = f"{each['points']} points, " + (f"rank correlation {correlation:.2f}, " if correlation else "")
                    self.assertIn(f"{each['experiment'] or 'whole study'}: {said}median error ", panel)
                far = {row["rung"] for row in rows if not 0.5 <= row["predicted_us"] / row["measured_us"] <= 2}
                for rung in {row["rung"] for row in rows}:
                    named = re.search(rf"[:,] {rung} [\d.]+ \(", misses)
                    self.assertEqual(named is not None, rung in far, rung)
        for each in PREDICTIONS["documents"]:
            for row in each["rows"]:
                self.assertIn(f"<th scope=\"row\">{row['rung']}</th>", of_documents)
        front = " ".join(page.texts["p"])
        self.assertIn(f"all {PREDICTIONS['all']['points']} recorded times, the rank correlation is "
                      f"{PREDICTIONS['all']['rank_correlation']:.2f} (1: the same order), and the median error is "
                      f"{100 * PREDICTIONS['all']['median_error']:.0f} %", front)

    def test_rows_of_the_documents_are_told_as_the_list_of_them_has_it(self):
        page, _ = self.page()
        said = dict(re.findall(r"^\| ([A-E]\d+) \| (.*?) \|$", (ROOT / "docs/sources.md").read_text(encoding="utf-8"), re.M))
        self.assertGreater(len(said), 20)
        shown = set(re.findall(r"^([A-E]\d+: .*)$", "\n".join(page.texts["li"]), re.M))
        self.assertGreater(len(shown), 12)
        for each in shown:
            row, _, about = each.partition(": ")
            self.assertEqual(about, said[row])

    def test_each_step_leads_to_its_source(self):
        page, text = self.page()
        ladders = self.ladders()
        for ladder in ladders:
            for rung in ladder["rungs"]:
                with self.subTest(f"{ladder['ladder']}/{rung['name']}"):
                    link = re.search(rf"<th scope=\"row\"><a href=\"#(source-{ladder['ladder']}-[^\"]*)\">{rung['name']}<", text)
                    self.assertIsNotNone(link)
                    self.assertIn(link[1], page.ids)
        source = (ROOT / "warpwise/primitives/sobel/ladder/01_global.cu").read_text(encoding="utf-8")
        shown = text.partition('<div id="source-sobel-global-plain">')[2].partition("</pre>")[0].partition("<code>")[2]
        # Takes the source from the page, without the margin and the traffic below its lines.
        shown = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<(i|em)( [^>]*)?>.*?</\1>", "", shown)))
        self.assertEqual(shown.rstrip("\n"), source.rstrip("\n"))

    def test_counts_stand_beside_the_lines_that_were_counted(self):
        _, text = self.page()
        self.assertNotIn("another version", text, "scripts/record-lines.py has to run again")
        timed = {(record.get("ladder") or record["study"], row["rung"]) for record in RECORDS.values()
                 for row in record["results"] if "on_cpu" not in row}
        counted = {(each["study"], each["rung"]): each for each in LINES["line_counts"]}
        self.assertEqual(timed - set(counted), set())
        for (study, rung), each in counted.items():
            with self.subTest(f"{study}/{rung}"):
                name = f"source-{study}-{rung}".replace("_", "-")
                shown = text.partition(f'<div id="{name}">')[2].partition("</div></details>")[0]
                every = sum(launch["warp_instructions"] for launch in each["launches"])
                lines = collections.Counter()
                for launch in each["launches"]:
                    for line in launch["lines"]:
                        if "file" in line and "line" in line:
                            lines[line["file"], line["line"]] += line.get("warp_instructions", 0)
                shares = collections.Counter(re.findall(r"%\">([\d.]+) %</i>", shown))
                self.assertEqual(sum(shares.values()), len(lines))
                for said, times in collections.Counter(f"{100 * value / every:.1f}" for value in lines.values()).items():
                    # A value midway between two roundings may have been rounded up or down.
                    self.assertAlmostEqual(shares[said], times, delta=1, msg=said)

    @runs_rungs
    def test_counts_are_those_that_explain_has_now(self):
        for name in ("gemv/thread_per_row", "copy/scalar", "banks/conflict"):
            study, _, rung = name.partition("/")
            kept = next(each for each in LINES["line_counts"] if (each["study"], each["rung"]) == (study, rung))
            said = json.loads(self.succeed("explain", name, "--cc", kept["compute_capability"], "--json").stdout)
            if not said["compiler"].startswith(kept["compiler"] + " "):
                self.skipTest(f"the counts are of {kept['compiler']}, and here is {said['compiler']}")
            now = {line["line"]: line for line in said["launches"][0]["lines"]}
            for line in kept["launches"][0]["lines"]:
                with self.subTest(f"{name}, line {line['line']}"):
                    self.assertEqual(line["warp_instructions"], now[line["line"]]["warp_instructions"])
                    for kind, counts in line.get("by_cc", {}).get("9.0", {}).items():
                        self.assertEqual(counts["requests"], now[line["line"]]["by_cc"]["9.0"][kind]["requests"])


class InKorean(Report):
    def test_it_is_the_same_page_without_a_sentence_in_english(self):
        english, _ = self.page()
        korean, text = self.page("--lang", "ko")
        self.assertTrue(text.startswith('<!DOCTYPE html>\n<html lang="ko">'))
        # The widths of cells may differ between the languages.
        outlines = [[[part for part in each if part != "long"] for each in page.outline] for page in (korean, english)]
        self.assertEqual(*outlines)
        self.assertEqual(len(korean.said), len(english.said))
        # Some texts are not translated: names of programs and of timed calls, but no sentences.
        timed = {row[name] for path in ROOT.glob("results/*/gpu_bench/*.json")
                 for row in json.loads(path.read_text(encoding="utf-8"))["rows"] for name in ("variant", "implementation")}
        said = [each.replace("warpwise lab report", "") for each in korean.said if each not in timed]
        self.assertEqual([each for each in said if re.search(r"(\b[A-Za-z][a-z']+,? ){2,}[a-z]+\b", each)], [])
        texts = {text for record in RECORDS.values() for text in (record.get("title"), record["method"])}
        texts |= {row.get(key) for record in RECORDS.values() for row in record["results"] for key in ("idea", "skipped")}
        tables = json.loads(self.succeed("lab", "list", "--json").stdout)
        texts |= {table["about"] for kind in tables.values() for table in kind}
        self.assertGreater(len(texts), 150)
        self.assertEqual({each for each in korean.said if each in texts}, set())
        figures = [pair for pair in zip(english.texts["td"], korean.texts["td"]) if re.fullmatch(r"[\d.×% µms]+", pair[0])]
        self.assertGreater(len(figures), 5000)
        self.assertEqual([pair for pair in figures if pair[0] != pair[1]], [])

    def test_the_korean_beside_a_table_is_that_of_its_texts(self):
        def texts_of(value):
            if isinstance(value, dict):
                return {*value, *(text for each in value.values() for text in texts_of(each))}
            if isinstance(value, list):
                return {" ".join(filter(lambda each: isinstance(each, str), value)),
                        *(text for each in value for text in texts_of(each))}
            return {value}

        found = sorted([*ROOT.glob("warpwise/primitives/*/ladder/ko.json"), *ROOT.glob("warpwise/studies/*/ko.json")])
        self.assertGreater(len(found), 15)
        for path in found:
            [table] = [each for each in path.parent.glob("*.json") if each.name in ("ladder.json", "study.json")]
            korean = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(set(korean) - texts_of(json.loads(table.read_text(encoding="utf-8"))), set(), path)

    def test_another_language_is_refused(self):
        self.refuse("report", "--lang", "fr", says="--lang got 'fr', it needs one of en, ko")


class OfOtherFolders(Report):
    @runs_rungs
    def test_counts_without_times(self):
        self.succeed("lab", "run", "copy", *EMULATOR, "--size", "64x8", "--out", "mine/below")
        page, text = self.page("--records", "mine")
        self.assertIn("ladder-copy", page.ids)
        self.assertIn("warp instructions", text)
        self.assertEqual(page.texts["article"], [])

    def test_one_record_and_files_that_are_none(self):
        shutil.copytree(RESULTS / "gpu_bench", "mine")
        shutil.copy(RESULTS / "studies/banks-table1.json", "mine")
        write("mine/settings.json", b'{"colour": "red"}')
        write("mine/notes.txt", b"not JSON")
        page, _ = self.page("--records", "mine")
        self.assertEqual(page.texts["h2"][:2], ["Findings", "The study banks"])
        self.assertIn("libraries", page.ids)

    def test_sources_that_cannot_be_read_are_left_out(self):
        os.makedirs("installed/bin")
        shutil.copy(WARPWISE, "installed/bin")
        shutil.copytree(pathlib.Path(WARPWISE).parent.parent / "lib", "installed/lib", symlinks=True)
        os.makedirs("mine")
        shutil.copy(RESULTS / "ladders/copy-ladder.json", "mine")
        for folder in ("installed", "installed/share/warpwise/sources/warpwise"):
            os.makedirs(folder, exist_ok=True)
            done = subprocess.run(["installed/bin/warpwise", "lab", "report", "--records", "mine", "--out", "page.html"],
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            page, _ = self.checked_page("page.html")
            self.assertIn("ladder-copy", page.ids)

    def test_markup_in_a_record_is_text(self):
        record = json.loads((RESULTS / "studies/banks-table1.json").read_text(encoding="utf-8"))
        evil = "<img src=x onerror=alert(1)>\"'&\u0007"
        for row in record["results"]:
            row["rung"] += evil
            row["idea"] = evil
        record.update(study=evil, title=evil, method=evil, document_device=evil)
        record["machine"].update(gpu=evil, commit=evil, **{evil: evil})
        write("mine.json", json.dumps(record).encode())
        page, text = self.page("--records", ".")
        self.assertNotIn("<img", text)
        self.assertIn(evil.replace("\u0007", "\ufffd"), " ".join(page.texts["h3"]))

    def test_refusals_leave_nothing_behind(self):
        record = (RESULTS / "ladders/copy-ladder.json").read_bytes()
        cases = [(b"{", "is no JSON"), (record[:1000], "is no JSON"), (b'{"ladder": "copy"}', 'has no "machine"'),
                 (record.replace(b'"median_us": ', b'"median_us": "', 1).replace(b', "p5_us"', b'", "p5_us"', 1),
                  "median_us has to be a number"),
                 (b'{"rows": [1], "roof_gb_per_s": 1, "machine": {}, "method": ""}', "rows[0] has to be an object"),
                 (b'{"commit": "a", "line_counts": [{"study": 3}]}', "study has to be a text"),
                 (b'{"commit": "a", "all": {}, "experiments": [], "documents": []}', 'has no "points"')]
        pathlib.Path("mine/deep").mkdir(parents=True)
        for content, says in cases:
            with self.subTest(says):
                write("mine/deep/wrong.json", content)
                said = self.refuse("report", "--records", "mine", "--out", "no.html", says=says)
                self.assertIn("mine/deep/wrong.json", said)

    def test_a_folder_without_records(self):
        pathlib.Path("empty").mkdir()
        self.refuse("report", "--records", "empty", says="hold no record")
        self.refuse("report", "--records", "nowhere", says="cannot read the folder nowhere", code=FAILED)
        self.refuse("report", "--records", "empty", "--out", "no/where.html", says="empty")


if __name__ == "__main__":
    unittest.main()
