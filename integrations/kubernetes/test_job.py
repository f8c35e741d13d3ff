"""Validates the manifests, and runs the commands in them as an Indexed Job would, with a pod that is killed and retried."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import kubernetes_validate
import yaml

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures"
SKINCHECK = pathlib.Path(sys.argv[1]).resolve()
API = "1.33"


def manifest(name):
    document = yaml.safe_load((HERE / name).read_text())
    kubernetes_validate.validate(document, API, strict=True)
    return document


def refused(document):
    try:
        kubernetes_validate.validate(document, API, strict=True)
    except kubernetes_validate.ValidationError:
        return
    raise AssertionError("a manifest with a mistake is valid")


def command(job, folder):
    """The command of the container, with the mounts in a folder of this machine."""
    container = job["spec"]["template"]["spec"]["containers"][0]
    mounts = [mount["mountPath"] for mount in container["volumeMounts"]]

    def local(word):
        for mount in mounts:
            word = word.replace(mount, f"{folder}{mount}")
        return word

    words = [local(word) for word in container["command"] + container["args"]]
    words = [word.replace("/dev/termination-log", f"{folder}/message") for word in words]
    return [str(SKINCHECK) if words[0] == "skincheck" else words[0], *words[1:]]


def is_unprivileged(job):
    spec = job["spec"]["template"]["spec"]
    pod, own = spec["securityContext"], spec["containers"][0]["securityContext"]
    return pod["runAsNonRoot"] and not own["allowPrivilegeEscalation"] and own["capabilities"] == {"drop": ["ALL"]}


def merge_in(merge, folder):
    """The ended container, and its termination message."""
    path = {**os.environ, "PATH": f"{SKINCHECK.parent}:{os.environ['PATH']}"}
    merged = subprocess.run(command(merge, folder), env=path, capture_output=True, text=True)
    return merged, pathlib.Path(folder, "message").read_text()


def pod(job, folder, index):
    variables = {**os.environ, "JOB_COMPLETION_INDEX": str(index)}
    variables.pop("SKINCHECK_NO_CACHE", None)
    words = [word.replace("$(JOB_COMPLETION_INDEX)", str(index)) for word in command(job, folder)]
    return subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def main():
    job, merge = manifest("job.yaml"), manifest("merge.yaml")
    wrong = json.loads(json.dumps(job))
    wrong["spec"]["backoffLimitPerIndx"] = wrong["spec"].pop("backoffLimitPerIndex")
    refused(wrong)
    assert is_unprivileged(job) and is_unprivileged(merge)
    count = job["spec"]["completions"]
    assert job["spec"]["parallelism"] == count
    assert f"auto/{count}" in job["spec"]["template"]["spec"]["containers"][0]["args"]

    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder) / "models"
        for copy in range(40):
            (models / str(copy)).mkdir(parents=True)
            for name in ["arm.gltf", "walker.glb"]:
                shutil.copy(FIXTURES / name, models / str(copy))
        shutil.copy(FIXTURES / "rules/W103.gltf", models)
        for name in ["results", "cache"]:
            (pathlib.Path(folder) / name).mkdir()

        killed = pod(job, folder, 0)
        verdicts = pathlib.Path(folder, "cache", "verdicts")
        while killed.poll() is None and not list(verdicts.glob("??/*")):
            time.sleep(0.001)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        before = len(list(verdicts.glob("??/*")))
        assert before and not list(pathlib.Path(folder, "results").iterdir()), "a killed pod leaves no report"
        for index in [*range(1, count), 0]:
            shard = pod(job, folder, index)
            assert shard.wait() == 0, shard.stderr.read().decode()
            if index == count - 1:
                merged, code = merge_in(merge, folder)
                assert merged.returncode != 0 and code == "2", merged.stderr
                assert f"missing shards: 1 (of {count})" in merged.stderr, merged.stderr
        merged, code = merge_in(merge, folder)
        report = json.loads(pathlib.Path(folder, "results", "skincheck.json").read_text())
        whole = subprocess.run([SKINCHECK, "check", models, "--no-cache", "--format", "json"], capture_output=True, text=True)
        assert report == json.loads(whole.stdout), "the merged report differs from that of one run"
        # Errors are a result: the Job is complete, and its message says so.
        assert whole.returncode == 1, "the models of this test have errors"
        assert merged.returncode == 0 and code == "1", merged.stderr
        print(f"kubernetes: {count} pods, {report['summary']['models']} models, one pod killed after {before} models")


main()
