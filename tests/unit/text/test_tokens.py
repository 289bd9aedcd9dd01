"""The token estimate against a real tokenizer, on texts that its weights were not fitted to."""

import ast
import calendar
import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from rum.model.answers import DEPTHS, at_depth, to_json
from rum.model.fields import parse
from rum.model.ids import new_id
from rum.model.memory import Draft, FileRef, Memory, Operation
from rum.text.tokens import estimate_tokens

HERE = Path(__file__).parent
tokens = openai.o200k_base().count


def error(text: str) -> float:
    """How far off the estimate is, as a share of the real number."""
    return estimate_tokens(text) / tokens(text) - 1


def remembered(line: str) -> Memory:
    draft = parse(json.loads(line), Draft, "memory")
    actions = tuple(action.normalized(1_718_031_000) for action in draft.actions)
    paths = [action.details.file_path for action in actions if action.details.file_path]
    return Memory(
        id=new_id("mem"),
        agent_id=new_id("agent"),
        project_id="shop-5c1d90aa",
        session_id=new_id("session"),
        created_at=1_718_031_000,
        intent=draft.intent,
        outcome=draft.outcome,
        perception=draft.perception,
        reasoning=draft.reasoning,
        actions=actions,
        tags=draft.tags,
        importance=draft.importance,
        files=tuple(
            FileRef(path, Operation.EDIT, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391") for path in paths
        ),
        commit="5c1d90aa4b825dc642cb6eb9a060e54bf8d69288",
        branch="fix/checkout-retries",
    )


@pytest.fixture(scope="module")
def memories() -> list[Memory]:
    lines = (HERE / "memories.jsonl").read_text("utf-8").splitlines()
    return [remembered(line) for line in lines]


@pytest.mark.parametrize("depth", DEPTHS)
def test_single_memories_are_estimated_well_at_every_depth(memories: list[Memory], depth):
    errors = [abs(error(to_json(at_depth(memory, depth)))) for memory in memories]
    assert statistics.mean(errors) <= 0.08
    assert max(errors) <= 0.20


def test_nearly_every_memory_of_a_hundred_tokens_or_more_is_within_fifteen_per_cent(memories: list[Memory]):
    texts = [to_json(at_depth(memory, depth)) for memory in memories for depth in DEPTHS]
    errors = [abs(error(text)) for text in texts if tokens(text) >= 100]
    assert len(errors) > 40
    assert sum(off <= 0.15 for off in errors) >= 0.95 * len(errors)


@pytest.mark.parametrize("depth", DEPTHS)
def test_whole_answers_are_within_ten_per_cent(memories: list[Memory], depth):
    answer = {"memories": [at_depth(memory, depth, 0.731) for memory in memories[:6]], "total_matches": 6}
    assert abs(error(to_json(answer))) <= 0.10


def test_goals_and_summaries_alone_are_estimated_well(memories: list[Memory]):
    said = [f"{memory.intent.goal}. {memory.outcome.summary}" for memory in memories]
    assert statistics.mean(abs(error(text)) for text in said) <= 0.08
    assert abs(error("\n".join(said))) <= 0.08


def test_python_source_is_within_fifteen_per_cent():
    for source in (Path(calendar.__file__), Path(ast.__file__), Path(__file__)):
        text = source.read_text("utf-8")
        assert abs(error(text)) <= 0.15, source


MARKDOWN = """\
## Installing

1. Clone the repository and run `make setup`; it creates a virtual environment.
2. Copy `.env.example` to `.env` and fill in **DATABASE_URL** and **SECRET_KEY**.
3. Start everything with `docker compose up`. The app listens on <http://localhost:3000>.

| option | default | meaning |
|---|---|---|
| `--workers N` | 4 | how many processes answer requests |
| `--log-level` | info | one of `debug`, `info`, `warning`, `error` |

```sh
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v2/users?page=2
```

See the [contributing guide](CONTRIBUTING.md) before you open a pull request. We squash commits.
"""
TYPESCRIPT = """\
export async function fetchWithRetry(url: string, options: RequestInit = {}, retries = 3): Promise<Response> {
  for (let attempt = 0; attempt <= retries; attempt++) {
    try {
      const response = await fetch(url, { ...options, signal: AbortSignal.timeout(5_000) });
      if (response.status < 500 || attempt === retries) return response;
    } catch (error) {
      if (attempt === retries) throw error;
      console.warn(`attempt ${attempt + 1} failed`, error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 100));
  }
  throw new Error("unreachable");
}
"""
PROSE = """\
The harbour was quiet when they arrived, and nobody came to take the rope. Anna jumped ashore, tied the boat
to the nearest post and looked around. Three years ago there had been a market here every morning, with fish,
oranges and far too many seagulls. Now the shutters were closed, and a dog slept in front of the bakery.
"""


@pytest.mark.parametrize("text", [MARKDOWN, TYPESCRIPT, PROSE], ids=["Markdown", "TypeScript", "prose"])
def test_other_english_text_and_code_are_within_fifteen_per_cent(text: str):
    assert abs(error(text)) <= 0.15


@pytest.mark.parametrize(
    "text",
    [
        "Мы решили отказаться от старого формата журнала, потому что он занимал слишком много места. "
        "Новый формат проще разбирать, а перенос данных занял всего двадцать минут.",
        "Команда вирішила перейти на новий формат, бо старий займав забагато місця на диску.",
        "我们决定放弃旧的日志格式，因为它占用的空间太大。新的格式更容易解析，数据迁移只用了二十分钟。",
        "古いログ形式は容量を取りすぎるので廃止することにした。新しい形式は解析が簡単だ。",
        "이전 로그 형식은 공간을 너무 많이 차지해서 사용하지 않기로 했다. 새 형식은 분석하기 쉽다.",
        "Wir haben beschlossen, das alte Protokollformat aufzugeben. Die Übertragung dauerte nur zwanzig "
        "Minuten, jetzt müssen wir noch die Anleitung ändern.",
        "Nous avons décidé d'abandonner l'ancien format du journal. Le nouveau est plus facile à lire.",
    ],
    ids=["Russian", "Ukrainian", "Chinese", "Japanese", "Korean", "German", "French"],
)
def test_other_languages_are_within_thirty_per_cent(text: str):
    assert abs(error(text)) <= 0.30


def test_nothing_costs_nothing_and_anything_costs_something():
    assert estimate_tokens("") == 0
    assert estimate_tokens("\n") == 1


@given(st.text())
def test_any_text_has_an_estimate(text: str):
    assert (estimate_tokens(text) > 0) == (text != "")


@given(st.text(max_size=40), st.integers(1, 5))
def test_repeating_a_text_never_costs_less(text: str, times: int):
    once, more = estimate_tokens(f" {text} "), estimate_tokens(f" {text} " * times)
    assert more >= once
