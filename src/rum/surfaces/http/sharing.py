"""`rum sync` with the server: who may do it, and the record of what was sent."""

from __future__ import annotations

import sys
from typing import Any

from rum.app.access import AccessToken, AuditLog
from rum.app.rum import answer_sync
from rum.app.sync.hosting import SyncRequest, changes
from rum.model.errors import RumError, StorageError
from rum.surfaces.http.projects import OpenProject, hide_details

NAME = "sync"


def reply_to(
    request: SyncRequest, token: AccessToken | None, audit: AuditLog, project: OpenProject
) -> dict[str, Any]:
    """The answer to a request; what changes something is recorded in the audit log. Runs in a thread."""
    if not changes(request):
        return _answer(request, token, project)
    with audit.open() as file:
        result = "defect"
        try:
            found = _answer(request, token, project)
            result = "ok"
        except RumError as error:
            result = error.code
            raise
        finally:
            try:
                audit.add(
                    file,
                    token=token.id if token else None,
                    name=token.name if token else None,
                    role=token.role if token else None,
                    project=project.rum.project.id,
                    call=NAME,
                    files=len(request.added),
                    removed=len(request.removed),
                    result=result,
                )
            except OSError as error:
                sys.stderr.write(f"rum serve: the audit log could not be written: {error.strerror}\n")
        return found


def _answer(request: SyncRequest, token: AccessToken | None, project: OpenProject) -> dict[str, Any]:
    rum = project.rum_of(token, NAME, None)
    try:
        return answer_sync(rum, token.id if token else "", request)
    except StorageError as error:
        if token is None:
            raise
        raise hide_details(error.to_dict()) from None
