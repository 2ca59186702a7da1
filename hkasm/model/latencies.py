"""What global loads take behind the vector cache: the published latency of the level that answers each of them.

Loads of one CU come back in the order in which they were issued (`hkasm.model.cu`), so that one that HBM answers holds
up those behind it: with published latencies alone, this is what limits tiles whose matrix and memory time are equal.
"""

from __future__ import annotations

from functools import cache

from hkasm.model.constants import timing

__all__ = ["REFERENCE_HITS", "load_latencies", "loaded_latency"]

REFERENCE_HITS = (0.685, 0.9)
"""L2 and LLC hit rates where nobody knows them. L2: what AMD's Gluon tutorials count for 4096 x 4096 x 8192 in the
order of dispatch, which their loops up to v8 were measured with. LLC: assumed; HipKittens counts 93 to 95 % for good
orders.
"""
_LOAD_BYTES = 1024
_LOADS, _STRIDE = 610, 377
"""Neighbouring Fibonacci numbers: ``n 377 mod 610`` takes every value once, evenly spread in between too."""


@cache
def load_latencies(arch: str, l2_hit: float, llc_hit: float) -> tuple[int, ...]:
    """Return the clk of successive loads, to be repeated: each level's latency as often as it answers."""
    t = timing(arch)
    l2, llc, hbm = (int(one.value) for one in (t.latency_l2, t.latency_llc, t.latency_hbm))
    from_llc = l2_hit + (1 - l2_hit) * llc_hit
    places = (number * _STRIDE % _LOADS / _LOADS for number in range(_LOADS))
    return tuple(l2 if place < l2_hit else llc if place < from_llc else hbm for place in places)


@cache
def loaded_latency(arch: str) -> float:
    """Return what a load takes while as many are on their way as the vector cache holds, in clk, by reference hits."""
    t = timing(arch)
    latencies, service = load_latencies(arch, *REFERENCE_HITS), _LOAD_BYTES / t.tcp_bytes.value
    done = [0.0] * int(t.inflight_bytes.value // _LOAD_BYTES)
    slots, free = len(done), 0.0
    for number, latency in enumerate(latencies):
        start = max(done[number], free)
        free = start + service
        done.append(max(done[-1], free + latency))
    return slots * done[-1] / len(latencies)
