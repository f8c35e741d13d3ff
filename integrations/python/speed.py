"""Prints the time of positions of many frames from Python, as a ratio to the same loop in Rust.

``python speed.py FRAMES MODEL COUNT``, where FRAMES is the program of
examples/frames.rs, built with the profile of the wheel.
"""

import subprocess
import sys
import time

import numpy as np
import skincheck


def main() -> None:
    frames, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    model = skincheck.load(path)
    clip = model.clips[0]
    times = np.linspace(clip.start, clip.end, count)
    best = float("inf")
    for _ in range(7):
        started = time.perf_counter()
        model.positions(clip, times)
        best = min(best, time.perf_counter() - started)
    rust = float(subprocess.run([frames, path, str(count)], check=True, capture_output=True, text=True).stdout)
    vertices = f"{count} frames of {model.vertex_count} vertices"
    print(f"{vertices}: {1e3 * best:.1f} ms from Python, {1e3 * rust:.1f} ms in Rust, ratio {best / rust:.2f}")


main()
