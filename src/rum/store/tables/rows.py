"""Read rows of which some are damaged, and pack the layers of an archived memory into one blob.

What can be read is returned, and the rest is named.
"""

from __future__ import annotations

import zlib

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")


# What a value raises that is no JSON, of another shape, or of another type than its column's.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)


class DamagedRows(dict[str, str]):
    """The kinds of the rows that could not be read as a whole, by id; the ids end up in messages."""

    def read(self, kind: str, row_id: object, step: Callable[[], T], instead: T) -> T:
        """The value of a step; if it cannot be read, the row is noted and `instead` returned."""
        try:
            return step()
        except UNREADABLE:
            self.note(kind, row_id)
            return instead

    def note(self, kind: str, row_id: object) -> None:
        """Note that a row is damaged."""
        # An id may be damaged too.
        self[str(row_id) if str(row_id).isprintable() else "?"] = kind


FORM = 1  # The format of new blobs; each blob has its own number

# Compression dictionaries by form: common parts of memories' JSON, most common last. They never change, as
# blobs need theirs.
#
# They contain no text of any memory, as that would keep words of forgotten ones.
_COMMON = {
    1: b'"constraints":["","patterns_noticed":["","anomalies":["","assumptions":["","risks_identified":["","'
    b'{"observations":[{"what":"","where":"","significance":""}],"relevant_files":[{"path":"","relevance":""'
    b',"state_summary":""},{"path":"src/","alternatives_considered":[{"approach":"","why_rejected":""},"'
    b'"verified_by":{"type":"build","command":"","result":""}"verified_by":{"type":"manual","'
    b'"type":"typecheck","type":"lint","type":"test","command":""follow_up_needed":["'
    b'"failure_category":"incorrect_assumption""missing_dependency""race_condition""type_error""test_failure"'
    b'"build_failure""runtime_error""logic_error""unexpected_side_effect"'
    b'"task_type":"dependency_update""configuration""security_fix""optimization""investigation"'
    b'"documentation""test_write""refactor""other""feature_add""bug_fix"'
    b'"output_summary":"","error":"","duration_ms":"diff_hash":"","working_directory":"","scope":""'
    b'{"type":"external_query","timestamp":1{"type":"search","timestamp":1,"details":{"query":""'
    b'{"type":"file_read","timestamp":1{"type":"file_delete","timestamp":1{"type":"file_create","timestamp":1'
    b'{"type":"command_run","timestamp":1,"details":{"command":""},"result":{"success":false}'
    b'},"result":{"success":true}},"result":null},{"type":"file_edit","timestamp":17,"details":'
    b'{"file_path":"src/","lines_affected":"","diff_summary":""},"result":null}]\n'
    b'{"success":false,"summary":"","learnings":["","failure_reason":"","failure_category":""'
    b'{"approach_chosen":"","why_chosen":""}\n{}\n{}\n[]\n{"success":true,"summary":"","learnings":[""]}'
    b'{"goal":"","task_type":"","context":"'
}


def packed(layers: Sequence[str], goal: str, summary: str) -> bytes:
    """Compress the JSON of the layers; goal and summary, which the row has too, cost almost nothing."""
    dictionary = _dictionary(FORM, goal, summary)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, dictionary)
    return squeeze.compress("\n".join(layers).encode()) + squeeze.flush()


def unpacked(form: int, data: bytes, goal: str, summary: str) -> list[str]:
    """The JSON of the layers; a blob that is damaged, or not of this row, raises ValueError."""
    if form not in _COMMON:
        raise ValueError(f"it is packed in form {form}, which a newer RUM knows")
    unsqueeze = zlib.decompressobj(zlib.MAX_WBITS, _dictionary(form, goal, summary))
    try:
        text = unsqueeze.decompress(data) + unsqueeze.flush()
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unsqueeze.eof:
        raise ValueError("its end is missing")
    return text.decode().split("\n")


def _dictionary(form: int, goal: str, summary: str) -> bytes:
    return _COMMON[form] + f"{summary}\n{goal}".encode()
