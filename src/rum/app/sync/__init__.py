"""Sharing one memory between machines: through a git ref, a folder, or an export."""
