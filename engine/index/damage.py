"""What it means that a file of the index cannot be read: damage, which a build repairs, or something that this process lacks."""

from __future__ import annotations

import errno
import os

from engine.errors import EnvironmentProblem, IndexDamaged

_LACKS = tuple(os.strerror(number) for number in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM))


def unreadable(what: str, failure: Exception) -> IndexDamaged | EnvironmentProblem:
    """The error for a file that cannot be read; libraries tell the system's reason in their own errors, so the words decide."""
    lack = next((words for words in _LACKS if words in str(failure)), None)
    if lack is not None:
        return EnvironmentProblem(f"{what} cannot be read: {lack}; give this process what it lacks and try again")
    reason = failure.strerror if isinstance(failure, OSError) else failure
    return IndexDamaged(f"{what} cannot be read: {reason}")
