"""The brief: background knowledge for a prompt."""
