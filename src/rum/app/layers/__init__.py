"""Layers: facts, rules, events and `MemoryManager`."""
