#!/usr/bin/env python3
"""Rasterizes the glyphs of captions: `roboto.py Roboto-Regular.ttf > roboto.bin` (needs Pillow).

The file, little-endian: the number of sizes (u8) and of glyphs (u16). For each size its line height (u8). For each glyph,
by rising code point: the code point (u16), and for each size the advance (u8), the box (left i8, top u8 from the top of the
line, width u8, height u8) and its coverage, row by row, two pixels a byte, the left one in the high bits.
"""
import struct
import sys

from PIL import ImageFont

SIZES = [13, 20]
RANGES = [(0x20, 0x7E), (0xA0, 0xFF), (0x391, 0x3C9), (0x2013, 0x2026), (0x20AC, 0x20AC), (0x2212, 0x2212), (0x2260, 0x2265)]

path = sys.argv[1]
fonts = [ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC) for size in SIZES]


def glyph(font, text):
    mask, (left, top) = font.getmask2(text, mode="L")
    width, height = mask.size
    levels = [round(mask.getpixel((x, y)) * 15 / 255) for y in range(height) for x in range(width)]
    levels += [0] * (len(levels) % 2)
    pairs = bytes(high << 4 | low for high, low in zip(levels[::2], levels[1::2]))
    return struct.pack("<BbBBB", round(font.getlength(text)), left, max(top, 0), width, height) + pairs


missing = [bytes(font.getmask("\uffff")) for font in fonts]
points = [point for first, last in RANGES for point in range(first, last + 1)]
known = [point for point in points if bytes(fonts[0].getmask(chr(point))) != missing[0]]
out = struct.pack("<BH", len(SIZES), len(known)) + bytes(sum(font.getmetrics()) for font in fonts)
for point in known:
    out += struct.pack("<H", point) + b"".join(glyph(font, chr(point)) for font in fonts)
sys.stdout.buffer.write(out)
