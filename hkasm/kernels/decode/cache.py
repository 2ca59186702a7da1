"""The cache of keys and values: a descriptor for each tile of 16 keys, in a row or through a block table.

A descriptor starts at its tile by 64-bit arithmetic, so that a cache of any size works, and ends with the tile's last
key: keys behind the sequence read zero. The table's entries are data: one that names no block of the cache gives a
descriptor of no bytes, so that its keys and values read zero and nothing else is touched.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.decode.declared import STRIDE, TILE, TILES, DecodeConfig
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER

ELEMENT = 2
ENTRY_SHIFT = 2
"""An entry of the block table has four bytes."""


class Cache:
    """Owns the descriptors of a wave's step and writes what finds them.

    `position` is the wave's first key; table entries are fetched, and descriptors written, one step of `STRIDE` keys
    after the other.
    """

    def __init__(
        self,
        k: Builder,
        config: DecodeConfig,
        pointers: dict[str, Register],
        numbers: dict[str, Register],
        key_head: Register,
        length: Register,
        position: Register,
    ) -> None:
        self.config, self.numbers, self.length = config, numbers, length
        self.paged = config.cache == "paged"
        batch = k.group_ids[2]
        self.views = {name: [k.sgpr(f"{name} tile {t}", 4) for t in range(TILES)] for name in "KV"}
        self.bases = {name: k.sgpr(f"{name} of the head", 2) for name in "KV"}
        self.row_bytes = {name: numbers[f"{name.lower()}_row"] for name in "KV"}
        self.place, self.left, self.t = k.sgpr("key of the tiles"), k.sgpr("keys left"), k.sgpr("tile place", 4)
        k.s_mov_b32(self.place, position)
        for name, base in self.bases.items():
            low = name.lower()
            self._multiply(k, self.t[0:2], key_head, numbers[f"{low}_head"])
            if not self.paged:
                self._multiply(k, self.t[2:4], batch, numbers[f"{low}_batch"])
                k.s_add_u32(self.t[0], self.t[0], self.t[2])
                k.s_addc_u32(self.t[1], self.t[1], self.t[3])
            k.s_lshl_b64(self.t[0:2], self.t[0:2], ELEMENT.bit_length() - 1)
            k.s_add_u32(base[0], pointers[name][0], self.t[0])
            k.s_addc_u32(base[1], pointers[name][1], self.t[1])
            k.s_lshl_b32(self.row_bytes[name], self.row_bytes[name], ELEMENT.bit_length() - 1)
            for view in self.views[name]:
                k.s_mov_b32(view[3], RAW_BUFFER)
        if self.paged:
            self._start_table(k, pointers["table"], batch, position)

    def _start_table(self, k: Builder, table: Register, batch: Register, position: Register) -> None:
        """Point at the sequence's entries; a cursor says which are fetched next."""
        n = self.numbers
        self.table, self.entries = table, [k.sgpr(f"block of tile {t}") for t in range(TILES)]
        self.cursor, self.within, self.index = k.sgpr("key of the entries"), k.sgpr("keys of a block"), k.sgpr("entry")
        self._multiply(k, self.t[0:2], batch, n["table_row"])
        k.s_lshl_b64(self.t[0:2], self.t[0:2], ENTRY_SHIFT)
        k.s_add_u32(table[0], table[0], self.t[0])
        k.s_addc_u32(table[1], table[1], self.t[1])
        k.s_mov_b32(self.cursor, position)
        k.s_lshl_b32(self.within, 1, n["page_shift"])
        k.s_sub_u32(self.within, self.within, 1)
        self.last = n["table_row"]
        k.s_sub_u32(self.last, self.last, 1)

    @staticmethod
    def _multiply(k: Builder, target: Register, x: Register, y: Register) -> None:
        k.s_mul_i32(target[0], x, y)
        k.s_mul_hi_u32(target[1], x, y)

    def fetch_entries(self, k: Builder, slot: int) -> None:
        """Load the table's entries of the step at the cursor; an entry behind the table's last is that one again."""
        for tile, entry in enumerate(self.entries):
            k.s_add_u32(self.index, self.cursor, TILE * tile)
            k.s_lshr_b32(self.index, self.index, self.numbers["page_shift"])
            k.s_min_u32(self.index, self.index, self.last)
            k.s_lshl_b32(self.index, self.index, ENTRY_SHIFT)
            k.s_load_dword(entry, self.table, self.index)

    def advance(self, k: Builder, slot: int) -> None:
        """Move the cursor of the entries to the next step."""
        if self.paged:
            k.s_add_u32(self.cursor, self.cursor, STRIDE)

    def describe(self, k: Builder, slot: int) -> None:
        """Write the descriptors of a step's tiles, and go on to the next step."""
        key, left, rows = self.t[3], self.left, self.t[2]
        for tile in range(TILES):
            k.s_add_u32(key, self.place, TILE * tile)
            k.s_sub_u32(left, self.length, key)
            k.s_min_i32(left, left, TILE)
            k.s_max_i32(left, left, 0)
            if self.paged:
                k.s_cmp_lt_u32(self.entries[tile], self.numbers["pages"])
                k.s_cselect_b32(left, left, 0)
                k.s_and_b32(key, key, self.within)
            for name in "KV":
                view, base, row = self.views[name][tile], self.bases[name], self.row_bytes[name]
                k.s_mul_i32(self.t[0], key, row)
                k.s_mul_hi_u32(self.t[1], key, row)
                k.s_add_u32(view[0], base[0], self.t[0])
                k.s_addc_u32(view[1], base[1], self.t[1])
                if self.paged:
                    self._multiply(k, self.t[0:2], self.entries[tile], self.numbers[f"{name.lower()}_batch"])
                    k.s_lshl_b64(self.t[0:2], self.t[0:2], ELEMENT.bit_length() - 1)
                    k.s_add_u32(view[0], view[0], self.t[0])
                    k.s_addc_u32(view[1], view[1], self.t[1])
                k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
                k.s_sub_u32(rows, left, 1)
                k.s_mul_i32(rows, rows, row)
                k.s_add_u32(rows, rows, self.config.d * ELEMENT)
                k.s_cmp_eq_u32(left, 0)
                k.s_cselect_b32(view[2], 0, rows)
        k.s_add_u32(self.place, self.place, STRIDE)
