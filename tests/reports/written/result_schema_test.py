"""Result files against docs/result.schema.json: they validate, damaged ones do not, and the schema
describes every field that there is.

    result_schema_test.py WRITE_REPORTS SOURCE_FOLDER
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema


def demand(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


class Schema:
    def __init__(self, file):
        self.root = json.loads(file.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(self.root)
        self.validator = jsonschema.Draft202012Validator(self.root)

    def faults(self, value):
        return [f"{list(error.absolute_path)}: {error.message[:200]}"
                for error in self.validator.iter_errors(value)]

    def _matches(self, schema, value):
        return not any(self.validator.evolve(schema=schema).iter_errors(value))

    def _resolved(self, schema, value):
        """Without references and choices: what describes this value."""
        while True:
            if "$ref" in schema:
                schema = self.root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
            elif "oneOf" in schema:
                schema = next(one for one in schema["oneOf"] if self._matches(one, value))
            else:
                return schema

    def undescribed(self, value, schema=None, path=""):
        """The paths of fields that the schema lets through without a word."""
        schema = self._resolved(self.root if schema is None else schema, value)
        found = []
        if isinstance(value, dict):
            others = schema.get("additionalProperties")
            for name, field in value.items():
                described = schema.get("properties", {}).get(name)
                if described is None and isinstance(others, dict):
                    described = others
                if described is None:
                    found.append(f"{path}.{name}")
                else:
                    found += self.undescribed(field, described, f"{path}.{name}")
        elif isinstance(value, list):
            for place, element in enumerate(value):
                first = schema.get("prefixItems", [])
                described = first[place] if place < len(first) else schema.get("items")
                if not isinstance(described, dict):
                    found.append(f"{path}[{place}]")
                else:
                    found += self.undescribed(element, described, f"{path}[{place}]")
        return found

    def required(self):
        """The names of all fields that are there always, wherever they are."""
        names, waiting = set(), [self.root]
        while waiting:
            schema = waiting.pop()
            if isinstance(schema, dict):
                names |= set(schema.get("required", []))
                waiting += schema.values()
            elif isinstance(schema, list):
                waiting += schema
        return names


def damaged(whole):
    """The file with one thing wrong in each."""
    def change(*path, value=None, remove=False):
        file = copy.deepcopy(whole)
        place = file
        for step in path[:-1]:
            place = place[step]
        if remove:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return " ".join(map(str, path)), file

    row = ("reports", 0, "rows", 0)
    return [
        change("format", value="other"), change("version", value=2), change("reports", remove=True),
        change("demands", value={}), change("reports", 0, "kind", value="check"),
        change("reports", 0, "origin", remove=True), change("reports", 0, "seed", value=-1),
        change(*row, "trials", value=-1), change(*row, "trials", value=1.5),
        change(*row, "measured", value="perhaps"), change(*row, "shown", 0, "lanes", remove=True),
        change(*row, "latency_ns", 0, value=[1]), change(*row, "violations", "oversold", value="4"),
        change(*row, "series", "width_ns", value=0), change("demands", 0, "status", value="maybe"),
    ]


def main():
    write_reports, sources = sys.argv[1:]
    schema = Schema(pathlib.Path(sources) / "docs/result.schema.json")
    documentation = (pathlib.Path(sources) / "docs/result-format.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([write_reports, folder], check=True)
        files = sorted(folder.glob("*.json"))
        demand(len(files) >= 8, "there are files")
        for file in files:
            value = json.loads(file.read_text(encoding="utf-8"))
            faults = schema.faults(value)
            demand(not faults, f"{file.name} validates: {faults[:3]}")
            if file.name != "huge.json":  # more of the same
                missing = schema.undescribed(value)
                demand(not missing, f"{file.name}: the schema describes {missing[:5]}")
        for seed in (pathlib.Path(sources) / "tests/fuzz/seeds/result").iterdir():
            faults = schema.faults(json.loads(seed.read_text(encoding="utf-8")))
            demand(not faults, f"fuzzing begins with results: {seed.name}: {faults[:3]}")
        whole = json.loads((folder / "demanded.json").read_text(encoding="utf-8"))
    for what, file in damaged(whole):
        demand(schema.faults(file), f"a file damaged at '{what}' does not validate")
    further = copy.deepcopy(whole)
    further["reports"][0]["rows"][0]["further"] = 1
    demand(not schema.faults(further), "further fields are allowed")
    demand(schema.undescribed(further) == [".reports[0].rows[0].further"], "and are noticed here")
    untold = sorted(name for name in schema.required() if not re.search(f'[`"]{name}[`"]', documentation))
    demand(not untold, f"docs/result-format.md tells of {untold}")
    print(f"{len(files)} files validate, {len(damaged(whole))} damaged ones do not")


main()
