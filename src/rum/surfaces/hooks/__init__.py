"""`rum-hook`: the interface for the hooks of coding agents. Events in, offers out."""
