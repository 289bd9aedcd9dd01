"""One small port to a language model, off by default: a question goes out, a checked answer comes back."""
