"""How well RUM tells whether the code of a memory is still there, on real histories."""
