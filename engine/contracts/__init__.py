"""The values that reach users; nothing in here knows how they are made."""
