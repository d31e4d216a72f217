"""A result or an index explained: checks, cases, diagnosis."""
