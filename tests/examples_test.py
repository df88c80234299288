"""What examples/ tells users to do can be done: the files are YAML and name what exists, every hilsa command line in
them and in docs/ci.md is one that the tool takes, and the shop's hilsa.yaml runs here, on throw-away servers.

    examples_test.py SOURCE_FOLDER HILSA words|shop
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import yaml

SOURCE, HILSA, PART = pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
EXAMPLES = SOURCE / "examples"
# An address may be a throw-away server's, wherever it comes from.
SERVERS = {"HILSA_POSTGRES": "temp:postgres", "HILSA_MYSQL": "temp:mysql", "HILSA_MARIADB": "temp:mariadb"}
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def hilsa(arguments, folder=None):
    """HILSA_RUNS: reports that nobody asked for go there."""
    environment = {**os.environ, **SERVERS, "HILSA_RUNS": str(folder or tempfile.gettempdir()) + "/runs"}
    return subprocess.run([HILSA, *arguments], cwd=folder, env=environment, text=True, capture_output=True, timeout=600)


def commands_in(text):
    """Lines of a script, of a job, or of a page's indented code, that begin with hilsa."""
    for line in text.splitlines():
        line = re.sub(r"^(\s*(- |run: |#\s+)*)|^\s+\$ ", "", line)
        if re.match(r"hilsa [a-z]", line):
            yield line


def check_command(line, where):
    words = shlex.split(line.split("|")[0].split(" > ")[0], comments=True)
    help_text = hilsa([words[1], "--help"])
    expect(help_text.returncode == 0, f"{where}: there is no command '{words[1]}'")
    known = set(re.findall(r"--[a-z-]+", help_text.stdout))
    for word in words[2:]:
        if word.startswith("--"):
            expect(word.split("=")[0] in known, f"{where}: 'hilsa {words[1]}' has no {word}")


def check_words():
    count = 0
    for path in [*sorted(EXAMPLES.iterdir()), SOURCE / "docs" / "ci.md"]:
        for script in re.findall(r"\.hilsa/(scripts/[a-z-]+)", path.read_text()):
            expect(os.access(SOURCE / script, os.X_OK), f"{path.name}: there is no {script}")
        for line in commands_in(path.read_text()):
            check_command(line, path.name)
            count += 1
    expect(count >= 10, f"only {count} command lines were found")


def check_files():
    shop = yaml.safe_load((EXAMPLES / "hilsa.yaml").read_text())
    wanted = {url.removeprefix("env:") for url in shop["databases"].values()}
    expect(wanted == set(SERVERS), "hilsa.yaml: other databases than the jobs have")
    github = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())
    job = github["jobs"]["hilsa"]
    expect(wanted <= set(job["env"]), "github-actions.yml: a database's address is missing")
    expect(len(job["services"]) == len(wanted), "github-actions.yml: a service is missing")
    ports = {port.split(":")[0] for service in job["services"].values() for port in service["ports"]}
    for name in wanted:
        expect(re.search(r":(\d+)/", job["env"][name])[1] in ports, f"github-actions.yml: {name}: no such port")
    steps = yaml.dump(job["steps"])
    for file in ("report.html", "junit.xml", "report.md", "hilsa-baseline.json"):
        expect(file in steps, f"github-actions.yml: nothing is done with {file}")
    gitlab = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())
    expect(wanted <= set(gitlab[".hilsa"]["variables"]), "gitlab-ci.yml: a database's address is missing")
    hosts = {service["alias"] for service in gitlab[".hilsa"]["services"]}
    for name in wanted:
        host = re.search(r"@([a-z]+):", gitlab[".hilsa"]["variables"][name])[1]
        expect(host in hosts, f"gitlab-ci.yml: {name}: no such service")
    expect(gitlab["races"]["artifacts"]["reports"]["junit"].endswith("/junit.xml"), "gitlab-ci.yml: no junit.xml")


def check_shop():
    """As it stands, but that the suite about costs takes less time: what it finds then is not looked at."""
    with tempfile.TemporaryDirectory() as folder:
        text = (EXAMPLES / "hilsa.yaml").read_text()
        short, changed = re.subn(r"duration: \S+( +#.*)?", "duration: 2s", text)
        expect(changed == 1, "hilsa.yaml: there should be one duration to shorten")
        pathlib.Path(folder, "hilsa.yaml").write_text(short)
        promises = [word for name in ("last-piece", "seats", "wallet") for word in ("--suite", name)]
        ran = hilsa(["ci", "--format", "json", *promises], folder)
        expect(ran.returncode == 0, f"the suites are not as they should be:\n{ran.stdout}{ran.stderr}")
        if ran.returncode == 0:
            rows = {demand["row"] for demand in json.loads(ran.stdout)["demands"]}
            for product in ("postgresql", "mysql", "mariadb"):
                expect(any(row.endswith(product) for row in rows), f"nothing was asked of {product}")
        cost = ["ci", "--suite", "checkout-cost"]
        missing = hilsa(cost, folder)
        expect(missing.returncode == 2 and "--update-baseline" in missing.stderr, "a missing baseline is no error")
        updated = hilsa([*cost, "--update-baseline"], folder)
        expect(pathlib.Path(folder, "hilsa-baseline.json").exists(), f"no baseline:\n{updated.stdout}{updated.stderr}")
        compared = hilsa([*cost, "--out", "hilsa-run"], folder)
        expect(compared.returncode in (0, 1), f"not compared:\n{compared.stdout}{compared.stderr}")
        expect("throughput relative to check-constraint" in compared.stdout, "nothing was compared")
        for file in ("report.html", "report.md", "junit.xml"):
            expect(pathlib.Path(folder, "hilsa-run", file).stat().st_size > 0, f"there is nothing in {file}")


if PART == "words":
    check_files()
    check_words()
else:
    check_shop()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
