"""Commands for notes, journals, layers, chapters, wisdom, briefs and reports."""
