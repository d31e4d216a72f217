"""What decides what the catalog holds of a file: as long as it is the same, an unchanged file need not be read again."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.metadata import version
from pathlib import Path

from engine.digest import digest, file_hash

_HOME = Path(__file__).parents[1]
READERS = (
    *("knowledge/*.py", "characters.py", "plain_text.py", "stop_words.py", "text.py", "tokenizer.py"),
    *("index/build.py", "index/catalog_writer.py", "index/search_terms_writer.py", "index/embedder_problems.py"),
    *("index/changes.py", "index/search_terms.py", "index/search_terms_join.py"),
)
_WITHOUT_PART = "seen_files.py"  # looks at files for freshness only
_LIBRARIES = ("markdown-it-py", "PyYAML", "tomlkit", "PyStemmer", "tokenizers")


@cache
def reading_recipe() -> str:
    """Sixteen digits over the code that reads, cuts and takes words from files, and over what it does so with."""
    paths = [path for pattern in READERS for path in sorted(_HOME.glob(pattern)) if path.name != _WITHOUT_PART]
    code = {path.relative_to(_HOME).as_posix(): file_hash(path) for path in paths}
    return digest({"code": code, "libraries": {name: version(name) for name in _LIBRARIES}, "unicode": unicodedata.unidata_version})
