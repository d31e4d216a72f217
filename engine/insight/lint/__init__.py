"""What is wrong with the files of a knowledge base, before anybody asks it a question."""
