"""Which claims and rules reach a brief: those that speak of the task, or of the very file at hand."""

from __future__ import annotations

from rum import Rum
from support.projects import Shop
from support.stories import tell


def told(rum: Rum, task: str, *files: str) -> str:
    return rum.brief(task=task, file=files, tokens=2000).text


def test_a_rule_for_another_file_of_the_folder_is_left_out(rum: Rum) -> None:
    rum.rules.add("After changing src/app/ctx.py", "Run tox")
    assert not rum.rules.match("Edit src/app/json.py")
    assert rum.rules.match("Edit src/app/ctx.py")
    assert "Run tox" not in told(rum, "Autoescape svg templates", "src/app/templating.py")
    assert "Run tox" in told(rum, "Autoescape svg templates", "src/app/ctx.py")


def claims(rum: Rum, task: str, *files: str) -> str:
    """What the brief says that the project has learned."""
    return told(rum, task, *files).partition("Has Learned\n")[2].partition("\n#")[0]


BUSY = "83 of 312 memories changed src/flask/app.py."
TOO = "5 of 6 memories that changed src/flask/app.py changed src/flask/ctx.py too."
ENDINGS = "Autoescape has to know the endings of templates"


def known(shop: Shop, rum: Rum, *learned: str) -> None:
    """Wisdom that makes these claims, each of which two memories bear out."""
    story = [
        {"goal": goal, "summary": "Done", "learnings": learned, "tags": ["app"]}
        for goal in ("Sort the imports", "Paint the zebra")
    ]
    ids = tell(shop, rum, story)
    chapters = [rum.chapters.create(memory_ids=[one], title=f"Chapter of {one}").chapter_id for one in ids]
    rum.wisdom.synthesize(chapter_ids=chapters, insights=list(learned))


def test_words_of_paths_and_statistics_of_files_are_no_claims_about_a_task(shop: Shop, rum: Rum) -> None:
    known(shop, rum, BUSY, TOO, ENDINGS)
    assert not claims(rum, "Sign the cookies", "src/flask/templating.py")
    useful = claims(rum, "Autoescape svg templates", "src/flask/templating.py")
    assert ENDINGS in useful
    assert "flask/app.py" not in useful


def test_a_claim_about_the_very_file_says_what_to_do_there(shop: Shop, rum: Rum) -> None:
    known(shop, rum, BUSY, TOO, ENDINGS)
    at_hand = claims(rum, "Sign the cookies", "src/flask/app.py")
    assert TOO.rstrip(".") in at_hand
    assert BUSY.rstrip(".") not in at_hand
    assert BUSY.rstrip(".") not in claims(rum, "Change the memories of src/flask/app.py", "src/flask/app.py")


def test_claims_that_differ_only_in_numbers_are_listed_once(shop: Shop, rum: Rum) -> None:
    known(shop, rum, TOO)
    known(shop, rum, TOO.replace("5 of 6", "7 of 9"))
    text = claims(rum, "Sign the cookies", "src/flask/app.py")
    assert text.count("that changed src/flask/app.py changed src/flask/ctx.py too") == 1
