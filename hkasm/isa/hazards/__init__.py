"""Manually inserted wait states: which two instructions must stand how far apart, as rows with their sources.

The hardware does not interlock these cases; an `s_nop` or other instructions must lie between. A wait state is any
instruction, or one count of an `s_nop`.
"""

from hkasm.isa.hazards.facts import HazardFacts, HazardInstruction, hazard_facts, wait_states_of
from hkasm.isa.hazards.query import Query, produced_by, queries, required_wait_states
from hkasm.isa.hazards.rules import HAZARD_RULES, LEVELS, LOOK_BACK, SEARCHES, HazardRule, Search

__all__ = [
    "HAZARD_RULES",
    "LEVELS",
    "LOOK_BACK",
    "SEARCHES",
    "HazardFacts",
    "HazardInstruction",
    "HazardRule",
    "Query",
    "Search",
    "hazard_facts",
    "produced_by",
    "queries",
    "required_wait_states",
    "wait_states_of",
]
