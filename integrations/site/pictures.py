"""The pictures of rules in the site: the fault, marked, beside the same location of its twin without it; curves of clips."""

import collections
import concurrent.futures
import re
import struct
import zlib

# The side of each image of a close-up, the gap between two, and the height of the line above them, in pixels.
SIDE, GAP, HEADING = 360, 4, 17
# The ring around what a close-up shows.
MARK = (255, 0, 190)

# Rules with an example, of which no image can show anything, and why.
UNSEEN = {
    "about the file, a skin or a material as a whole": "B203 B210 B211 B212 B213 G806 G807 G808 G819 G820 H302 H308 H311 H315 H316 H317 H318",
    "about how a mesh is stored": "G802 G804 G813 G814 G815 G817",
    "about a difference of two files that neither shows alone": "V901 V902 V904",
}
# Rules whose image shows the location, which looks the same without the fault, and why.
ALIKE = {
    "the importer repairs it, or has read nothing": "C505 C510 C511 C516 C517 C518 C519 G805 G812 G816 H304 T401 W101 W103 W111 W118",
    "it harms other poses, files or programs": "B201 B202 B204 B206 B208 C515 C525 C534 C535 H301 H321 T402 T403 T404 T405 T408 W116",
    "it shows over time; some have a plot": "C502 C503 C504 C508 C513 C514 C523 C524 C527 C537",
    "it is stored, too small, or all of the model": "G818 W112 W120",
}
# Rules whose twin lacks the location.
ALONE = "C501 C512 H305 H306 H307 H312 H313 H322"
# Rules whose image shows the whole model, without a ring, or a vertex that is nowhere.
WHOLE = "C501 C502 C503 C504 C516 C518 C538 D601 D608 G801 G818 T407 V905 W118 W120"
# The twin's node is 1e38 away, where nothing is drawn.
FAR = "T407"
# Read only with assimp.
OTHER = {"X703"}
PLOTTED = "C513 C514 C520 C522 C523 C524 C526 C527 C528 C529 C536 C537"


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
    """Of a close-up: how many images it has; of the last two, how many pixels are not background, show a mark, and differ."""
    width, rows = decoded(path)
    count = (width + GAP) // (SIDE + GAP)
    starts = [3 * (count - back) * (SIDE + GAP) for back in (2, 1)]
    parts = [b"".join(row[start:start + 3 * SIDE] for row in rows[HEADING:HEADING + SIDE]) for start in starts]
    fault, twin = ([part[at:at + 3] for at in range(0, len(part), 3)] for part in parts)
    ((background, _),) = collections.Counter(fault).most_common(1)
    seen = [sum(pixel != background for pixel in part) for part in (fault, twin)]
    marks = [part.count(bytes(MARK)) for part in (fault, twin)]
    return count, seen, marks, sum(a != b for a, b in zip(fault, twin))


def check(folder, codes, examples):
    """The pictures of the pages of rules in a folder.

    `examples` are the codes of the pages with an example.
    """
    listed = {code: set(re.findall(r'<img src="([^"]*)"', (folder / f"{code}.md").read_text())) for code in codes}
    missing = [name for names in listed.values() for name in names if not (folder / name).exists()]
    assert not missing, missing
    drawn = {code for code in codes if f"{code}.png" in listed[code]} - OTHER
    expect("without a picture", examples - drawn - OTHER, UNSEEN)
    plotted = {code for code in codes if f"{code}.svg" in listed[code]}
    expect("with a plot", plotted, {"": PLOTTED})
    for code in plotted:
        plot = (folder / f"{code}.svg").read_text()
        assert all(part in plot for part in ['class="l0"', 'class="original l0"', "time, s"]), f"{code}: {plot}"
        lines = re.findall(r'class="(?:original )?l\d" points="([^"]*)"', plot)
        assert len(set(lines)) > 1, f"{code}: the fault does not show in {plot}"
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = dict(zip(sorted(drawn), pool.map(measured, [folder / f"{code}.png" for code in sorted(drawn)])))
    alone = {code for code in drawn if code in ALONE.split()}
    expect("without a ring", {code for code, (_, _, marks, _) in found.items() if marks[1 if code in alone else 0] < 20}, {"": WHOLE})
    expect("empty", {code for code, (_, seen, _, _) in found.items() if min(seen[1:] if code in alone else seen) < 300}, {"": FAR})
    expect("equal without the fault", {code for code in drawn - alone if found[code][3] < 30}, ALIKE)
    return f"{len(drawn)} pictures, {len(plotted)} plots"


def expect(what, found, reasons):
    wanted = set(" ".join(reasons.values()).split())
    assert found == wanted, f"{what}: {sorted(found - wanted)}; not so: {sorted(wanted - found)}"
