"""The hooks and tools of each client, read into one form of event; one module a client."""
