"""Fits the weights of `rum.text.tokens` to a real tokenizer: `python benchmarks/fit_tokens.py`.

One half of the samples is fitted; the errors shown are those of the other half.
"""

from __future__ import annotations

from rs_bpe.bpe import openai

from rum.text.tokens import BEYOND_ASCII, WEIGHTS, shape
from token_samples import samples

Table = tuple[tuple[float, tuple[bytes, ...]], ...]


def least_squares(rows: list[list[float]], wanted: list[float]) -> list[float]:
    """The weights of the columns that come nearest to what is wanted, row by row."""
    size = len(rows[0])
    system = [
        [sum(row[i] * row[j] for row in rows) + 1e-9 * (i == j) for j in range(size)]
        + [sum(row[i] * want for row, want in zip(rows, wanted, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        best = max(range(i, size), key=lambda k: abs(system[k][i]))
        system[i], system[best] = system[best], system[i]
        for k in range(size):
            if k != i:
                share = system[k][i] / system[i][i]
                system[k] = [a - share * b for a, b in zip(system[k], system[i], strict=True)]
    return [system[i][-1] / system[i][i] for i in range(size)]


def total(text: str, table: Table) -> float:
    """The estimate before it is rounded."""
    return sum(weight * sum(map(shape(text).count, patterns)) for weight, patterns in table)


def fitted(texts: list[tuple[str, int]], table: Table, known: Table = ()) -> Table:
    """The table with the weights that keep the relative error small, given what is `known` already."""
    rows = [[sum(map(shape(text).count, patterns)) / real for _, patterns in table] for text, real in texts]
    wanted = [1 - total(text, known) / real for text, real in texts]
    weights = least_squares(rows, wanted)
    return tuple((round(w, 3), patterns) for w, (_, patterns) in zip(weights, table, strict=True))


def main() -> None:
    """Fit, print the tables as they stand in `tokens.py`, and print the errors on the other half."""
    count = openai.o200k_base().count
    texts = [(text, count(text)) for kind in samples(0).values() for text in kind]
    plain = fitted([pair for pair in texts if pair[0].isascii()], WEIGHTS)
    other = fitted([pair for pair in texts if not pair[0].isascii()], BEYOND_ASCII, plain)
    for name, table in (("WEIGHTS", plain), ("BEYOND_ASCII", other)):
        print(f"{name} = (", *(f"    {row}," for row in table), ")", sep="\n")
    print(f"\n{'kind':<18} texts  tokens   bias  error    95 %   max")
    for kind, found in samples(1).items():
        real = [count(text) for text in found]
        off = [total(text, plain + other) / r - 1 for text, r in zip(found, real, strict=True)]
        size = sorted(map(abs, off))
        figures = (sum(off) / len(off), sum(size) / len(off), size[int(0.95 * (len(size) - 1))], size[-1])
        print(f"{kind:<18} {len(found):5} {sorted(real)[len(real) // 2]:7}", *(f"{f:6.1%}" for f in figures))


if __name__ == "__main__":
    main()
