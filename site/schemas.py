"""Tables of the fields of a JSON Schema."""


def documents(name, schema):
    """The documents of a schema, each with its name: one, or the report of each command."""
    definitions = schema.get("$defs", {})
    if "oneOf" not in schema:
        return [(name, schema)]
    reports = [definitions[report["$ref"].rpartition("/")[2]] for report in schema["oneOf"]]
    return [(report["properties"]["command"]["const"], {**report, "$defs": definitions}) for report in reports]


def table(schema):
    """One row for each field: its path, its type, and what the schema says about it."""
    rows = []
    add(rows, "", schema, schema.get("$defs", {}), ())
    return "| field | type | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def add(rows, path, schema, definitions, above):
    """Adds the fields of an object, and those of the objects in it. `above` are the definitions that it is part of."""
    for kind in alternatives(schema):
        name = kind.get("$ref", "").rpartition("/")[2]
        if name:
            if name in above:
                continue
            add(rows, path, definitions[name], definitions, (*above, name))
        elif "items" in kind:
            add(rows, f"{path}[]", kind["items"], definitions, above)
        elif isinstance(kind.get("additionalProperties"), dict):
            add(rows, f"{path}.*" if path else "*", kind["additionalProperties"], definitions, above)
        for field, value in kind.get("properties", {}).items():
            inner = f"{path}.{field}" if path else field
            about = " ".join(value.get("description", "").split()).replace("|", "\\|")
            rows.append(f"| `{inner}` | {type_of(value, definitions)} | {about} |")
            add(rows, inner, value, definitions, above)


def alternatives(schema):
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return schema[key]
    return [schema]


def type_of(schema, definitions):
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"] if value is not None)
    if "$ref" in schema:
        return type_of(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    kinds = alternatives(schema)
    if kinds != [schema]:
        return " or ".join(dict.fromkeys(type_of(kind, definitions) for kind in kinds))
    names = schema.get("type", "any")
    names = names if isinstance(names, list) else [names]
    if "array" in names and isinstance(schema.get("items"), dict):
        names = [f"list of {type_of(schema['items'], definitions)}" if name == "array" else name for name in names]
    return " or ".join(names)
