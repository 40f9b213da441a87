"""Documents of JSON that commands print, against the schema in the docs.

UPDATE_SCHEMA=1 widens the schema by every document that is seen: a property of a new kind of document, or of a new type, is
added, and one that a document lacks is no longer required.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[2] / "docs" / "schema.json"
_TYPES = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


def check_document(document: Any) -> None:
    """Reject a document that has no kind, or is not as the schema says."""
    if os.environ.get("UPDATE_SCHEMA"):
        _widen(document)
    schema = json.loads(SCHEMA.read_text())
    kinds = schema["$defs"]
    assert document["kind"] in kinds, document["kind"]
    Draft202012Validator(kinds[document["kind"]]).validate(document)


def _widen(document: dict[str, Any]) -> None:
    schema = json.loads(SCHEMA.read_text()) if SCHEMA.exists() else _empty()
    kind = document["kind"]
    schema["$defs"][kind] = _of(document, schema["$defs"].get(kind), 2)
    schema["$defs"][kind]["properties"]["kind"] = {"const": kind}
    schema["$defs"] = dict(sorted(schema["$defs"].items()))
    schema["oneOf"] = [{"$ref": f"#/$defs/{name.replace(' ', '%20')}"} for name in schema["$defs"]]
    SCHEMA.write_text(json.dumps(schema, indent=1) + "\n")


def _empty() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What commands of counterplay print with --json",
        "description": "Every document has a kind, which is the name of the command, and the version of the library. "
        "Amounts are chips a hand unless a name says otherwise (percent, mbb, bb_per_100, seconds, bytes). "
        "A number that is not known is absent.",
        "$defs": {},
        "oneOf": [],
    }


def _of(value: Any, known: dict[str, Any] | None, depth: int) -> dict[str, Any]:
    """The schema of a value, wide enough for what is known already. depth: levels of named properties."""
    known = known or {}
    types = known.get("type", [])
    schema: dict[str, Any] = {"type": sorted({*([types] if isinstance(types, str) else types), _TYPES[type(value)]})}
    schema["type"] = schema["type"][0] if len(schema["type"]) == 1 else schema["type"]
    if isinstance(value, dict) and depth:
        names = dict.fromkeys((*known.get("properties", {}), *value))
        schema["properties"] = {
            name: _of(value[name], known.get("properties", {}).get(name), depth - 1)
            if name in value
            else known["properties"][name]
            for name in names
        }
        if depth == 2:
            schema["required"] = [name for name in value if name in known.get("required", value)]
            schema["additionalProperties"] = False
    elif "properties" in known:
        schema["properties"] = known["properties"]
    return schema
