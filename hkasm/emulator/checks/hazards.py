"""Wait states between the instructions that waves really execute, by the rules of `hkasm.isa.hazards`.

What matters of a batch's past are its last few instructions, a *tail* that no rule looks back beyond. Tails are
numbered, and what a block adds to a tail is judged once: from then on a block costs one look into a table. Waves that
meet with different tails keep both.
"""

from __future__ import annotations

from hkasm.analysis.hazards import hazard_finding
from hkasm.asm.hazards import find_hazards_on_path
from hkasm.emulator.batch import Batch, History
from hkasm.emulator.code import Block
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.emulator.run import Run
from hkasm.isa.hazards import LOOK_BACK, wait_states_of

__all__ = ["HazardCheck"]

Tail = tuple[Op, ...]


class _Judged:
    """What is kept of a kernel's code from launch to launch: tails, and what follows blocks that lack nothing."""

    def __init__(self) -> None:
        self.tails: list[Tail] = [()]
        self.numbers: dict[Tail, int] = {(): 0}
        self.clean: dict[tuple[History, Block], History] = {}


class HazardCheck(Listener):
    """Report instructions that come too soon after another."""

    name = "hazards"

    def start(self, run: Run) -> None:
        level = run.options.hazards
        if level == "auto":
            level = "llvm" if run.code.kernel.hkasm is not None else "cycles"
        self.level = level
        kept = run.code.kept.setdefault(f"hazards {level}", _Judged())
        if not isinstance(kept, _Judged):
            raise TypeError("not this check's")
        self._judged = kept

    def block(self, batch: Batch, block: Block) -> None:
        key = batch.history, block
        after = self._judged.clean.get(key)
        if after is None:
            judged = [self._judge(batch, self._judged.tails[tail], block) for tail in batch.history]
            after = frozenset(number for number, _ in judged)
            if not any(found for _, found in judged):
                self._judged.clean[key] = after
        batch.history = after

    def _judge(self, batch: Batch, tail: Tail, block: Block) -> tuple[int, bool]:
        """Report what the block's instructions lack behind a tail.

        Returns the number of the tail behind the block, and whether anything is lacking.
        """
        ops = [*tail, *block.ops]
        run = batch.run
        instructions = [op.inst for op in ops]
        hazards = list(find_hazards_on_path(instructions, len(tail), run.code.arch, self.level))
        for hazard in hazards:
            producer, consumer = ops[hazard.producer], ops[hazard.consumer]
            if not run.reporter.is_known("hazard", consumer.index, producer.index):
                # Of waves that met, which one came by this tail is not known any more.
                alone = len(batch.history) == 1
                place = {"workgroup": run.group_id(batch, 0), "wave": int(batch.wave[0])} if alone else {}
                finding = hazard_finding(instructions, hazard, self.level, **place)
                run.reporter.add(finding, consumer.index, producer.index)
        states, first = 0, len(ops)
        while first and states < LOOK_BACK:
            first -= 1
            states += wait_states_of(ops[first].inst)
        after = tuple(ops[first:])
        tails = self._judged.tails
        number = self._judged.numbers.setdefault(after, len(tails))
        if number == len(tails):
            tails.append(after)
        return number, bool(hazards)
