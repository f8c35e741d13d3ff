"""Builds the documentation site: build.py SKINCHECK FOLDER.

The pages are docs/*.md, in the order of SUMMARY.md, and docs/rules/*.md, each with what skincheck says about the rule's fixture and its
image. From `--help` it makes a page for each command, and from commands on fixtures the samples of JSON.
"""

import concurrent.futures
import html
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import helptext
import schemas

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FIXTURES = ROOT / "fixtures"
PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]

# Pages of the repository that are pages of the site under other names.
OUTSIDE = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "vulnerabilities.md",
    "CHANGELOG.md": "changelog.md",
}

# What a rule needs that has a fixture and is silent without a configuration.
CONFIGURATIONS = {
    "B210": "[size]\nheight = [2, 3]\n",
    "C522": '[clips]\nloops = ["Be*"]\n',
    "C526": '[clips]\nin-place = ["Bend"]\n',
    "C527": '[joints]\nfeet = ["shoulder"]\n',
    "G820": "[rules.G820]\ntriangles = 50\n",
    "H308": "[rules.H308]\nmax_joints = 3\n",
    "H311": '[joints]\nrequired = ["wrist", "should*"]\n',
    "H313": "[rules.H313]\nlevels = 4\n",
    "W106": "[rules.W106]\nmax_influences = 2\n",
}

# The skeleton that `H318` compares with, in `arm.toml`.
CONFIGURATIONS["H318"] = 'skeleton = "arm.toml"\n'
SKELETON = 'joints = """\nshoulder\n  elbow\n    wrist\n      palm\n"""\n'

# Documents of JSON, with the command whose output is the sample.
SAMPLES = {
    "inspect": "inspect two_triangles.gltf --json",
    "bake": "bake two_triangles.gltf --pose rest -o -",
    "check": "check rules/W103.gltf --no-config --no-cache --format json",
    "diff": "diff rules/clean.gltf rules/bent.gltf --format json",
    "laws": "laws two_triangles.gltf --cases 5 --format json",
}


class Site:
    def __init__(self, skincheck, folder):
        self.skincheck = skincheck
        self.source = folder / "src"
        shutil.rmtree(folder, ignore_errors=True)
        (self.source / "rules").mkdir(parents=True)
        (self.source / "commands").mkdir()
        self.rules = []

    def run(self, words, cwd=FIXTURES, may_fail=False):
        environment = {**os.environ, "SKINCHECK_NO_CACHE": "1", "NO_COLOR": "1"}
        done = subprocess.run([self.skincheck, *words], cwd=cwd, env=environment, capture_output=True, text=True)
        if done.returncode not in (0, 1) and not may_fail:
            raise SystemExit(f"skincheck {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def write(self, name, text):
        path = self.source / name
        path.write_text(self.linked(text, name))

    def linked(self, text, name):
        """The text with links that hold in the site. `name` is the page's; links are written as in docs/."""

        def target(match):
            before, link, after = match.groups()
            path, _, fragment = link.partition("#")
            if re.match(r"[a-z]+:", link) or not path and not fragment:
                return match[0]
            fragment = f"#{fragment}" if fragment else ""
            if not path:
                return match[0]
            where = posixpath.normpath(posixpath.join("docs", path))
            if path.startswith("/"):
                return f"{before}{relative(path[1:], name)}{fragment}{after}"
            if where in OUTSIDE:
                return f"{before}{relative(OUTSIDE[where], name)}{fragment}{after}"
            if where.startswith("docs/") and where.endswith(".md"):
                return f"{before}{relative(where.removeprefix('docs/'), name)}{fragment}{after}"
            if where.endswith((".png", ".gif", ".svg")):
                return f"{before}{relative(self.image(ROOT / where), name)}{after}"
            if "repository" in PACKAGE:
                return f"{before}{PACKAGE['repository']}/blob/main/{where}{fragment}{after}"
            return match[0][1 : match[0].index("](")]

        def outside_of_code(part):
            return re.sub(r"(!?\[[^\]\n]*(?:\n[^\]\n]*)?\]\()([^)\s]+)(\))", target, part)

        parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
        return "".join(part if part.startswith("```") else outside_of_code(part) for part in parts)

    def image(self, path):
        """Copies an image into the site; its name there."""
        name = f"images/{path.relative_to(ROOT).as_posix().replace('/', '-')}"
        (self.source / "images").mkdir(exist_ok=True)
        shutil.copyfile(path, self.source / name)
        return name

    def pages(self):
        for page in DOCS.glob("*.md"):
            # The site has contents of its own.
            if page.name not in ("rules.md", "contents.md"):
                self.write(page.name, page.read_text())
        for source, name in OUTSIDE.items():
            if source != "README.md":
                self.write(name, from_docs((ROOT / source).read_text()))
        readme = (ROOT / "README.md").read_text()
        (introduction,) = re.findall(r"\A(.*?)^```sh\nmake demo", readme, re.MULTILINE | re.DOTALL)
        (doors,) = re.findall(r"^## Four doors\n.*?(?=^## )", readme, re.MULTILINE | re.DOTALL)
        text = re.sub(r'src="([^"]*)"', lambda match: f'src="{self.image(ROOT / match[1])}"', f"{introduction}\n{doors}")
        self.write("index.md", from_docs(text) + "\n[Install, and the first check](start.md)\n")

    def rule_pages(self):
        index = (DOCS / "rules.md").read_text()
        levels = {}
        for code, name, level, summary in re.findall(r"^\| \[([A-Z]\d{3})\]\(\S+\) \| (\S+) \| (.*?) \| (.*) \|$", index, re.MULTILINE):
            self.rules.append((code, name))
            levels.setdefault(level, []).append(f"| [{code}](rules/{code}.md) | {name} | {summary} |")
        by_level = "".join(
            f"\n### {level}\n\n| code | name | what it finds |\n|---|---|---|\n" + "\n".join(rows) + "\n"
            for level, rows in sorted(levels.items(), key=lambda item: rank(item[0]))
        )
        self.write("rules.md", f"{index}\n## By level\n\n[Symptoms](symptoms.md) lists the rules by what an artist sees.\n{by_level}")
        planted = dict(re.findall(r"^\| `rules/([A-Z]\d{3}(?:\.quiet)?)\.\w+` \| (?:not )?[A-Z]\d{3}: (.*?) \|", (FIXTURES / "README.md").read_text(), re.MULTILINE))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = [pool.submit(self.rule_page, code, planted) for code, _ in self.rules]
            for page in done:
                page.result()

    def rule_page(self, code, planted):
        # The example stands between what the rule does and why.
        before, found, after = (DOCS / f"rules/{code}.md").read_text().partition("\n## Why")
        self.write(f"rules/{code}.md", f"{before.rstrip()}\n\n{self.example(code, planted)}{found}{after}")

    def example(self, code, planted):
        fixtures = {path.name: path for path in (FIXTURES / "rules").glob(f"{code}.*")}
        fault = next((path for name, path in fixtures.items() if ".quiet." not in name), None)
        if fault is None:
            return ""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for path in [fault, FIXTURES / "rules/checker.png"]:
                shutil.copy(path, folder)
            configuration = CONFIGURATIONS.get(code)
            if configuration:
                (folder / "skincheck.toml").write_text(configuration)
            (folder / "arm.toml").write_text(SKELETON)
            words = ["check", fault.name, "--select", code, "--level", "info", "--artifacts", "pictures", "--format", "json"]
            printed = self.run(words, cwd=folder, may_fail=True)
            models = json.loads(printed)["models"] if printed else []
            found = [finding for model in models for finding in model["findings"] if finding["code"] == code]
            if not found:
                return ""
            finding = found[0]
            text = f"## Example\n\n{sentence(planted.get(code))}"
            if configuration:
                text += f" With this configuration:\n\n```toml\n{configuration}```"
            text += f"\n\n```text\n{finding['level']}[{code}] {finding['name']}: {finding['sentence']}\n```\n"
            text += f"\nWithout a finding: {planted.get(f'{code}.quiet')}.\n"
            if finding["image"]:
                shutil.copyfile(folder / finding["image"], self.source / f"rules/{code}.png")
                alt = html.escape(finding["sentence"], quote=True)
                caption = html.escape(planted.get(code))
                text += f'\n<figure><img src="{code}.png" alt="{alt}"><figcaption>{caption}</figcaption></figure>\n'
            return text

    def command_pages(self):
        """The commands that `--help` lists, with all that clap says about each."""
        overview = self.run(["--help"])
        self.commands = re.findall(r"^  ([a-z]+) ", overview.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
        self.commands.remove("help")
        listed = "\n".join(f"- [`skincheck {command}`](/commands/{command}.md)" for command in self.commands)
        exits = "[Exit codes](/exit-codes.md) are the same for all."
        self.write("commands.md", f"# Command line\n\n{listed}\n\n{exits}\n\n```text\n{overview.rstrip()}\n```\n")
        for command in self.commands:
            help_text = self.run([command, "--help"]).rstrip()
            self.write(f"commands/{command}.md", f"# skincheck {command}\n\n{helptext.page(help_text)}")

    def documents(self):
        """The documents of JSON: their fields by the schemas, and samples."""
        text = "# JSON: types and samples\n\n[JSON](json.md) explains the documents. The samples are about skincheck's fixtures.\n"
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FIXTURES, folder, dirs_exist_ok=True)
            paths = sorted((DOCS / "schemas").glob("*.json"))
            for name, schema in [document for path in paths for document in schemas.documents(path.stem, json.loads(path.read_text()))]:
                text += f"\n## {name}\n\n{schemas.table(schema)}"
                if name in SAMPLES:
                    line = SAMPLES[name]
                    document = json.loads(self.run(line.split(), cwd=folder))
                    lines = json.dumps(document, indent=2, ensure_ascii=False).splitlines()
                    shown = "\n".join(lines[:120] + ["…"] * (len(lines) > 120))
                    text += f"\n`skincheck {line}` prints:\n\n```json\n{shown}\n```\n"
        self.write("documents.md", text)

    def configuration(self):
        """All tables of skincheck.toml, from the pages that explain them."""
        text = "# skincheck.toml\n\nEvery key, with its default or an example. A file uses the nearest `skincheck.toml`, in its folder or above.\n"
        for page, heading, title in [
            ("check.md", "skincheck.toml", "Checking"),
            ("diff.md", "Configuration", "Comparing"),
            ("test.md", "Configuration", "Approving"),
        ]:
            (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
            sample = re.search(r"^```toml\n.*?^```\n", section, re.MULTILINE | re.DOTALL)[0]
            anchor = heading.lower().replace(".", "")
            text += f"\n## {title}\n\n{sample}\n[{page.removesuffix('.md')}]({page}#{anchor}) explains it.\n"
        self.write("configuration.md", text + "\nThe limits of each rule, with their ranges, are on [its page](rules.md).\n")

    def summary(self):
        rules = "\n".join(f"  - [{code} {name}](rules/{code}.md)" for code, name in self.rules)
        commands = "\n".join(f"  - [{command}](commands/{command}.md)" for command in self.commands)
        text = (ROOT / "site/SUMMARY.md").read_text().format(rules=rules, commands=commands)
        (self.source / "SUMMARY.md").write_text(text)


def relative(path, page):
    return posixpath.relpath(path, posixpath.dirname(page) or ".")


def from_docs(text):
    """A page of the root, with links as from a page of docs/."""
    link = r"(\]\()(?![a-z]+:|#)(?:docs/([^)]*)|([^)]*))"
    return re.sub(link, lambda match: match[1] + (match[2] or f"../{match[3]}"), text)


def rank(level):
    names = ["error", "warning", "hint", "info", "on request"]
    return next(index for index, name in enumerate(names) if level.startswith(name)), level


def sentence(phrase):
    return f"{phrase[0].upper()}{phrase[1:]}." if phrase else ""


def main():
    skincheck, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    site = Site(skincheck, folder)
    site.pages()
    site.rule_pages()
    site.command_pages()
    site.documents()
    site.configuration()
    site.summary()
    for name in ["book.toml", "site.css"]:
        shutil.copy(ROOT / "site" / name, folder)
    subprocess.run([ROOT / ".ci/tool", "mdbook", "build", folder], check=True)


if __name__ == "__main__":
    main()
