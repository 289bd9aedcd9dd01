"""How well the redactor finds made-up secrets of many kinds."""
