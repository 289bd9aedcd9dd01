"""Journal files: YAML that people may edit too."""
