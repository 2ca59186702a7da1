"""Program control: SOPP.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents, chapter
"Instructions". The meaning of a conditional branch tells [waves] which take it.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import sopp

U32 = np.uint32

sopp("s_nop", 0x00, "simm16:imm4", "nop", "do nothing for simm16[3:0] + 1 wait states", unit="SALU")
sopp("s_endpgm", 0x01, "simm16:imm16", "end", "end of the program", flags=["optional"])
sopp("s_branch", 0x02, "simm16:label", "branch", "PC = PC + 4 + 4 * simm16")
sopp("s_wakeup", 0x03, "", "nop", "wake the workgroup's sleeping waves", unit="MSG")
sopp("s_cbranch_scc0", 0x04, "simm16:label [scc]:bool", "cbranch", "branch when SCC is 0", meaning=np.logical_not)
sopp("s_cbranch_scc1", 0x05, "simm16:label [scc]:bool", "cbranch", "branch when SCC is 1", meaning=lambda scc: scc)
sopp(
    "s_cbranch_vccz", 0x06, "simm16:label [vcc]:b64", "cbranch", "branch when VCC is 0", meaning=lambda mask: mask == 0
)
sopp(
    "s_cbranch_vccnz",
    0x07,
    "simm16:label [vcc]:b64",
    "cbranch",
    "branch when VCC is not 0",
    meaning=lambda mask: mask != 0,
)
sopp(
    "s_cbranch_execz",
    0x08,
    "simm16:label [exec]:b64",
    "cbranch",
    "branch when EXEC is 0",
    meaning=lambda mask: mask == 0,
)
sopp(
    "s_cbranch_execnz",
    0x09,
    "simm16:label [exec]:b64",
    "cbranch",
    "branch when EXEC is not 0",
    meaning=lambda mask: mask != 0,
)
sopp("s_barrier", 0x0A, "", "barrier", "wait until all waves of the workgroup are here", unit="MSG")
sopp("s_setkill", 0x0B, "simm16:imm16", "kill", "end the wave when simm16[0] is 1", unit="MSG")
sopp("s_waitcnt", 0x0C, "simm16:imm16", "wait", "wait until the counters are at or below the given counts", unit="SALU")
sopp("s_sethalt", 0x0D, "simm16:imm16", "halt", "halt the wave when simm16[0] is 1", unit="MSG")
sopp("s_sleep", 0x0E, "simm16:imm7", "sleep", "sleep for about 64 * simm16[6:0] clocks", unit="MSG")
sopp("s_setprio", 0x0F, "simm16:imm2", "prio", "set the wave's priority to simm16[1:0]", unit="MSG")
sopp(
    "s_sendmsg",
    0x10,
    "simm16:imm16 [exec]:b64 [m0]:b32",
    "message",
    "send the message simm16 with M0 to the host",
    unit="MSG",
    flags=["message"],
)
sopp(
    "s_sendmsghalt",
    0x11,
    "simm16:imm16 [exec]:b64 [m0]:b32",
    "halt",
    "send the message simm16 and halt",
    unit="MSG",
    flags=["message"],
)
sopp("s_trap", 0x12, "simm16:imm8", "trap", "enter the trap handler with the number simm16[7:0]")
sopp("s_icache_inv", 0x13, "", "nop", "invalidate the instruction cache", unit="MSG")
sopp("s_incperflevel", 0x14, "simm16:imm4", "nop", "count performance level simm16[3:0] up", unit="MSG")
sopp("s_decperflevel", 0x15, "simm16:imm4", "nop", "count performance level simm16[3:0] down", unit="MSG")
sopp("s_ttracedata", 0x16, "[m0]:b32", "nop", "put M0 into the thread trace", unit="MSG")
for _op, _name, _condition in (
    (0x17, "cdbgsys", "system"),
    (0x18, "cdbguser", "user"),
    (0x19, "cdbgsys_or_user", "system or user"),
    (0x1A, "cdbgsys_and_user", "system and user"),
):
    sopp(
        f"s_cbranch_{_name}",
        _op,
        "simm16:label",
        "debug_branch",
        f"branch when the {_condition} conditional-debug flag is set (never outside a debugger)",
    )
sopp("s_endpgm_saved", 0x1B, "", "end", "end of a program whose state a trap handler has saved")
sopp(
    "s_set_gpr_idx_off",
    0x1C,
    "+[mode]:b32",
    "gpr_idx_off",
    "indexed VGPR access off",
    meaning=lambda mode: mode & ~U32(1 << 27),
    unit="SALU",
)
sopp(
    "s_set_gpr_idx_mode",
    0x1D,
    "kinds:imm4 +[m0]:b32 +[mode]:b32",
    "gpr_idx_mode",
    "M0[15:12] = which operands are indexed (SRC0 SRC1 SRC2 DST)",
    meaning=lambda kinds, m0, mode: ((m0 & ~U32(0xF000)) | ((kinds & U32(15)) << U32(12)), mode),
    unit="SALU",
)
sopp("s_endpgm_ordered_ps_done", 0x1E, "", "end", "end of a pixel shader of ordered waves")
