"""Where the rows of a workgroup lie in Q, O and LSE: row r is query r / group of head r % group of its key head."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER
from hkasm.tiles.memory import OUT_OF_RANGE_OPERAND


class RowPlaces:
    """Writes views of a sequence's heads and lane offsets of rows; `first` is the workgroup's first row."""

    def __init__(self, k: Builder, numbers: dict[str, Register], first: Register, key_head: Register) -> None:
        self.k, self.numbers, self.first, self.key_head = k, numbers, first, key_head

    def view(
        self,
        name: str,
        pointer: Register,
        batch: Register,
        last: int,
        element: int,
        split: Register | None = None,
    ) -> Register:
        """Return a descriptor of all rows of the workgroup's key head, from its first query head on.

        `last` elements end the last row; strides are the arguments of the name; a partial result starts at `split`.
        """
        k, n, low = self.k, self.numbers, name.lower()
        view, t = k.sgpr(f"{name} descriptor", 4), k.sgpr("place", 4)
        head, row = n[f"{low}_head"], n.get(f"{low}_row")
        k.s_mul_i32(t[0], batch, n[f"{low}_batch"])
        k.s_mul_hi_u32(t[1], batch, n[f"{low}_batch"])
        k.s_mul_i32(t[2], head, n["group"])
        for number, factor in ((self.key_head, t[2]), *([(split, n[f"{low}_split"])] if split is not None else [])):
            k.s_mul_hi_u32(t[3], factor, number)
            k.s_mul_i32(t[2], factor, number)
            k.s_add_u32(t[0], t[0], t[2])
            k.s_addc_u32(t[1], t[1], t[3])
        k.s_lshl_b64(t[0:2], t[0:2], element.bit_length() - 1)
        k.s_add_u32(view[0], pointer[0], t[0])
        k.s_addc_u32(view[1], pointer[1], t[1])
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[3], RAW_BUFFER)
        for target, count, step in ((t[0], n["group"], head), (t[1], n["q"], row)):
            k.s_sub_u32(target, count, 1)
            if step is not None:
                k.s_mul_i32(target, target, step)
        k.s_add_u32(t[0], t[0], t[1])
        k.s_add_u32(t[0], t[0], last)
        k.s_lshl_b32(view[2], t[0], element.bit_length() - 1)
        k.free(t)
        return view

    def query_of(self, target: Register, row: Register) -> None:
        """Write the query of a row of the key head, both SGPRs; SCC is overwritten."""
        k, inverse = self.k, self.numbers["group_inverse"]
        quotient = k.sgpr("query")
        k.s_mul_hi_u32(quotient, row, inverse)
        k.s_cmp_eq_u32(inverse, 0)
        k.s_cselect_b32(target, row, quotient)
        k.free(quotient)

    def write_offset(self, target: Register, query: Register, row: Register, name: str, element: int) -> None:
        """Write a lane's byte offset of row `row` of the workgroup, out of range where there is none, and its query."""
        k, n = self.k, self.numbers
        number, head = k.vgpr("number of a row"), k.vgpr("head of a row")
        k.v_add_u32(number, self.first, row)
        k.v_mul_hi_u32(query, number, n["group_inverse"])
        k.s_cmp_eq_u32(n["group_inverse"], 0)
        k.s_cselect_b64(VCC, -1, 0)
        k.v_cndmask_b32(query, query, number, VCC)
        k.v_mul_lo_u32(head, query, n["group"])
        k.v_sub_u32(head, number, head)
        k.v_mul_lo_u32(target, head, n[f"{name}_head"])
        if f"{name}_row" in n:
            k.v_mul_lo_u32(head, query, n[f"{name}_row"])
            k.v_add_u32(target, head, target)
        else:
            k.v_add_u32(target, query, target)
        k.v_lshlrev_b32(target, element.bit_length() - 1, target)
        k.v_cmp_gt_u32(VCC, n["rows"], number)
        k.v_cndmask_b32(target, OUT_OF_RANGE_OPERAND, target, VCC)
        k.free(number, head)
