"""Junit files as others read them: xmllint against junit.rng, Python's own parser, junitparser.

    junit_test.py WRITE_REPORTS SOURCE_FOLDER
"""

import collections
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import junitparser

SMALL_ENOUGH = 30_000_000  # bytes, GitLab's limit


def demand(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def validates(schema, file):
    lint = subprocess.run(["xmllint", "--noout", "--relaxng", schema, file],
                          capture_output=True, text=True)
    return lint.returncode == 0, lint.stderr


def counted(suite):
    """What the cases of a suite say, as its attributes have to."""
    counts = collections.Counter(tests=0, failures=0, errors=0, skipped=0)
    for case in suite.findall("testcase"):
        counts["tests"] += 1
        for element, attribute in (("failure", "failures"), ("error", "errors"),
                                   ("skipped", "skipped")):
            counts[attribute] += len(case.findall(element))
    return counts


def check_counts(file):
    """The counts by hand, in the attributes, and junitparser's agree; returns the failures."""
    root = xml.etree.ElementTree.parse(file).getroot()
    total = collections.Counter()
    for suite in root.findall("testsuite"):
        counts = counted(suite)
        for name, number in counts.items():
            demand(suite.get(name) == str(number), f"{file}: {suite.get('name')}: {name}")
        total += counts
    for name in ("tests", "failures", "errors"):
        demand(root.get(name) == str(total[name]), f"{file}: {name} of all suites")

    parsed = junitparser.JUnitXml.fromfile(str(file))
    again = collections.Counter()
    for suite in parsed:
        declared = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        demand(declared == (suite.tests, suite.failures, suite.errors, suite.skipped),
               f"{file}: {suite.name}: as junitparser counts")
        again += collections.Counter(tests=suite.tests, failures=suite.failures,
                                     errors=suite.errors, skipped=suite.skipped)
    demand(again == total, f"{file}: junitparser finds {again}, not {total}")

    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    demand(len(names) == len(set(names)), f"{file}: a name each")
    return total["failures"]


def check_alarm(schema, file, folder):
    """The schema tells what is damaged."""
    text = file.read_text(encoding="utf-8")
    damages = ((' tests="', ' test="'), ("<failure ", "<failed "), (' time="', ' time="-'),
               ("</properties>", '</properties><testcase name="a"/>'), ("</failure>", "</failure><skipped/>"))
    for before, after in damages:
        damaged = folder / "damaged.xml"
        text_damaged = text.replace(before, after).replace("</failure>", "</failed>") \
            if "failed" in after else text.replace(before, after)
        demand(text_damaged != text, f"there is {before!r} to damage")
        damaged.write_text(text_damaged, encoding="utf-8")
        demand(not validates(schema, damaged)[0], f"{after!r} is found")


def main():
    write_reports, sources = sys.argv[1:]
    schema = pathlib.Path(sources) / "tests/reports/written/junit.rng"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([write_reports, folder], check=True)
        files = sorted(folder.glob("*.xml"))
        demand(len(files) >= 8, "there are files")
        failures = 0
        for file in files:
            valid, why = validates(schema, file)
            demand(valid, f"{file.name} is valid: {why}")
            demand(file.stat().st_size < SMALL_ENOUGH, f"{file.name} is small enough")
            failures += check_counts(file)
        demand(failures > 0, "some fail")
        check_alarm(schema, folder / "failing-compare.xml", folder)
        print(f"{len(files)} files, {failures} failures in them")


main()
