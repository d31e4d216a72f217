"""Golden questions asked, measured, compared, gated and kept."""
