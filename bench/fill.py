"""Puts the tables of tables.py into the document. Each replaces the table of the same name.

Usage: fill.py TABLES DOCUMENT
Names tables that the document does not have, and tables of the document that were not measured. Both are left as they
are.
"""
import re
import sys

from common import say

BLOCK = re.compile(r"<!-- begin: ([\w-]+) -->\n.*?<!-- end: \1 -->\n", re.DOTALL)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: fill.py TABLES DOCUMENT")
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = {match[1]: match[0] for match in BLOCK.finditer(file.read())}
    with open(sys.argv[2], encoding="utf-8") as file:
        document = file.read()
    places = [match[1] for match in BLOCK.finditer(document)]
    for name in measured:
        if name not in places:
            say(f"fill.py: {sys.argv[2]} has no place for {name}")
    for name in places:
        if name not in measured:
            say(f"fill.py: {name} was not measured; left as it was")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(BLOCK.sub(lambda match: measured.get(match[1], match[0]), document))


main()
