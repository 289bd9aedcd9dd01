"""Optional language models, off by default: send a prompt, get a validated answer."""
