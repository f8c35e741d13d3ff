"""Builds the extension for Blender 4.2 and later.

    python build_extension.py skincheck-0.1.0-cp39-abi3-linux_x86_64.whl [more wheels] skincheck.zip

The wheels, one for each system, are bundled, and the manifest lists them. `blender --command extension validate` accepts the file.
"""

import os
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Ends of wheels' names, and the names that Blender has for the same systems.
PLATFORMS = {
    r"linux.*_x86_64": "linux-x64",
    r"win_amd64": "windows-x64",
    r"win_arm64": "windows-arm64",
    r"macosx.*_x86_64": "macos-x64",
    r"macosx.*_arm64": "macos-arm64",
}


def platform(wheel):
    tag = wheel.stem.split("-")[-1]
    for pattern, name in PLATFORMS.items():
        if re.search(pattern + "$", tag):
            return name
    raise SystemExit(f"{wheel}: Blender does not run on {tag}; expected the tag of Linux, Windows or macOS")


def files():
    """Paths below the extension, and where they are in this repository."""
    folder = HERE / "extension"
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix(), path
    yield "background/skincheck_reference.py", HERE / "skincheck_reference.py"
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        yield name, HERE.parents[1] / name


def build(wheels, output):
    manifest = (HERE / "extension/blender_manifest.toml").read_text(encoding="utf-8")
    # Tables come last in TOML.
    head, tables = manifest.split("\n[permissions]", 1)
    platforms = ", ".join(f'"{platform(wheel)}"' for wheel in wheels)
    bundled = ", ".join(f'"./wheels/{wheel.name}"' for wheel in wheels)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blender_manifest.toml", f"{head}\nplatforms = [{platforms}]\nwheels = [{bundled}]\n\n[permissions]{tables}")
        for name, path in files():
            archive.write(path, name)
        for wheel in wheels:
            archive.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    *wheels, output = map(pathlib.Path, sys.argv[1:])
    build(wheels, os.fspath(output))
