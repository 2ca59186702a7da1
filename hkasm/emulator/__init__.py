"""The machine: runs the code in an HSACO on NumPy, with late memory and checks that see what hardware hides."""
