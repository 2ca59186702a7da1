"""How long it would take: chips as data, chiplet caches, and the cycles of one compute unit."""
