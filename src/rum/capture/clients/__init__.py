"""What each client says in its hooks and how it names its tools: one file a client, one kind of event out."""
