"""How long N workers take for a million models, against the ideal of a perfect split.

    python simulate.py RESULTS... [--models 1000000]

RESULTS are folders of `skincheck check --results`; sizes and times are drawn from the models in them, so that a model's size
says as much about its time as it does there. Prints a Markdown table.
"""

import argparse
import heapq
import json
import math
import pathlib
import random

SEED = 1
WORKERS = [16, 256, 4096]
# The share of the workers that are lost once, and the seconds until a replacement starts.
LOST = 0.01
RESTART = 10
# The time of a model differs between two runs by this factor, up or down, on average.
JITTER = 0.2


def corpus(folders):
    """Bytes and seconds of each model."""
    models = []
    for folder in folders:
        for file in sorted(pathlib.Path(folder).glob("*.jsonl")):
            header, *lines = map(json.loads, file.read_text().splitlines())
            for line in lines:
                verdict = line["verdict"]
                # A model that could not be read has no key.
                if verdict["key"] is not None:
                    path = header["models"][str(line["index"])]["path"]
                    models.append((pathlib.Path(path).stat().st_size, verdict["micros"] / 1e6))
    return models


def split(weights, workers):
    """The load of skincheck's split: the heaviest first, each to the shard with the least to do."""
    loads = [(0.0, shard) for shard in range(workers)]
    shards = [0] * len(weights)
    for index in sorted(range(len(weights)), key=lambda index: (-weights[index], index)):
        load, shard = loads[0]
        shards[index] = shard
        heapq.heapreplace(loads, (load + weights[index], shard))
    return shards


def shard_times(shards, seconds, workers):
    """The seconds of each shard."""
    times = [0.0] * workers
    for shard, time in zip(shards, seconds):
        times[shard] += time
    return times


def with_losses(times, lost, longest):
    """The same where the shards `lost` lose the longest model that there is, and start again."""
    return [time + (longest + RESTART if shard in lost else 0) for shard, time in enumerate(times)]


def shown(seconds):
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results", nargs="+")
    parser.add_argument("--models", type=int, default=1_000_000)
    args = parser.parse_args()
    known = corpus(args.results)
    rng = random.Random(SEED)
    drawn = [known[rng.randrange(len(known))] for _ in range(args.models)]
    last = [time for _, time in drawn]
    now = [time * (1 + JITTER) ** rng.uniform(-1, 1) for time in last]
    weights = {
        "none (models dealt in turn)": None,
        "bytes": [size + 65536 for size, _ in drawn],
        "seconds of the last run": last,
    }
    total, longest = sum(now), max(now)
    print(f"{args.models:,} models drawn from {len(known)}, {shown(total)} of one worker in all, {shown(longest)} for the longest.\n")
    print("| workers | ideal | weights | makespan | 1 % of the workers lost |")
    print("|---|---|---|---|---|")
    for workers in WORKERS:
        ideal = max(total / workers, longest)
        lost = set(rng.sample(range(workers), math.ceil(LOST * workers)))
        for name, weight in weights.items():
            shards = [index % workers for index in range(len(now))] if weight is None else split(weight, workers)
            times = shard_times(shards, now, workers)
            plain, failing = max(times), max(with_losses(times, lost, longest))
            ratios = [f"{shown(time)} ({time / ideal:.2f})" for time in (plain, failing)]
            print(f"| {workers:,} | {shown(ideal)} | {name} | {ratios[0]} | {ratios[1]} |")


main()
