"""The pictures of rules in the site: the fault, marked."""

import collections
import concurrent.futures
import re
import struct
import zlib

# The side of the drawing in a close-up, and the height of the line above it, in pixels.
SIDE, HEADING = 480, 24
# The ring around what a close-up shows.
MARK = (255, 0, 190)

# Rules with an example, of which no image can show anything, and why.
UNSEEN = {
    "about the file, a skin or a material as a whole": "B203 B210 B211 B212 B213 B214 G806 G807 G808 G819 G820 G822 H302 H308 H311 H315 H316 H317 H318",
    "about a mesh that no joint moves": "G823",
    "about a transform that is ignored, the scale of a whole skeleton, or jitter": "B207 B209 C529",
    "about how a mesh is stored": "G802 G804 G813 G814 G815 G817",
}
# Rules whose image shows the whole model, without a ring, or a vertex that is nowhere.
WHOLE = "C501 C502 C503 C504 C516 C518 C538 D601 D608 G801 G818 T407 W118 W120"


def decoded(path):
    """The width and the rows of a PNG file, in RGB."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, color = struct.unpack(">IIBB", body[:10])
            assert (depth, color) == (8, 2), f"{path}: {depth} bits, colour type {color}"
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 3 * width, []
    above = bytes(stride)
    for start in range(0, len(raw), stride + 1):
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        if kind == 2:
            row = bytearray((own + up) & 255 for own, up in zip(row, above))
        elif kind:
            for index in range(stride):
                left, corner = (row[index - 3], above[index - 3]) if index >= 3 else (0, 0)
                up = above[index]
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    apart = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                    guess = left if apart[0] <= apart[1] and apart[0] <= apart[2] else up if apart[1] <= apart[2] else corner
                row[index] = (row[index] + guess) & 255
        rows.append(above := bytes(row))
    return width, rows


def measured(path):
    """Of a close-up: how many pixels are not background, and how many show a mark."""
    _, rows = decoded(path)
    drawing = b"".join(row[:3 * SIDE] for row in rows[HEADING:HEADING + SIDE])
    pixels = collections.Counter(drawing[at:at + 3] for at in range(0, len(drawing), 3))
    ((_, background),) = pixels.most_common(1)
    return pixels.total() - background, pixels[bytes(MARK)]


def check(folder, codes, examples):
    """The pictures of the pages of rules in a folder.

    `examples` are the codes of the pages with an example.
    """
    listed = {code: set(re.findall(r'<img src="([^"]*)"', (folder / f"{code}.md").read_text())) for code in codes}
    missing = [name for names in listed.values() for name in names if not (folder / name).exists()]
    assert not missing, missing
    drawn = {code for code in codes if f"{code}.png" in listed[code]}
    expect("without a picture", examples - drawn, UNSEEN)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = dict(zip(sorted(drawn), pool.map(measured, [folder / f"{code}.png" for code in sorted(drawn)])))
    expect("without a ring", {code for code, (_, marks) in found.items() if marks < 20}, {"": WHOLE})
    expect("empty", {code for code, (seen, _) in found.items() if seen < 300}, {})
    return f"{len(drawn)} pictures"


def expect(what, found, reasons):
    wanted = set(" ".join(reasons.values()).split())
    assert found == wanted, f"{what}: {sorted(found - wanted)}; not so: {sorted(wanted - found)}"
