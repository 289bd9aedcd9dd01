"""Files that people read and edit too: notes and journals."""
