"""The text of `--help` as a page."""

import html
import re


def page(text):
    """Its paragraphs, with a list in place of each block of arguments."""
    page = ""
    for block in re.split(r"\n(?=\S)", text):
        heading, _, items = block.partition("\n")
        if heading.startswith("Usage: "):
            page += f"```text\n{block.removeprefix('Usage: ').rstrip()}\n```\n\n"
        elif heading.endswith(":") and re.search(r"^ {2,6}(-|<|\[)", items, re.MULTILINE):
            page += f"## {heading[:-1]}\n\n{definitions(items)}\n"
        elif heading.endswith(":") and items:
            page += f"## {heading[:-1]}\n\n```text\n" + re.sub("^  ", "", items, flags=re.MULTILINE).rstrip() + "\n```\n\n"
        else:
            page += f"{escaped(block).strip()}\n\n"
    return page


def definitions(items):
    entries = ""
    for item in re.split(r"\n(?= {2,6}\S)", items):
        # A short help has term and text in one line.
        term, _, about = re.sub(r"(\S) {2,}(?=\S)", r"\1\n", item.strip(), count=1).partition("\n")
        paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", about))
        about = "".join(f"<p>{escaped(paragraph)}</p>" for paragraph in paragraphs if paragraph)
        entries += f"<dt><code>{escaped(term)}</code></dt><dd>{about}</dd>\n"
    return f"<dl>\n{entries}</dl>\n"


def escaped(text):
    return html.escape(text, quote=False)
