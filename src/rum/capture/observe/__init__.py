"""From captured events to memories: events of an agent at work go in, the fields of a memory come out."""
