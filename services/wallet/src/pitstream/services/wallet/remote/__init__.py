"""Operators whose own wallet keeps their players' money: it is asked for every bundle, and given every win."""
