"""The examples: their YAML parses, what they call exists, and the shop's configuration runs as it stands."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

hilsa, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
examples = root / "examples"


def scripts_of(workflow):
    """Every shell script in a workflow, wherever it stands."""
    if isinstance(workflow, dict):
        for key, value in workflow.items():
            if key in ("run", "script", "before_script"):
                yield from value if isinstance(value, list) else value.splitlines()
            else:
                yield from scripts_of(value)
    elif isinstance(workflow, list):
        for value in workflow:
            yield from scripts_of(value)


def check_command(words):
    told = subprocess.run([hilsa, words[1], "--help"], capture_output=True, text=True)
    assert told.returncode == 0, f"no command {words[1]}"
    for word in words[2:]:
        if word.startswith("--"):
            name = word.split("=")[0]
            assert re.search(rf"^\s+(-\w \[ )?{name}\b", told.stdout, re.M), f"hilsa {words[1]} has no {name}"


def check_workflow(path):
    found = 0
    for line in scripts_of(yaml.safe_load(path.read_text())):
        words = shlex.split(line)
        if words and words[0] == "hilsa":
            check_command(words)
            found += 1
        for word in words:
            if word.startswith("hilsa/scripts/"):
                script = root / word.removeprefix("hilsa/")
                assert os.access(script, os.X_OK), f"there is no {script}"
    assert found >= 2, f"{path}: does this test still find its commands?"


def run_the_shop(folder):
    environment = dict(os.environ, POSTGRES_URL="temp:postgres", MYSQL_URL="temp:mysql")
    out = pathlib.Path(folder) / "report"
    ran = subprocess.run([hilsa, "ci", "--config", examples / "hilsa.yaml", "--out", out, "--quiet"],
                         env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    for name in ("report.html", "report.md", "junit.xml", "result.json"):
        assert (out / name).stat().st_size > 0, name
    suites = xml.etree.ElementTree.parse(out / "junit.xml").getroot()
    assert suites.get("failures") == "0", suites.attrib


for name in ("github-actions.yml", "gitlab-ci.yml"):
    check_workflow(examples / name)
with tempfile.TemporaryDirectory() as temporary:
    run_the_shop(temporary)
print("examples: all as they should be")
