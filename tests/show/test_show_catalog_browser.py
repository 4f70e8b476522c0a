"""The page in a real Chromium: what it shows is the document, whatever is filtered, by mouse and by keys."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_documents import ENDED, SMALL, build_row, matrix, release_row
from msgspec.structs import replace

from dlsetup.show.catalog_document import BuildRow, Matrix, ShowDocument
from dlsetup.show.catalog_page import page

MARKS = {"yes": "✓", "no": "✗", "unknown": "?"}
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def missing(reason: str) -> None:
    """Skip, or fail where the run is told that a browser has to be there."""
    if "browser" in os.environ.get("DLSETUP_REQUIRE", "").split(","):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a window; of the system, never fetched."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing("there is no Chromium on this machine")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright, which drives the browser, is not installed")
    with sync_playwright() as driver:
        # The sandbox of the browser does not start for root, nor in most containers.
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page in the browser, with all that it complained of or asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page = browser.new_page(**options)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.goto(path.as_uri())

    def cells(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Mark and class of each cell, by release and variant."""
        script = """cells => cells.map(cell =>
            [cell.dataset.version, cell.dataset.variant, cell.textContent, cell.className])"""
        found = self.page.eval_on_selector_all("td[data-version]", script)
        return {(version, variant): (mark, kind) for version, variant, mark, kind in found}

    def count(self) -> str:
        return str(self.page.text_content("#count"))

    def focused(self) -> str | None:
        label: str | None = self.page.evaluate("document.activeElement.getAttribute('aria-label')")
        return label


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    made: list[Opened] = []

    def open_page(shown: Matrix = SMALL, **options: Any) -> Opened:
        path = tmp_path / "page.html"
        path.write_text(page(ShowDocument(framework=shown)), encoding="utf-8")
        made.append(Opened(chromium, path, **options))
        return made[-1]

    yield open_page
    for item in made:
        assert item.complaints == []
        assert all(url.startswith("file://") for url in item.asked)
        assert len(item.asked) == 1
        item.page.close()


def expected(shown: Matrix, **wanted: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """The cells that the document asks for, worked out apart from the script."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for release in shown.releases:
        for variant in shown.variants:
            builds = [item for item in release.builds if item.variant == variant and _passes(item, **wanted)]
            answers = {item.answer for item in builds}
            best = next((answer for answer in ("yes", "unknown", "no") if answer in answers), None)
            if best and wanted.get("answer", best) == best:
                found[str(release.version), variant] = (MARKS[best], best)
    return found


def _passes(
    build: BuildRow, variant: str = "", python: str = "", platform: str = "", gpu: str = "", answer: str = ""
) -> bool:
    return (
        build.variant.startswith(variant)
        and (not python or python in build.pythons)
        and (not platform or platform in build.platforms)
        and (not gpu or gpu in map(str, build.serves))
    )


def test_every_cell_has_the_mark_and_the_colour_of_the_document(opened: Any) -> None:
    shown = opened()
    assert shown.cells() == expected(SMALL)
    assert shown.count() == "3 of 3 releases, 7 cells"
    heads = shown.page.eval_on_selector_all("thead th", "all => all.map(one => one.textContent)")
    assert heads == ["release", "cu118", "cu126", "cu130", "cpu"]
    colours = "name => getComputedStyle(document.querySelector('td.' + name)).backgroundColor"
    assert len({shown.page.evaluate(colours, name) for name in ("yes", "no", "unknown")}) == 3


@pytest.mark.parametrize(
    "wanted",
    [
        {"variant": "cu1"},
        {"variant": "cu13"},
        {"python": "3.9"},
        {"python": "3.12", "platform": "windows-amd64"},
        {"gpu": "8.9"},
        {"answer": "yes"},
        {"answer": "unknown"},
        {"answer": "no", "platform": "linux-x86_64"},
        {"variant": "rocm"},
    ],
    ids=str,
)
def test_filters_leave_what_the_document_says(wanted: dict[str, str], opened: Any) -> None:
    shown = opened()
    for name, value in wanted.items():
        if name == "variant":
            shown.page.fill("#variant", value)
        else:
            shown.page.select_option(f"#{name}", value)
    left = expected(SMALL, **wanted)
    assert shown.cells() == left
    rows = len({version for version, _ in left})
    assert shown.count() == f"{rows} of 3 releases, {len(left)} cells"
    assert shown.page.locator("tbody tr:visible").count() == rows
    shown.page.click("text=Show all")
    shown.page.locator("#count", has_text="3 of 3 releases, 7 cells").wait_for()
    assert shown.cells() == expected(SMALL)


def test_a_release_is_found_by_its_beginning(opened: Any) -> None:
    shown = opened()
    shown.page.fill("#release", "2.1")
    assert {version for version, _ in shown.cells()} == {"2.1"}


def test_a_wheel_for_every_platform_is_left_whichever_is_chosen(opened: Any) -> None:
    everywhere = build_row("any", "yes", platforms=("any",))
    shown = opened(matrix(release_row("1.0", everywhere, build_row("cpu", "yes"))))
    offered = "all => all.map(one => one.value)"
    assert shown.page.eval_on_selector_all("#platform option", offered) == ["", "linux-x86_64"]
    shown.page.select_option("#platform", "linux-x86_64")
    assert {variant for _, variant in shown.cells()} == {"any", "cpu"}


def test_a_cell_tells_more(opened: Any) -> None:
    shown = opened()
    shown.page.click('td[data-version="2.1"][data-variant="cu130"] button')
    told = shown.page.inner_text("#detail")
    assert "deep 2.1 cu130" in told
    assert "✗ does not work: CUDA 13 needs NVIDIA driver 580 or newer on Linux" in told
    assert "8.0, 9.0" in told
    shown.page.click('td[data-version="2.1"][data-variant="cu126"] button')
    articles = shown.page.eval_on_selector_all("#detail article p", "all => all.map(one => one.className)")
    assert articles == ["yes", "no"]
    assert shown.page.locator("[aria-pressed=true]").count() == 1


def test_the_keys_lead_from_cell_to_cell(opened: Any) -> None:
    shown = opened()
    shown.page.focus("button[type=reset]")
    shown.page.keyboard.press("Tab")
    assert str(shown.focused()).startswith("2.2 cu130: does not work, CUDA 13")
    shown.page.keyboard.press("ArrowRight")
    assert shown.focused() == "2.2 cpu: works, by itself"
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("ArrowLeft")
    assert str(shown.focused()).startswith("2.1 cu130")
    shown.page.keyboard.press("Enter")
    assert "deep 2.1 cu130" in shown.page.inner_text("#detail")
    assert shown.page.locator("td button[tabindex='0']").count() == 1
    shown.page.keyboard.press("ArrowUp")
    shown.page.keyboard.press("ArrowUp")
    assert str(shown.focused()).startswith("2.2 cu130")


def test_a_screen_reader_hears_names_and_changes(opened: Any) -> None:
    shown = opened()
    unnamed = """() => [...document.querySelectorAll('input, select')]
        .filter(one => !one.labels || !one.labels[0].textContent.trim()).length"""
    assert shown.page.evaluate(unnamed) == 0
    assert shown.page.get_attribute("#count", "role") == "status"
    assert shown.page.get_attribute("#detail", "aria-live") == "polite"
    scopes = shown.page.eval_on_selector_all("th", "all => all.map(one => one.scope)")
    assert set(scopes) == {"col", "row"}
    assert shown.page.evaluate("document.documentElement.lang") == "en"


def test_dark_and_light_can_be_read(opened: Any) -> None:
    script = """() => [...document.querySelectorAll('td[class] button, h1, th')].map(one => {
        let ground = one;
        while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentNode;
        return [getComputedStyle(one).color, getComputedStyle(ground).backgroundColor];
    })"""
    grounds = []
    for scheme in ("light", "dark"):
        shown = opened(color_scheme=scheme)
        pairs = shown.page.evaluate(script)
        assert min(_contrast(ink, ground) for ink, ground in pairs) >= 4.5
        grounds.append(shown.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def _contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines measure it."""
    light, dark = sorted(map(_luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[4:-1].split(",")]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_hostile_words_are_shown_and_not_obeyed(opened: Any) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    build = build_row("cu126", "no", because=hostile, expects=(hostile,))
    shown = opened(replace(matrix(release_row("1.0", build)), title=hostile, target_words=hostile))
    shown.page.click("td button")
    assert hostile in shown.page.inner_text("#detail")
    assert hostile in shown.page.inner_text("#about")
    assert shown.page.locator("img").count() == 0
    assert shown.page.locator("script").count() == 2


def test_the_end_of_a_framework_is_told(opened: Any) -> None:
    shown = opened(replace(SMALL, ended=ENDED))
    assert "Ended with 2.2 (2026-01-31); instead: deeper." in shown.page.inner_text("#about")
