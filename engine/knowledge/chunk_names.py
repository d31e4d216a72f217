"""The names of a chunk: its id `path#slug~n` and its breadcrumb."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

MOST_SLUG_CHARACTERS = 100  # of one heading in an id: an id is written many times in a result
MOST_NAME_CHARACTERS = 200  # of a title or breadcrumb: more would crowd the content out of chunk and pack


def make_breadcrumb(title: str, headings: tuple[str, ...], count: Callable[[str], int], limit: int) -> str:
    """Title and headings, the title not twice; at most 200 characters and half of the limit, the upper headings left out first."""
    shortened = shorter_breadcrumbs(title, headings)
    breadcrumb = next(one for one in shortened if (len(one) <= MOST_NAME_CHARACTERS and count(one) * 2 <= limit) or one is shortened[-1])
    breadcrumb = breadcrumb[:MOST_NAME_CHARACTERS].strip()
    while count(breadcrumb) * 2 > limit:
        breadcrumb = breadcrumb[: len(breadcrumb) * 3 // 4].strip()
    return breadcrumb


def shorter_breadcrumbs(title: str, headings: tuple[str, ...]) -> list[str]:
    """The whole breadcrumb, then ones with more and more of the upper headings left out; title and last heading stay."""
    path = headings[1:] if headings and headings[0] == title else headings
    first, *below = [part for part in (title, *path) if part] or [""]
    whole = [" > ".join((first, *below))]
    return whole + [" > ".join((first, "…", *below[at:])) for at in range(1, len(below))]


def section_slug(headings: tuple[str, ...]) -> str:
    """The heading path as it is written in a link: lower case, words joined by hyphens, levels by `/`."""
    return "/".join(_slug(heading) for heading in headings)


def _slug(heading: str) -> str:
    kept = "".join(mark for mark in heading.strip().lower() if mark.isalnum() or mark in " -_" or unicodedata.combining(mark))
    return kept.replace(" ", "-")[:MOST_SLUG_CHARACTERS]


def unique_slug(slug: str, seen: dict[str, int]) -> str:
    """The slug, with `-2` and so on where the document had it before."""
    name, number = slug, seen.get(slug, 0)
    while name in seen:
        number += 1
        name = f"{slug}-{number}"
    seen[slug] = max(number, 1)
    seen.setdefault(name, 1)
    return name


def encode_source(source: str) -> str:
    """The path as it stands in a chunk id: the marks that an id is made of are percent-encoded."""
    return source.replace("%", "%25").replace("#", "%23").replace("~", "%7E")


def decode_source(encoded: str) -> str:
    """The path that `encode_source` has written so."""
    return encoded.replace("%7E", "~").replace("%23", "#").replace("%25", "%")
