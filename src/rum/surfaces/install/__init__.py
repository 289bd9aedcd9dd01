"""What other programs' settings need to use RUM: values, and edits of text that leave the rest alone."""
