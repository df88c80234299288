"""Two types of one name in two rooms meet in the program: the linker keeps one of each of their functions and says
nothing. So a name outside of unnamed namespaces is defined once."""
import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^(?:struct|class|enum(?: class)?)(?: alignas\(\d+\))? (\w+)(?: final)?(?: : [^;]*)? \{")


def definitions(path):
    unnamed = False
    space = ""
    for line in path.read_text().splitlines():
        if line == "namespace {":
            unnamed = True
        elif line == "}  // namespace":
            unnamed = False
        elif line.startswith("namespace "):
            space = line.split()[1]
        found = DEFINITION.match(line)
        if found and not unnamed:
            yield f"{space}::{found.group(1)}"


def main(root):
    places = collections.defaultdict(list)
    for room in ("cli", "harness", "workloads", "checkers", "reports"):
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for name in definitions(path):
                    places[name].append(path.relative_to(root))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in twice.items():
        print(f"{name} is defined in {' and in '.join(map(str, where))}")
    if len(places) < 250:
        sys.exit(f"only {len(places)} types were found: does this test still know how they are written?")
    sys.exit(1 if twice else 0)


main(pathlib.Path(sys.argv[1]))
