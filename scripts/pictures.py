"""Takes the pictures of the page that README and docs show: `make pictures`.

They show the shop of the demo with the memories of the tests, so they never differ from what the page does.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from support.browser import launched, served, tab
from support.page_memories import Filled, fill
from support.projects import open_shop

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
MOST = 150_000  # Bytes of a picture


class Picture(NamedTuple):
    """A page, and how it is shown."""

    name: str
    route: str
    size: tuple[int, int] = (1180, 760)
    dark: bool = False


def pictures(filled: Filled) -> list[Picture]:
    """The pictures of a project."""
    return [
        Picture("overview", "overview"),
        Picture("memory", f"memory/{filled.refresh}", (1180, 770)),
        Picture("causes", f"causes/{filled.queue}", (1180, 440), dark=True),
    ]


def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with open_shop(Path(folder)) as shop:
            filled = fill(shop, now=time.time())
        with served(shop.folder, shop.home) as address, launched() as browser:
            for one in pictures(filled):
                with tab(browser, address, one.size, dark=one.dark) as opened:
                    opened.open(one.route)
                    data = opened.page.screenshot(path=PICTURES / f"{one.name}.png")
                    if len(data) > MOST:
                        raise SystemExit(f"{one.name}.png has {len(data)} bytes; {MOST} are allowed.")
                    print(f"docs/pictures/{one.name}.png {len(data):,} bytes")


if __name__ == "__main__":
    main()
