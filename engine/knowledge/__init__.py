"""A folder of files becomes documents, chunks and keyword entries."""
