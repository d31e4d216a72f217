"""What it means that a file of the index cannot be read: damage, which a build repairs, or something that this process lacks."""

from __future__ import annotations

import errno

from engine.errors import EnvironmentProblem, IndexDamaged

_LOST = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EIO}  # of all reasons of a system, those that a build takes away
_LACKS = (  # libraries tell the system's reason in errors of their own
    *("Too many open files", "Permission denied", "Operation not permitted", "Cannot allocate memory"),
    *("No locks available", "Could not set lock"),
)


def failure_to_read(what: str, failure: Exception) -> IndexDamaged | EnvironmentProblem:
    """The error for a file that cannot be read. Nothing sound is ever built anew because a process may not or cannot read it."""
    if isinstance(failure, OSError):
        reason, is_lack = failure.strerror or str(failure), failure.errno not in _LOST
    else:
        reason, is_lack = str(failure), any(words in str(failure) for words in _LACKS)
    if is_lack:
        return EnvironmentProblem(f"{what} cannot be read: {reason}; give this process what it lacks and try again")
    return IndexDamaged(f"{what} cannot be read: {reason}")
