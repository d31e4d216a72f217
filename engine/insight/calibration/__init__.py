"""Thresholds found with answerable and unanswerable questions."""
