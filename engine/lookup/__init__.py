"""A query becomes a result; one file a stage, `pipeline` reads as the specification does."""
