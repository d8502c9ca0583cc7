"""Whether the HTTP APIs and the topics still keep what was shipped: what may be sent, and what is answered, only grows.

``python docs/contract.py`` compares ``docs/openapi`` and ``docs/asyncapi.json`` with ``docs/openapi/shipped.json.gz``;
with ``--ship`` it takes today's as shipped (``make contract-ship``). For events themselves buf does the same.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHIPPED = HERE / "openapi/shipped.json.gz"
METHODS = ("get", "put", "post", "patch", "delete")
Schema = dict[str, Any]


def today() -> dict[str, Schema]:
    """The documents as they are, by file."""
    files = [*sorted((HERE / "openapi").glob("*.json")), HERE / "asyncapi.json"]
    return {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}


def shipped() -> dict[str, Schema]:
    """The documents as they were shipped, by file."""
    found: dict[str, Schema] = json.loads(gzip.decompress(SHIPPED.read_bytes()))
    return found


def broken(before: dict[str, Schema], after: dict[str, Schema]) -> list[str]:
    """What somebody who relies on ``before`` would miss in ``after``, a line each."""
    found = []
    for name, document in before.items():
        if name not in after:
            found.append(f"{name}: gone")
        elif name == "asyncapi.json":
            found += [f"{name}: {line}" for line in _topics(document, after[name])]
        else:
            found += [f"{name}: {line}" for line in _operations(document, after[name])]
    return found


def _topics(before: Schema, after: Schema) -> Iterator[str]:
    for topic, channel in before["channels"].items():
        if topic not in after["channels"]:
            yield f"{topic}: gone"
            continue
        for message in channel["messages"].keys() - after["channels"][topic]["messages"].keys():
            yield f"{topic}: {message}: gone"
    headers = (document["components"]["schemas"]["Headers"] for document in (before, after))
    yield from _Comparison(before, after).of(*headers, "headers", sent=False)


def _operations(before: Schema, after: Schema) -> Iterator[str]:
    comparison = _Comparison(before, after)
    for path, item in before["paths"].items():
        for method in METHODS:
            if method not in item:
                continue
            where = f"{method.upper()} {path}"
            if method not in after["paths"].get(path, {}):
                yield f"{where}: gone"
            else:
                yield from comparison.of_operation(item[method], after["paths"][path][method], where)


class _Comparison:
    def __init__(self, before: Schema, after: Schema) -> None:
        self.before, self.after = before, after
        self.under_way: set[tuple[str, str, bool]] = set()

    def of_operation(self, before: Schema, after: Schema, where: str) -> Iterator[str]:
        had, has = ({(p["in"], p["name"]): p for p in one.get("parameters", [])} for one in (before, after))
        for place, name in sorted(had.keys() - has.keys()):
            yield f"{where}: {place} parameter {name}: gone"
        for key in sorted(has):
            if has[key].get("required") and not had.get(key, {}).get("required"):
                yield f"{where}: {key[0]} parameter {key[1]}: is asked for now"
        for key in sorted(had.keys() & has.keys()):
            yield from self.of(had[key].get("schema", {}), has[key].get("schema", {}), f"{where}: {key[1]}", sent=True)
        if "requestBody" in before:
            yield from self._contents(before["requestBody"], after.get("requestBody", {}), f"{where}: body", sent=True)
        elif after.get("requestBody", {}).get("required"):
            yield f"{where}: body: is asked for now"
        for status, answer in before["responses"].items():
            if status not in after["responses"]:
                yield f"{where}: {status}: gone"
            else:
                yield from self._contents(answer, after["responses"][status], f"{where}: {status}", sent=False)

    def _contents(self, before: Schema, after: Schema, where: str, *, sent: bool) -> Iterator[str]:
        for kind, content in before.get("content", {}).items():
            if kind not in after.get("content", {}):
                yield f"{where}: {kind}: gone"
            else:
                yield from self.of(
                    content.get("schema", {}), after["content"][kind].get("schema", {}), where, sent=sent
                )

    def of(self, before: Schema, after: Schema, where: str, *, sent: bool) -> Iterator[str]:
        """``sent``: by the caller, so that more may be allowed; else by us, so that no less may be told."""
        pair = (before.get("$ref", ""), after.get("$ref", ""), sent)
        if all(pair[:2]):
            if pair in self.under_way:
                return
            self.under_way.add(pair)
        old, new = _resolved(self.before, before), _resolved(self.after, after)
        if options := old.get("anyOf") or old.get("oneOf"):
            yield from self._options(options, new, where, sent=sent)
            return
        if new.get("anyOf") or new.get("oneOf"):
            yield from self._options([old], new, where, sent=sent)
            return
        was, now = _types(old), _types(new)
        if not (was <= now if sent else now <= was):
            yield f"{where}: was {', '.join(sorted(was))}, is {', '.join(sorted(now))}"
            return
        allowed, wanted = set(map(str, new.get("enum", []))), set(map(str, old.get("enum", [])))
        if sent and allowed and not wanted <= allowed:
            yield f"{where}: {', '.join(sorted(wanted - allowed)) or 'anything else'}: not allowed any more"
        had, has = old.get("properties", {}), new.get("properties", {})
        for name in sorted(had.keys() - has.keys()):
            yield f"{where}.{name}: gone"
        asked, told = (set(one.get("required", [])) for one in (new, old))
        for name in sorted((asked - told) & has.keys() if sent else (told - asked) & has.keys()):
            yield f"{where}.{name}: {'is asked for now' if sent else 'may be missing now'}"
        for name in sorted(had.keys() & has.keys()):
            yield from self.of(had[name], has[name], f"{where}.{name}", sent=sent)
        if "items" in old and "items" in new:
            yield from self.of(old["items"], new["items"], f"{where}[]", sent=sent)

    def _options(self, options: list[Schema], new: Schema, where: str, *, sent: bool) -> Iterator[str]:
        offered = new.get("anyOf") or new.get("oneOf") or [new]
        for option in options:
            faults = [list(_Comparison(self.before, self.after).of(option, one, where, sent=sent)) for one in offered]
            if all(faults):
                yield from min(faults, key=len)


_ANY = {"array", "boolean", "integer", "null", "number", "object", "string"}


def _types(schema: Schema) -> set[str]:
    """Which of JSON's types it takes; a number may be an integer."""
    given = schema.get("type", [])
    types = {given} if isinstance(given, str) else set(given)
    return (types | {"integer"} if "number" in types else types) or _ANY


def _resolved(document: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        found = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema


def main() -> None:
    if "--ship" in sys.argv[1:]:
        text = json.dumps(today(), sort_keys=True, separators=(",", ":"))
        SHIPPED.write_bytes(gzip.compress(text.encode(), mtime=0))
        return
    if faults := broken(shipped(), today()):
        raise SystemExit("breaks what was shipped:\n" + "\n".join(faults))


if __name__ == "__main__":
    main()
