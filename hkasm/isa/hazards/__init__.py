"""Manually inserted wait states: which two instructions must stand how far apart, as rows with their sources.

The hardware does not interlock these cases; an `s_nop` or other instructions must lie between. A wait state is any
instruction, or one count of an `s_nop`.
"""

from hkasm.isa.hazards.facts import (
    PLACE_MODIFIERS,
    HazardFacts,
    HazardInstruction,
    hazard_facts,
    register_mask,
    wait_states_of,
)
from hkasm.isa.hazards.query import Query, longest_wait, produced_by, queries, required_wait_states
from hkasm.isa.hazards.rules import HAZARD_RULES, LEVELS, LOOK_BACK, SEARCHES, HazardRule, Search
from hkasm.isa.hazards.slots import elapsed_slots

__all__ = [
    "HAZARD_RULES",
    "LEVELS",
    "LOOK_BACK",
    "PLACE_MODIFIERS",
    "SEARCHES",
    "HazardFacts",
    "HazardInstruction",
    "HazardRule",
    "Query",
    "Search",
    "elapsed_slots",
    "hazard_facts",
    "longest_wait",
    "produced_by",
    "queries",
    "register_mask",
    "required_wait_states",
    "wait_states_of",
]
