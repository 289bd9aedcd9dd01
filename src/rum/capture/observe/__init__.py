"""What was seen of an agent at work, made into a memory: events go in, plain values come out."""
