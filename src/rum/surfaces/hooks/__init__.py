"""The door for hooks of coding agents: they tell what happens, and hear what is worth knowing."""
