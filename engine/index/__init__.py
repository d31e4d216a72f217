"""Chunks become a snapshot on disk: vectors for L1, a DuckDB catalog for everything else."""
