"""Sphinx's settings for scripts/site.sh, which makes one site with a search of all pages, without moving them."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

project, author = "Warpwise", "the Warpwise project"
extensions = ["myst_parser"]
root_doc = "README"
html_theme = "furo"
html_title = project
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
myst_heading_anchors = 6  # headings have GitHub's anchors
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]

PAGES = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
include_patterns = PAGES
exclude_patterns = ["build", ".git", ".cache"]

LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
FURTHER = {"Primitives and their ladders": r"warpwise/(primitives|algorithms)/.*", "Studies": r"warpwise/studies/.*",
           "Exercises": r"warpwise/exercises/.*", "Decisions": r"docs/decisions/.*"}


def toctree(caption, pages):
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def contents():
    """Returns the menu: the sections of docs/README.md, then groups of further pages, then the Korean pages."""
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    shown, menu = {"docs/README.md"}, toctree("All pages", ["docs/README"])
    for section in text.split("\n## ")[1:]:
        targets = [(ROOT / "docs" / match[2]).resolve().relative_to(ROOT).as_posix() for match in LINK.finditer(section)]
        targets = [each if each.endswith(".md") else f"{each}/README.md" for each in targets]
        targets = [each for each in dict.fromkeys(targets) if each in PAGES and each not in shown and "/ko/" not in each]
        shown.update(targets)
        menu += toctree(section.partition(":")[0].partition("\n")[0], [each.removesuffix(".md") for each in targets])
    for caption, pattern in FURTHER.items():
        pages = [each for each in PAGES if re.fullmatch(pattern, each) and each not in shown]
        menu += toctree(caption, [each.removesuffix(".md") for each in pages])
    return menu + toctree("한국어", ["README.ko", *(each.removesuffix(".md") for each in PAGES if each.startswith("docs/ko/"))])


def adapt(_, page, source):
    """Replaces a link to a folder by one to its README.md, or by plain text. Adds the menu to the first page."""
    folder = (ROOT / page).parent

    def link(match):
        target = folder / match[2]
        if not target.is_dir():
            return match[0]
        return f"[{match[1]}]({match[2].rstrip('/')}/README.md{match[3] or ''})" if (target / "README.md").is_file() else match[1]
    source[0] = LINK.sub(link, source[0])
    if page == root_doc:
        source[0] += contents()


def setup(app):
    app.connect("source-read", adapt)
