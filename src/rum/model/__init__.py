"""What a memory, an agent, a question and an answer ARE: plain values, no I/O."""
