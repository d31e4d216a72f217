"""Damage to a file of a snapshot is seen when it is opened, is named, and is healed by a rebuild. 2,000 places a file with FAULTS=full."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.faults.healthy import Healthy, flip
from tests.faults.shared import FULL

PLACES = 2_000 if FULL else 12  # in a file; a smaller one is tried byte by byte


def test_one_flipped_bit_in_any_file_is_refused_by_name_wherever_it_is(index: Healthy) -> None:
    random = Random(11)
    missed: dict[str, list[tuple[int, str]]] = {}
    for path in (index.snapshot / name for name in index.files()):
        data = path.read_bytes()
        some = {0, len(data) // 2, len(data) - 1, *(random.randrange(len(data)) for _ in range(PLACES))}
        for place in sorted(some) if len(data) > PLACES else range(len(data)):
            with path.open("r+b") as file:
                file.seek(place)
                file.write(bytes([data[place] ^ 1 << random.randrange(8)]))
            told = index.refusal()
            is_named = path.name in told or "has format" in told
            if not (is_named and index.snapshot.name in told and "evidence sync" in told):
                missed.setdefault(path.name, []).append((place, told))
            path.write_bytes(data)
    assert missed == {}
    assert index.refusal() == ""


def test_one_flipped_bit_in_the_pointer_is_refused_wherever_it_is(index: Healthy) -> None:
    pointer = index.home / "CURRENT"
    data = pointer.read_bytes()
    for place, bit in ((place, bit) for place in range(len(data.rstrip())) for bit in range(8)):
        pointer.write_bytes(bytes([*data[:place], data[place] ^ 1 << bit, *data[place + 1 :]]))
        assert "evidence sync" in index.refusal(), (place, bit)


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "flipped": flip,
    "emptied": lambda path: path.write_bytes(b""),
    "a byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "a byte long": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "missing": Path.unlink,
    "a folder": replace_by_a_folder,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_refused_by_name_and_healed(index: Healthy, damage: Callable[[Path], object]) -> None:
    names = index.files()
    assert {"manifest.json", "catalog.duckdb"} < set(names)
    for name in names:
        damage(index.snapshot / name)
        index.expect_refusal_and_healing(index.snapshot.name, name)


def test_every_other_version_of_the_format_is_refused_and_healed(index: Healthy) -> None:
    manifest = index.snapshot / "manifest.json"
    written = json.loads(manifest.read_text())
    for version in (0, written["formatVersion"] - 1, written["formatVersion"] + 1):
        manifest.write_text(json.dumps({**written, "formatVersion": version}, indent=2, sort_keys=True) + "\n")
        index.expect_refusal_and_healing(index.snapshot.name, f"format {version}")
