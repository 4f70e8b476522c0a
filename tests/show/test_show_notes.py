"""Notes in words and as Markdown: what a machine says of itself stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.finding import Evidence
from dlsetup.model.note import Concern, Harmless, Note, NoteStep, NotOfKind
from dlsetup.show.lines import plain
from dlsetup.show.notes import kind_lines, note_lines, refusal_lines, summary
from dlsetup.show.notes_markdown import code, note_markdown

markdown_it = pytest.importorskip("markdown_it")
NASTY = st.one_of(
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "[x](javascript:1)",
            "**b**",
            "# h",
            "```",
            "`",
            "``a",
            "![i](u)",
            "&lt;",
            "| a |",
        ]
    ),
    st.text(max_size=20),
)
STEP = NoteStep(
    id="driver",
    title="Install the driver",
    state="needed",
    why="There is none: `nvidia-smi` fails.",
    only_if="`lsmod` prints nothing",
    evidence=(Evidence(fact="GPU", value="RTX 4090", source="nvml"),),
    commands=("sudo apt install a",),
    check=("nvidia-smi",),
    sign="a table",
    after="a restart",
    undo=("sudo apt remove a",),
    sources=("https://example.org/guide (checked 2026-12-02)",),
)


def note(*steps: NoteStep, about: str = "this machine: Ubuntu") -> Note:
    warned = (Harmless(says="taints kernel", because="It works all the same.", source="s"),)
    return Note(kind="driver", title="The driver", about=about, steps=steps, harmless=warned)


def test_words_have_everything_and_sources_when_asked() -> None:
    text = plain(note_lines(note(STEP)))
    for part in (
        "1. Install the driver",
        "because there is none",
        "only if",
        "seen    GPU: RTX 4090 (from nvml)",
        "      sudo apt install a\n",
        "shows   a table, after a restart",
        "undo    with",
        "taints kernel",
    ):
        assert part in text
    assert "example.org" not in text
    assert "example.org" in plain(note_lines(note(STEP), verbose=True))


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (("needed", "needed", "ask", "right"), "! 2 steps to do, 1 fact to look up; 1 thing right."),
        (("right", "optional"), "✓ Nothing is left to do but 1 step for who wants it; 1 thing right."),
        (("blocked",), "✗ Something stands against it. Nothing else is left."),
        ((), "✓ Nothing is left to do; 0 things right."),
    ],
)
def test_the_sum_counts_what_is_left(states: tuple[str, ...], words: str) -> None:
    steps = [NoteStep(id=str(number), title="t", state=state) for number, state in enumerate(states)]  # type: ignore[arg-type]
    assert plain([summary(note(*steps))], 200).strip() == words


def test_a_condition_is_counted_apart() -> None:
    assert "1 step that may be needed" in summary(note(STEP)).text


def test_a_refusal_and_the_kinds_say_what_to_ask() -> None:
    text = plain(refusal_lines(NotOfKind(kind="jetson", because="this is no Jetson", ask=("dlsetup notes",))))
    assert (
        text == "✗ There is no note `jetson` for this machine: this is no Jetson.\n  ask     dlsetup notes\n"
    )
    kinds = [
        Concern(kind="driver", title="The driver", concerns=True, needed=2),
        Concern(kind="rocm", title="ROCm", concerns=False, because="no AMD GPU"),
    ]
    text = plain(kind_lines("this machine: x", kinds))
    assert "✓ driver: The driver; 2 steps to do" in text
    assert "· rocm: not for this machine: no AMD GPU" in text


@given(NASTY, NASTY, NASTY)
def test_nothing_that_a_machine_says_is_markup(name: str, value: str, command: str) -> None:
    step = NoteStep(
        id="x",
        title=f"The kernel is {name}",
        state="needed",
        why=f"It is {value}",
        evidence=(Evidence(fact=name, value=value, source=name),),
        commands=(f"echo {command}",),
        undo_words=name,
    )
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(note_markdown(note(step, about=name)))
    inner = [child for token in tokens for child in (token.children or [])]
    kinds = {token.type for token in (*tokens, *inner)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "table_open", "blockquote_open"}
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2", "h2"]
    fences = [token.content for token in tokens if token.type == "fence"]
    assert len(fences) == 1
    assert fences[0].startswith("echo")


@given(NASTY)
def test_a_code_span_holds_all_of_it(text: str) -> None:
    tokens = markdown_it.MarkdownIt("commonmark").parse(f"x {code(text)} y")
    spans = [child.content for child in tokens[1].children if child.type == "code_inline"]
    assert len(spans) == 1
