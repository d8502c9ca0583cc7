"""Meters, hits and approvals: who locked which amount first."""
