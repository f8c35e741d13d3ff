#!/usr/bin/env python3
"""The table of engines and laws in docs/engine-faults.md, from reports of `skincheck laws --exec … --format json`.

    table.py PAGE REPORT.json…      fails if the page has another table
    table.py --update PAGE REPORT.json…
"""
import difflib
import json
import sys

START, END = "<!-- engines: made by integrations/engines/test -->\n", "<!-- end -->\n"


def verdict(laws):
    if any(law["holds"] is False for law in laws):
        return "broken"
    if any(law["holds"] for law in laws):
        return "held"
    return "unsupported" if any(law["unsupported"] for law in laws) else "not tested"


def table(reports):
    engines = [report["engine"] for report in reports]
    lines = [["law", *engines], ["---"] * (len(engines) + 1)]
    laws = [[law for model in report["models"] for law in model["laws"]] for report in reports]
    names = list(dict.fromkeys((law["subject"], law["law"]) for law in laws[0]))
    for subject, name in names:
        of = lambda all: [law for law in all if (law["subject"], law["law"]) == (subject, name)]
        lines.append([f"`{name}` ({subject})", *(verdict(of(all)) for all in laws)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


update = sys.argv[1] == "--update"
page, *paths = sys.argv[2 if update else 1 :]
text = open(page, encoding="utf-8").read()
before, rest = text.split(START)
old, after = rest.split(END)
new = table([json.load(open(path, encoding="utf-8")) for path in paths])
if update:
    open(page, "w", encoding="utf-8").write(before + START + new + END + after)
elif old != new:
    sys.stderr.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), page, "this run"))
    sys.exit(f"{page}: the table of engines is not that of this run; UPDATE=1 writes it")
