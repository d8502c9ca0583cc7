"""Inputs that nobody would send, drawn from a seed, and what each must come to."""
