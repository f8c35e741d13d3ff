"""Checks a folder of models on a Ray cluster.

    python check.py MODELS RESULTS [--shards N] [OPTIONS OF skincheck check]

MODELS and RESULTS lie on a disk that every node sees. Then `skincheck merge RESULTS` makes one report.
"""

import argparse
import subprocess

import ray


def check(row, command):
    """Checks one part. A worker that is lost is replaced, and continues where the file of results ends."""
    shard = ["--shard", f"{row['id'] + 1}/{row['shards']}"]
    run = subprocess.run([*command, *shard], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"shard {row['id'] + 1}: {run.stderr}")
    return {"shard": row["id"] + 1, "summary": run.stdout.splitlines()[-1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models")
    parser.add_argument("results")
    parser.add_argument("--skincheck", default="skincheck")
    parser.add_argument("--shards", type=int, default=64, help="a few for each worker")
    parser.add_argument("--cpus", type=float, default=2, help="of each shard")
    args, options = parser.parse_known_args()

    command = [args.skincheck, "check", args.models, "--results", args.results, "--jobs", str(max(1, round(args.cpus)))]
    shards = ray.data.range(args.shards, override_num_blocks=args.shards)
    shards = shards.map(lambda row: {**row, "shards": args.shards})
    done = shards.map(check, fn_args=[[*command, *options]], num_cpus=args.cpus)
    for row in done.iter_rows():
        print(f"shard {row['shard']} of {args.shards}: {row['summary']}")


if __name__ == "__main__":
    main()
