"""What can be said of any program, wherever it came from."""
