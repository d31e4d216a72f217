"""What the command line prints for people; the same objects as everywhere, as text."""
