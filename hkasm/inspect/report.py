"""One self-contained HTML page about a program: resources, hot loops as timelines, registers, LDS, findings, code."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from importlib import resources
from typing import Final

import hkasm
from hkasm.analysis.finding import Finding
from hkasm.analysis.flow import Span, flow_of, liveness
from hkasm.asm.program import Program
from hkasm.inspect.code import CodeLine, code_blocks
from hkasm.inspect.heat import STATES, heat_strip, indexed_png
from hkasm.inspect.resources import resources_of
from hkasm.inspect.statistics import hot_loop, statistics
from hkasm.inspect.timeline import LANES, Bar, Load, Timeline, loads_of, shown_timeline, slack_of, unit_of
from hkasm.model.cycles import Cycles

__all__ = ["loop_svg", "report_page"]

_PALETTE: Final = ((0, 0, 0, 0), (128, 140, 155, 70), (237, 174, 73, 190), (209, 73, 91, 255))
"""Of the heat strips' states: free, held, live, touched; half transparent, so that they do on light and on dark."""
_FILE_NAMES: Final = {"v": "VGPR", "a": "AGPR", "s": "SGPR"}
_LANE_HEIGHT, _LEFT, _WIDTH, _TOP = 17, 74, 1120, 30
_ROW_PIXELS: Final = 3
_DIGIT_PIXELS: Final = 7
_MOST_LOOPS: Final = 4

_Scale = Callable[[float], float]
_Row = Callable[[int, str], int]


def report_page(
    program: Program, findings: Sequence[Finding] = (), *, checked: bool = True, cycles: Cycles | None = None
) -> str:
    """Return the page. `findings` are what checks said of the program; `checked` tells whether any were run.

    `cycles` are of the program on the cycle model: the loop that it played is drawn with its clocks and stalls.
    """
    program.layout()
    flow = flow_of(program)
    hot = hot_loop(program)
    loops = [hot] if hot else []
    loops += [span for span in flow.loops if span != hot][: _MOST_LOOPS - len(loops)]
    parts = [
        _heading(program, bool(loops)),
        _facts(program),
        _findings(findings) if checked else "",
        *(
            _loop(program, shown_timeline(program, span, flow, cycles), number, short=cycles is not None)
            for number, span in enumerate(loops)
        ),
        _registers(program),
        _lds(program),
        _code(program),
    ]
    page = resources.files(__package__) / "page"
    css, script = ((page / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    title = escape(f"{program.name} for {program.arch.name}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>\n{css}</style>\n</head>\n<body>\n'
        + "\n".join(part for part in parts if part)
        + '\n<div id="said" role="status" aria-live="polite">Point at an instruction, or reach the timeline with Tab '
        f"and move with the arrow keys.</div>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def loop_svg(program: Program, span: Span, cycles: Cycles | None = None) -> str:
    """Return a loop's timeline as an SVG picture of its own, for light and for dark; with the clocks of `cycles`."""
    program.layout()
    page = resources.files(__package__) / "page"
    css = (page / "page.css").read_text(encoding="utf-8")
    picture = _picture(shown_timeline(program, span, flow_of(program), cycles), loads_of(program, span))
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {picture.removeprefix('<svg ').partition('>')[0]}>"
    return f"{head}<style>{css}</style>{picture.partition('>')[2]}"


def _heading(program: Program, loops: bool) -> str:
    places = {"facts": "facts", "loop0": "hot loop", "registers": "registers", "lds": "LDS", "code": "code"}
    links = "".join(f'<a href="#{name}">{words}</a>' for name, words in places.items() if loops or name != "loop0")
    config = ", ".join(f"{name} {value}" for name, value in program.config.items())
    made = f"hkasm {hkasm.__version__}" if program.owners else f"read by hkasm {hkasm.__version__}"
    return (
        f"<h1>{escape(program.name)} <small>for {program.arch.name}</small></h1>"
        f"<p>{escape(config or 'no configuration is known')}; {made}</p><nav>{links}</nav>"
    )


def _facts(program: Program) -> str:
    found, span = resources_of(program), hot_loop(program)
    facts: dict[str, str] = {
        "instructions": f"{len(program.instructions)}, {sum(i.size for i in program.instructions)} bytes",
        **found.facts(),
        "one wave more a SIMD": found.one_more,
        "workgroup": f"{'x'.join(map(str, program.block))} work-items, {program.waves_per_workgroup} waves",
    }
    if span is not None:
        counted = statistics(program.instructions[slice(*span)], program.arch, span[0])
        made_of = ", ".join(f"{count} {name}" for name, count in counted.counts.items())
        facts["hot loop"] = f"instructions {span[0]} to {span[1] - 1}: {made_of}"
        if counted.per_mfma is not None:
            facts["per MFMA"] = (
                f"{counted.per_mfma:.2f} instructions; {counted.others_per_16_cycles:.2f} others per 16 matrix cycles"
            )
    return f'<h2 id="facts">Facts</h2>{_table(facts.items())}'


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return (
            '<h2 id="findings">Findings</h2><p>Waits, wait states, branches and budgets were checked: no finding.</p>'
        )
    rows = "".join(
        f'<tr><td class="fault">{escape(one.rule)}</td><td class="mono">{escape(str(one.where or ""))}</td>'
        f"<td>{escape(one.instruction)} {escape(one.message)}</td><td>{escape(one.hint)}</td></tr>"
        for one in findings
    )
    return (
        '<h2 id="findings">Findings</h2><table><tr><th>rule</th><th>where</th><th>what</th><th>how to mend it</th></tr>'
        f"{rows}</table>"
    )


def _loop(program: Program, shown: Timeline, number: int, *, short: bool) -> str:
    """Return a loop's section: legend, picture, and its loads with the waits that retire them.

    `short` tells that the cycle model played the program, so that a hot loop without clocks had too few turns.
    """
    first, last = shown.span
    loads = loads_of(program, shown.span)
    groups = "two wave groups, the second " + (f"{shown.lag} sections" if shown.lag > 1 else "one section") + " behind"
    name = next((m.name for m in program.marks if m.kind == "loop" and m.first <= first and last <= m.last), "")
    heading = f"Loop {escape(name)}".strip() + f": instructions {first} to {last - 1}"
    share = 100 * shown.matrix_share()
    words = (
        f"{shown.cycles} cycles a turn if nothing stalls but the matrix pipe and the barriers; the matrix pipe is held "
        f"{share:.0f} % of them. {groups.capitalize() if shown.lag else 'All waves in step'}. An instruction takes an "
        "issue slot of 4 cycles; memory latency and bank conflicts are not in the picture."
    )
    if short and number == 0:
        words += " A problem with more turns of this loop is drawn with the clocks and stalls of the cycle model."
    if shown.waves:
        words = (
            f"{shown.cycles} clocks a turn as the cycle model played it, in the steady state; the matrix pipe is held "
            f"{share:.0f} % of them. {_sharing(shown.waves)} Memory latency, queues and bank conflicts are in the "
            "picture; an instruction says what its wave stalls for at it, and how many clocks of a turn."
        )
    head = _units() if number == 0 else ""
    ident = ' id="timeline"' if number == 0 else ""
    return (
        f'<h2 id="loop{number}">{heading}</h2><p>{words}</p>{head}'
        f"<figure{ident}>{_picture(shown, loads)}</figure>{_load_table(program, loads)}"
    )


def _sharing(waves: Sequence[int]) -> str:
    if len(waves) == 1:
        return f"Wave {waves[0]} has its SIMD for itself."
    return f"Waves {' and '.join(map(str, waves))} share a SIMD."


def _units() -> str:
    boxes = "".join(
        f'<label><input type="checkbox" checked value="{lane}"><i style="background:var(--{lane.lower()})"></i>'
        f"{lane}</label>"
        for lane in LANES
    )
    arrows = '<label><input type="checkbox" checked value="arrows">arrows from a load to its wait</label>'
    return f'<div class="units" role="group" aria-label="units that are shown">{boxes}{arrows}</div>'


def _picture(shown: Timeline, loads: Sequence[Load]) -> str:
    scale = (_WIDTH - _LEFT) / max(shown.cycles, 1)
    lanes = [lane for lane in LANES if any(bar.lane == lane for bar in shown.bars)]
    block = _TOP + len(lanes) * _LANE_HEIGHT + 14
    height = block * shown.groups + 22

    def x(cycle: float) -> float:
        return _LEFT + cycle * scale

    def y(group: int, lane: str) -> int:
        return group * block + _TOP + lanes.index(lane) * _LANE_HEIGHT

    size = f'viewBox="0 0 {_WIDTH + 10} {height}" width="{_WIDTH + 10}" height="{height}"'
    out = [f'<svg {size} role="group" aria-label="instructions of the loop by unit over time">']
    for group in range(shown.groups):
        title = f"group {group}" if shown.groups > 1 else "all waves"
        title = f"wave {shown.waves[group]}" if shown.waves else title
        out.append(f'<text x="0" y="{group * block + 12}" font-weight="bold">{title}</text>')
        out += [f'<text class="dim" x="0" y="{y(group, lane) + 12}">{lane}</text>' for lane in lanes]
    for section in shown.sections:
        left, top = x(section.start), section.group * block + _TOP - 12
        out.append(f'<line class="grid" x1="{left:.1f}" x2="{left:.1f}" y1="{top}" y2="{top + block - _TOP + 6}"/>')
        room = int(section.cycles * scale / 6.7)
        title = section.title if len(section.title) <= room else section.title[: max(room - 1, 0)] + "…"
        if room > 4:
            out.append(
                f'<text class="dim" x="{left + 2:.1f}" y="{top + 8}">{escape(title)}<title>{escape(section.title)}'
                f"</title></text>"
            )
    out += [_rect(bar, x, y, scale) for bar in shown.bars]
    out += _arrows(shown, loads, x, y)
    foot = height - 6
    step = _tick(shown.cycles)
    out += [
        f'<text class="dim" x="{x(cycle):.1f}" y="{foot}">{cycle}</text>'
        for cycle in range(0, shown.cycles + 1, step)
        if x(cycle) + _DIGIT_PIXELS * len(str(cycle)) <= _WIDTH + 10
    ]
    out.append(f'<text class="dim" x="0" y="{foot}">cycles</text></svg>')
    return "".join(out)


def _rect(bar: Bar, x: _Scale, y: _Row, scale: float) -> str:
    stall = f' data-s="{escape(bar.stall)}"' if bar.stall else ""
    return (
        f'<rect class="bar {bar.lane}" x="{x(bar.start):.1f}" y="{y(bar.group, bar.lane)}" '
        f'width="{max(bar.cycles * scale, 1.2):.1f}" height="{_LANE_HEIGHT - 3}" tabindex="-1" '
        f'data-i="{bar.index}" data-t="{bar.start}" data-c="{bar.cycles}"{stall}/>'
    )


def _arrows(shown: Timeline, loads: Sequence[Load], x: _Scale, y: _Row) -> Iterator[str]:
    """Draw an arrow from the last load that a wait retires in the same turn, in the first group."""
    at = {bar.index: bar for bar in shown.bars if bar.group == 0}
    latest: dict[int, Load] = {}
    for load in loads:
        if load.wait is not None and load.turns == 0:
            latest[load.wait] = load
    for wait, load in latest.items():
        a, b = at.get(load.index), at.get(wait)
        if a is None or b is None or b.start < a.start or b.lane != "wait":
            continue
        x1, y1, x2, y2 = x(a.start), y(0, a.lane) + 7, x(b.start), y(0, b.lane) + 7
        middle = (y1 + y2) / 2
        yield (
            f'<path class="arrow" d="M{x1:.1f} {y1} C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2}">'
            f"<title>{wait} waits for {load.index}</title></path>"
        )


def _tick(cycles: int) -> int:
    step = 16
    while cycles / step > 14:
        step *= 2
    return step


def _load_table(program: Program, loads: Sequence[Load]) -> str:
    """Return the slack of each kind of load: the least and the most of its instructions."""
    if not loads:
        return ""
    rows = []
    for one in slack_of(program, loads):
        row = f"<tr><td class='mono'>{one.mnemonic}</td><td>{one.loads}</td>"
        if one.wait is None:
            rows.append(f"{row}<td>{one.waited}</td><td></td><td></td></tr>")
            continue
        rows.append(
            f"{row}<td><a href='#i{one.wait}'>{one.waited}</a></td><td class='n'>{one.instructions}</td>"
            f"<td class='n'>{one.matrix_cycles}</td></tr>"
        )
    return (
        "<details><summary>Loads and the waits that prove them done</summary><table><tr><th>load</th>"
        "<th>instructions</th><th>waited for by</th><th class='n'>instructions in between</th>"
        "<th class='n'>matrix cycles in between, at least</th></tr>" + "".join(rows) + "</table></details>"
    )


def _registers(program: Program) -> str:
    flow = flow_of(program)
    live = liveness(program, flow)
    legend = "Instructions from left to right, registers from top to bottom. Live: read before it is written again."
    out = [f'<h2 id="registers">Registers</h2><p>{legend}</p><div class="key">{_key()}</div>']
    instructions = program.instructions
    for file, name in _FILE_NAMES.items():
        strip = heat_strip(program, flow, file, live=live)
        if not strip.cells.size:
            continue
        where = instructions[strip.peak_at].origin if instructions else None
        owners = [
            [o.name, o.register.index, o.register.end, o.first, o.last, o.register.text]
            for o in program.owners
            if o.register.file == file
        ]
        image = base64.b64encode(indexed_png(strip.cells, list(_PALETTE))).decode()
        height = max(strip.cells.shape[0] * _ROW_PIXELS, 24)
        out.append(
            f"<figure><figcaption>{name}: {strip.cells.shape[0]} used, at most {strip.peak} live at once, first at "
            f"instruction {strip.peak_at} ({escape(str(where or ''))})</figcaption>"
            f'<img class="heat" alt="{name} use over the program" width="1120" height="{height}" '
            f'src="data:image/png;base64,{image}" data-file="{file}" data-rows="{strip.cells.shape[0]}" '
            f'data-count="{len(instructions)}" data-owners="{escape(json.dumps(owners))}"></figure>'
        )
    out.append(_owners(program))
    return "".join(out)


def _key() -> str:
    colours = zip(STATES[1:], _PALETTE[1:], strict=True)
    return " ".join(
        f'<span><i style="background:rgba({r},{g},{b},{a / 255:.2f})"></i>{state}</span>'
        for state, (r, g, b, a) in colours
    )


def _owners(program: Program) -> str:
    if not program.owners:
        return "<p>The object has no names for its registers.</p>"
    rows = "".join(
        f"<tr><td class='mono'>{o.register.text}</td><td>{escape(o.name)}</td><td class='n'>{o.first}</td>"
        f"<td class='n'>{max(o.last - 1, o.first)}</td><td class='mono'>{escape(o.where)}</td></tr>"
        for o in sorted(program.owners, key=lambda o: (o.register.file, o.register.index, o.first))
    )
    return (
        "<details><summary>Owners</summary><table><tr><th>registers</th><th>owner</th><th class='n'>from</th>"
        f"<th class='n'>to</th><th>allocated at</th></tr>{rows}</table></details>"
    )


def _lds(program: Program) -> str:
    total = program.lds_bytes
    if not total:
        return '<h2 id="lds">LDS</h2><p>None is reserved; a launch may ask for some.</p>'
    if not program.lds_map:
        return f'<h2 id="lds">LDS</h2><p>{total} bytes; the object has no names for them.</p>'
    scale = (_WIDTH - 2) / max(total, 1)
    out = [f'<svg viewBox="0 0 {_WIDTH} 46" width="{_WIDTH}" height="46" role="img" aria-label="LDS by region">']
    for number, region in enumerate(program.lds_map):
        left, width = region.offset * scale, max(region.bytes * scale, 1)
        lane = ("LDS", "VMEM", "VALU", "SALU")[number % 4]
        out.append(
            f'<rect class="{lane}" x="{left:.1f}" y="2" width="{width:.1f}" height="24" stroke="var(--paper)">'
            f"<title>{escape(region.name)}: bytes {region.offset} to {region.offset + region.bytes - 1}</title></rect>"
        )
        if width > 7 * len(region.name):
            out.append(f'<text x="{left + 3:.1f}" y="40">{escape(region.name)}</text>')
    out.append("</svg>")
    rows = "".join(
        f"<tr><td>{escape(region.name)}</td><td class='n'>{region.offset}</td><td class='n'>{region.bytes}</td></tr>"
        for region in program.lds_map
    )
    return (
        f'<h2 id="lds">LDS</h2><p>{total} of {program.arch.lds_bytes} bytes</p><figure>{"".join(out)}</figure>'
        "<details><summary>Regions</summary><table><tr><th>region</th><th class='n'>first byte</th>"
        f"<th class='n'>bytes</th></tr>{rows}</table></details>"
    )


def _code(program: Program) -> str:
    head = '<th class="n">#</th><th>byte</th><th>instruction</th><th>written at</th><th>step</th>'
    out = [f'<h2 id="code">Code</h2><table class="code mono"><tr>{head}</tr>']
    instructions = program.instructions
    for block in code_blocks(program):
        made_of = ", ".join(f"{count} {name}" for name, count in block.statistics.counts.items())
        follows = ", ".join(map(str, block.successors)) or "the end"
        lost = "" if block.reached else ", no path leads here"
        out.append(f'<tr class="block"><th colspan="5">block {block.number}, then {follows}{lost}: {made_of}</th></tr>')
        before = ""
        for line in block.lines:
            out.append(_code_row(line, unit_of(instructions[line.index]), line.where != before))
            before = line.where
    return "".join(out) + "</table>"


def _code_row(line: CodeLine, lane: str, new_place: bool) -> str:
    where = escape(line.where.rpartition("/")[2]) if new_place else ""
    return (
        f'<tr id="i{line.index}" class="{lane}"><td class="n">{line.index}</td><td>{line.offset:x}</td>'
        f'<td>{escape(line.text)}</td><td data-full="{escape(line.where)}">{where}</td>'
        f"<td>{escape(line.step)}</td></tr>"
    )


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
        + "</table>"
    )
