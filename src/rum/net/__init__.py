"""The only package that sends HTTP requests; used by embedders and language models."""
