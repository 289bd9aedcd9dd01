"""No two modules import each other, not even by imports inside functions."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_modules_do_not_import_each_other():
    graph = grimp.build_graph("rum", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert any(imports.values())
    TopologicalSorter(imports).prepare()  # names a cycle, if there is one
