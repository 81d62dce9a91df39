"""Helpers that the tests of HTML pages share. They check that a page is complete and loads nothing from elsewhere."""

import collections
import html.parser
import unittest

from support import read


class Page(html.parser.HTMLParser):
    """Collects a page's ids, addresses, texts of elements, the text outside of sources, and the elements in their
    order. Checks that each element is closed where HTML requires it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.addresses, self.wrong, self.outline, self.said = [], [], [], [], [], []
        self.parts = collections.defaultdict(list)
        self.feed(text)
        self.close()
        self.texts = collections.defaultdict(list, {tag: ["".join(each) for each in elements] for tag, elements in self.parts.items()})

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.outline.append((tag, *[value for name, value in attributes if name in ("id", "class")]))
        self.parts[tag].append([])
        self.attributes(attributes)

    def handle_startendtag(self, tag, attributes):
        self.attributes(attributes)

    def attributes(self, attributes):
        for name, value in attributes:
            if name == "aria-label":
                self.said.append(value)
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "srcset", "action", "data", "poster"):
                self.addresses.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        for tag in self.open:
            self.parts[tag][-1].append(data)
        if not {"pre", "style"} & set(self.open):
            self.said.append(data)


class PageTest(unittest.TestCase):
    def checked_page(self, name):
        """Checks a page, and returns its parts and its text."""
        text = read(name).decode()
        page = Page(text)
        self.assertEqual((page.wrong, page.open), ([], []), "elements are closed in their order")
        self.assertEqual(len(page.ids), len(set(page.ids)), "ids are unique")
        ids = set(page.ids)
        for address in page.addresses:
            self.assertRegex(address, "^(#|data:)", "nothing comes from outside")
            if address.startswith("#"):
                self.assertIn(address[1:], ids)
        self.assertNotRegex(text, r"<script|@import|url\(|https?://[^\s<]*[\"')]", "nothing comes from outside")
        self.assertNotRegex(text, r"\b(nan|inf)\b%?\"", "every place of a picture is a number")
        return page, text
