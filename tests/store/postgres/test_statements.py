"""Both databases know every statement that the tables name."""

from __future__ import annotations

from rum.store.postgres.statements import SQL
from rum.store.sqlite.records import SQL as SQLITE

# What only files need, or what one of the two does otherwise.
ONLY_SQLITE = """
archive_figures archived_terms_of begin_renewed best_knowledge count_knowledge_with_term count_rows_below
count_tagged
drop_all_archived_terms end_renewed is_in_schema knowledge_figures knowledge_with_term live_figures
note_no_archived_terms note_renewed_terms open_archived_instances parts_of_index put_renewed_terms
remove_from_schema
renew_terms schema_in_order yet_to_renew
"""
ONLY_POSTGRES = """
begin_derived consider_candidates create_project delete_project drop_stray_terms end_move index_figures
knowledge_size
knowledge_with_terms large_vectors note_archived_terms packed_vectors_among
page_of_archived project_number role_figures status_figures vector_indexes
"""


def test_both_databases_have_the_same_statements():
    assert sorted(SQLITE.keys() - SQL.keys()) == sorted(ONLY_SQLITE.split())
    offers = {name for name in SQL if name.startswith("offer_")}  # those of files are in `readonly.py`
    assert sorted(SQL.keys() - SQLITE.keys() - offers) == sorted(ONLY_POSTGRES.split())
