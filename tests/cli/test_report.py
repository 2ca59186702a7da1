"""`hkasm report`: one page that needs nothing else, a trace by the format's rules, a browser that clicks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Hkasm = Callable[..., Result]
TRITON = Path(__file__).parents[1] / "data" / "triton"
FOREIGN = ("gemm_bf16_nt_256x256x64_w8_gfx950", "attention_bf16_d128_causal_gfx942", "axpy_gfx950")
MOST_BYTES = 2 << 20
PLAYED = ("-p", "k=2048", "-p", "schedule=pingpong", "-p", "tile=256x256")
VOID = {"meta", "input", "img", "rect", "line", "path", "br"}


class _Balanced(HTMLParser):
    """Counts tags, and fails where one closes that is not the last that opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        given = dict(attrs)
        self.links += [str(given[name]) for name in ("href", "src") if name in given]
        self.ids += [str(given["id"])] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def _page(path: Path) -> _Balanced:
    found = _Balanced()
    found.feed(path.read_text())
    found.close()
    assert found.open == []
    return found


def _check_page(path: Path, instructions: int) -> _Balanced:
    text = path.read_text()
    assert path.stat().st_size < MOST_BYTES
    found = _page(path)
    # Nothing is fetched: links go within the page, pictures are in it.
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in found.links)
    assert "http" not in re.sub(r'data:image/png;base64,[^"]*', "", text)
    assert len(found.ids) == len(set(found.ids))
    assert {f"i{number}" for number in range(instructions)} <= set(found.ids)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    return found


@pytest.mark.parametrize("name", FOREIGN)
def test_a_page_about_somebody_elses_kernel(hkasm: Hkasm, tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    result = hkasm("report", TRITON / f"{name}.hsaco", "-o", path)
    assert (result.exit_code, result.stderr, result.stdout) == (0, "", f"wrote {path}\n")
    counted = json.loads(hkasm("show", "code", TRITON / f"{name}.hsaco", "--json").stdout)
    _check_page(path, sum(block["statistics"]["instructions"] for block in counted["blocks"]))


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_page_about_the_gemm_and_its_trace(hkasm: Hkasm, tmp_path: Path, toolchain: None, arch: str) -> None:
    page, trace = tmp_path / "deep" / "gemm.html", tmp_path / "gemm.json"
    words = ("-p", "m=16", "-p", "n=16", "-p", "k=128", "-p", "schedule=pingpong", "-p", "tile=256x256")
    result = hkasm("report", "gemm", "--arch", arch, "-o", page, "--trace", trace, *words)
    assert (result.exit_code, result.stderr, result.stdout) == (0, "", f"wrote {page}, {trace}\n")
    found = _check_page(page, 100)
    assert "group 1" in page.read_text()
    assert found.seen["rect"] > 500
    _check_trace(json.loads(trace.read_text()))


def test_a_loop_with_turns_enough_has_the_cycle_models_clocks(hkasm: Hkasm, tmp_path: Path, toolchain: None) -> None:
    page = tmp_path / "gemm.html"
    result = hkasm("report", "gemm", "--arch", "gfx950", "-o", page, *PLAYED)
    assert (result.exit_code, result.stderr) == (0, "")
    _check_page(page, 100)
    text = page.read_text()
    assert " clocks a turn as the cycle model played it" in text
    assert "Waves 0 and 4 share a SIMD." in text
    assert re.search(r'class="bar MFMA"[^>]* data-s="matrix unit \d+', text)
    assert re.search(r'class="bar barrier"[^>]* data-s="barrier \d+', text)


def _check_trace(document: dict[str, Any]) -> None:
    """Check what the Trace Event Format asks of a document, and one track for each wave and unit."""
    events = document["traceEvents"]
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    complete = [event for event in events if event["ph"] == "X"]
    assert {event["ph"] for event in events} == {"M", "X"}
    for event in complete:
        assert isinstance(event["name"], str)
        assert all(isinstance(event[key], int) for key in ("ts", "dur", "pid", "tid"))
        assert event["ts"] >= 0 < event["dur"]
        assert named[event["pid"], event["tid"]].endswith(f" {event['cat']}")
    assert {name.split()[1] for name in named.values()} == {str(wave) for wave in range(8)}
    # Events of a track do not overlap.
    tracks: dict[int, list[int]] = {}
    for event in complete:
        tracks.setdefault(event["tid"], []).append(event["ts"])
    assert all(len(times) == len(set(times)) for times in tracks.values())


def test_a_trace_of_a_file_is_refused_and_nothing_is_written(hkasm: Hkasm, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = hkasm("report", TRITON / "axpy_gfx950.hsaco", "-o", page, "--trace", tmp_path / "t.json")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def browser() -> Iterator[Any]:
    """Give a headless Chromium, or skip: Debian's chromium and chromium-driver, and selenium."""
    webdriver = pytest.importorskip("selenium.webdriver")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("no chromium with chromedriver here")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--window-size=1240,1200"):  # fmt: skip
        options.add_argument(word)
    found = webdriver.Chrome(options=options, service=service.Service(driver))
    yield found
    found.quit()


def test_hover_filter_and_keys(hkasm: Hkasm, tmp_path: Path, toolchain: None, browser: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = tmp_path / "gemm.html"
    assert hkasm("report", "gemm", "--arch", "gfx950", "-o", page, *PLAYED).exit_code == 0
    browser.get(page.as_uri())
    said = browser.find_element("id", "said")
    bar = browser.find_element("css selector", "#timeline .bar.MFMA")
    ActionChains(browser).move_to_element(bar).perform()
    assert "v_mfma_f32_16x16x32_bf16" in said.text
    assert "hkasm/kernels/gemm/" in said.text
    stalled = browser.find_element("css selector", "#timeline .bar.MFMA[data-s]")
    ActionChains(browser).move_to_element(stalled).perform()
    assert "stalls: " in said.text
    box = browser.find_element("css selector", ".units input[value=MFMA]")
    box.click()
    assert not bar.is_displayed()
    box.click()
    assert bar.is_displayed()
    # From the top of the page: links, the boxes of the units, then the picture as one stop.
    browser.get(page.as_uri())
    said = browser.find_element("id", "said")
    for _ in range(40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        if "bar" in (browser.switch_to.active_element.get_attribute("class") or "").split():
            break
    before = said.text
    assert "(cycle " in before
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert said.text != before
    assert "(cycle " in said.text
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert "#i" in browser.current_url
    heat = browser.find_element("css selector", "img.heat")
    ActionChains(browser).move_to_element(heat).perform()
    assert said.text.startswith("v")
