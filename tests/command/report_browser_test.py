"""Tests lab report and explain --html in headless Chromium: on a telephone, a tablet and a screen, light and dark, and on paper. Skipped,
with the reason, without Chromium, chromedriver or Selenium; scripts/packages.sh --test installs them.

With WARPWISE_SCREENSHOTS=FOLDER the test leaves a picture of each page in that folder."""

import base64
import os
import pathlib
import shutil
import sys
import unittest

from lab_support import LabTest
from support import SANITIZED, runs_rungs

# Debian's selenium is in Debian's own Python folder, but other Pythons can use it too.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

WIDTHS = [360, 768, 1280]
SCHEMES = ["light", "dark"]

# Finds elements that are wider than the window, except those inside an element that scrolls.
TOO_WIDE = """
const width = document.documentElement.clientWidth;
return [...document.body.querySelectorAll('*')].filter(each => {
  if (each.closest('.scroll, .source') && !each.matches('.scroll, .source')) return false;
  const box = each.getBoundingClientRect();
  return box.width > 0 && (box.right > width + 0.5 || box.left < -0.5);
}).map(each => each.tagName + '.' + each.getAttribute('class') + ': ' + each.textContent.slice(0, 40));
"""
# Finds rows whose name and figure overlap.
COLLISIONS = """
return [...document.querySelectorAll('.room-dots svg.chart')].flatMap(chart => {
  const figures = [...chart.querySelectorAll('text.end')].map(each => each.getBoundingClientRect());
  return [...chart.querySelectorAll('text.name')].filter(each => {
    const box = each.getBoundingClientRect();
    return figures.some(other => Math.abs(other.top - box.top) < 4 && other.left < box.right && other.width > 0);
  }).map(each => each.textContent);
});
"""
PICTURES = """
return [...document.querySelectorAll('svg.chart')].map(each => {
  const box = each.getBoundingClientRect();
  return [box.width, box.height, each.querySelectorAll('path, rect').length, each.getAttribute('aria-label')];
});
"""
HEADINGS = "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(each => +each.tagName[1]);"
TABLES = """
return [...document.querySelectorAll('table')].filter(each =>
  !each.caption || !each.tHead || [...each.tHead.rows[0].cells].some(cell => cell.tagName != 'TH' || cell.scope != 'col') ||
  [...each.tBodies[0].rows].some(row => row.cells[0].scope != 'row' || row.cells.length != each.tHead.rows[0].cells.length)
).map(each => each.textContent.slice(0, 60));
"""
# Computes the contrast of each text with its background. WCAG asks for a ratio of 4.5.
CONTRASTS = """
const light = colour => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = each => {
  for (; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if (!/, 0\\)$|transparent/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
};
return [...document.querySelectorAll('p, li, td, th, :not(svg) > a, summary, caption, h1, h2, h3, svg.chart text, .source')].map(each => {
  const style = getComputedStyle(each);
  const [a, b] = [light(each.closest('svg') ? style.fill : style.color), light(behind(each.closest('svg') || each))];
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), each.tagName + ': ' + each.textContent.slice(0, 40)];
}).filter(each => each[0] < 4.5).slice(0, 5);
"""


def why_no_browser():
    if SANITIZED:
        return "a page is the same under a sanitizer, and command.report makes it there"
    if webdriver is None:
        return "there is no Selenium here; the Debian package is python3-selenium"
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"there is no {program} here; the Debian packages are chromium and chromium-driver"
    return ""


class InABrowser:
    """Tests that run on every page. NAME is the name of its screenshots, PICTURES the least number of its pictures."""

    LANGUAGE = "en"

    def setUp(self):
        super().setUp()
        self.make_page()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        # The browser must not reach the network, even with its own services. As root it has no sandbox.
        for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={os.getcwd()}/profile"):
            options.add_argument(each)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.addCleanup(self.browser.quit)

    def show(self, width, scheme):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 700})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get(pathlib.Path("page.html").resolve().as_uri())

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def open_all(self):
        self.run_script("document.querySelectorAll('details').forEach(each => each.open = true)")

    def keep_picture(self, name):
        folder = os.environ.get("WARPWISE_SCREENSHOTS")
        if folder:
            size = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            # Chromium's screenshots are at most 16000 pixels high.
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
            shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
            pathlib.Path(folder, name + ".png").write_bytes(base64.b64decode(shot["data"]))

    def test_each_width_and_scheme(self):
        for width in WIDTHS:
            for scheme in SCHEMES:
                with self.subTest(f"{width} px, {scheme}"):
                    self.show(width, scheme)
                    self.keep_picture(f"{self.NAME}-{width}-{scheme}")
                    self.assertEqual(self.browser.get_log("browser"), [], "the console has nothing to say")
                    self.assertEqual(self.run_script("return innerWidth"), width)
                    for opened in (False, True):
                        if opened:
                            self.open_all()
                        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.run_script(TOO_WIDE), [])
                    self.assertEqual(self.run_script(COLLISIONS), [])
                    pictures = self.run_script(PICTURES)
                    self.assertGreaterEqual(len(pictures), self.PICTURES)
                    for shown_width, height, marks, said in pictures:
                        self.assertGreater(shown_width, 180, said)
                        self.assertGreater(height, 15, said)
                        self.assertGreater(marks, 0, said)
                        self.assertTrue(said)
                    self.assertEqual(self.run_script(CONTRASTS), [])

    def test_the_page_is_of_the_scheme(self):
        shown = []
        for scheme in SCHEMES:
            self.show(768, scheme)
            shown.append(self.run_script("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(shown, ["rgb(255, 255, 255)", "rgb(13, 17, 23)"])

    def test_headings_and_tables(self):
        self.show(768, "light")
        levels = self.run_script(HEADINGS)
        self.assertEqual((levels[0], levels.count(1)), (1, 1))
        for before, level in zip(levels, levels[1:]):
            self.assertLessEqual(level, before + 1, "no level is left out")
        self.assertEqual(self.run_script(TABLES), [])
        self.assertEqual(self.run_script("return [document.documentElement.lang, !!document.title]"), [self.LANGUAGE, True])

    def test_on_paper(self):
        self.show(1280, "dark")
        printed = self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": False, "preferCSSPageSize": True})
        pdf = base64.b64decode(printed["data"])
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(self.run_script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        folder = os.environ.get("WARPWISE_SCREENSHOTS")
        if folder:
            pathlib.Path(folder, self.NAME + ".pdf").write_bytes(pdf)


@unittest.skipIf(why_no_browser(), why_no_browser())
class Report(InABrowser, LabTest):
    NAME = "report"
    PICTURES = 80

    def make_page(self):
        self.succeed("lab", "report", "--out", "page.html")

    def test_links_lead_somewhere(self):
        self.show(360, "light")
        wrong = self.run_script("""return [...document.querySelectorAll('a[href^="#"]')].filter(each =>
            !document.getElementById(each.getAttribute('href').slice(1))).map(each => each.outerHTML);""")
        self.assertEqual(wrong, [])
        # A click on the link to a step's source opens the source.
        link = self.run_script("""const link = document.querySelector('a[href^="#source-"]');
            link.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
            return link.getAttribute('href').baseVal || link.getAttribute('href');""")
        opened = self.run_script("""const target = document.getElementById(arguments[0].slice(1));
            const box = target.getBoundingClientRect();
            return [target.closest('details').open, box.top >= -1 && box.top < innerHeight];""", link)
        self.assertEqual(opened, [True, True])

    def test_points_have_names_for_the_keyboard(self):
        self.show(360, "light")
        points = self.run_script("""return [...document.querySelectorAll('.point')].map(each => {
            const label = each.querySelector('.label');
            const before = getComputedStyle(label).opacity;
            each.focus();
            const box = label.getBoundingClientRect();
            return [document.activeElement === each, before, getComputedStyle(label).opacity, each.getAttribute('aria-label'),
                    box.left >= 0 && box.right <= innerWidth];
        });""")
        self.assertGreater(len(points), 90)
        for focused, before, after, said, inside in points:
            with self.subTest(said):
                self.assertEqual((focused, before, after, inside), (True, "0", "1", True))


@unittest.skipIf(why_no_browser(), why_no_browser())
class InKorean(InABrowser, LabTest):
    NAME = "report-ko"
    PICTURES = 80
    LANGUAGE = "ko"

    def make_page(self):
        self.succeed("lab", "report", "--lang", "ko", "--out", "page.html")


@unittest.skipIf(why_no_browser(), why_no_browser())
class Kernel(InABrowser, LabTest):
    NAME = "kernel"
    PICTURES = 1

    @runs_rungs
    def make_page(self):
        self.succeed("explain", "gemv/thread_per_row", "--cc", "1.3,9.0", "--html", "page.html")


if __name__ == "__main__":
    unittest.main()
