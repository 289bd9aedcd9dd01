"""The functions and classes of a file by its grammar, where the extra `symbols` is installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

MAX_NODES = 500_000  # Of a file's tree that are looked at
_LONGEST = 500  # Characters of a name; what is nested more deeply has none
# The module of a grammar and its function, by the end of a file's name.
_GRAMMARS = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), ("tree_sitter_javascript", "language")),
    **dict.fromkeys(("ts", "mts", "cts"), ("tree_sitter_typescript", "language_typescript")),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rs": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    **dict.fromkeys(("c", "h"), ("tree_sitter_c", "language")),
}
_NAMED = frozenset(
    (
        *("abstract_class_declaration", "annotation_type_declaration", "class", "class_declaration"),
        *(
            "constructor_declaration",
            "enum_declaration",
            "enum_item",
            "enum_specifier",
            "function_declaration",
        ),
        *("function_item", "generator_function_declaration", "interface_declaration", "internal_module"),
        *("macro_definition", "method_declaration", "method_definition", "mod_item", "preproc_function_def"),
        *("record_declaration", "struct_item", "struct_specifier", "trait_item", "type_alias_declaration"),
        *("type_spec", "union_item", "union_specifier"),
    )
)
_WITH_BODY = frozenset(("struct_specifier", "enum_specifier", "union_specifier"))  # Else it is only used
_BINDINGS = frozenset(("variable_declarator", "public_field_definition", "field_definition"))
_BOUND = frozenset(("arrow_function", "function_expression", "class"))


Place = tuple[str, int, int]  # A name, with that of what is around it, and its lines


def grammar_symbols(text: str, path: str) -> list[Place] | None:
    """The functions and classes of a file, outer ones before inner ones.

    None without its grammar, or if the file has errors.
    """
    known = grammar(path.rpartition(".")[2].lower())
    if known is None:
        return None
    parser = import_module("tree_sitter").Parser(known)  # One for each file, as threads must not share it
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    return None if root.has_error else list(_symbols(root))


@lru_cache
def grammar(kind: str) -> Any:
    """The grammar of files whose names end so; None without the extra."""
    module, function = _GRAMMARS.get(kind, ("", ""))
    if not module:
        return None
    try:
        return import_module("tree_sitter").Language(getattr(import_module(module), function)())
    except (ImportError, AttributeError, ValueError, TypeError):  # Another version has another interface
        return None


def _symbols(root: Any) -> Iterator[Place]:
    left = MAX_NODES
    nodes: list[tuple[Any, str]] = [(root, "")]
    while nodes and left:
        left -= 1
        node, outer = nodes.pop()
        name = _name(node)
        if name and len(outer) < _LONGEST:
            outer = f"{outer}.{name}" if outer else name
            yield outer, node.start_point[0] + 1, node.end_point[0] + 1
        nodes += [(child, outer) for child in reversed(node.named_children)]


def _name(node: Any) -> str:
    """The name that a node declares; empty if it declares none."""
    kind = node.type
    if kind == "impl_item":
        return _text(node.child_by_field_name("type")).partition("<")[0].rpartition("::")[2]
    if kind == "function_definition":
        return _declared(node.child_by_field_name("declarator"))
    if kind in _BINDINGS:
        value = node.child_by_field_name("value")
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        return _text(name) if value and value.type in _BOUND else ""
    if kind not in _NAMED or (kind in _WITH_BODY and not node.child_by_field_name("body")):
        return ""
    return _text(node.child_by_field_name("name"))


def _declared(node: Any) -> str:
    """The name of a function of C: `int (*open_gate(struct gate *gate))(void)`."""
    while node is not None and node.type != "identifier":
        named = node.named_children
        node = node.child_by_field_name("declarator") or (named[0] if named else None)
    return _text(node)


def _text(node: Any) -> str:
    return node.text.decode("utf-8", "replace") if node is not None else ""
