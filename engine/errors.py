"""Every error that a user may see; each message says the next step.

EvidenceError
├── BadInput              the caller can repair it (exit code 2)
│   ├── BlankQuery
│   ├── UnknownScope
│   ├── BadSettings
│   └── KnowledgeBaseMissing
├── EnvironmentProblem    the machine, the model or the index must be repaired (exit code 3)
│   ├── ModelUnavailable
│   ├── IndexMissing
│   ├── IndexDamaged
│   └── IndexLocked
└── Stopped               somebody ended the work (exit code 130, or 143 after SIGTERM)
"""

from __future__ import annotations


class EvidenceError(Exception):
    """Base of all errors of this package."""

    exit_code = 3


class BadInput(EvidenceError):
    """What was asked cannot be done as it was asked."""

    exit_code = 2


class BlankQuery(BadInput):
    """The question has no character in it."""


class UnknownScope(BadInput):
    """A scope names a field or a value that the knowledge base does not have."""


class BadSettings(BadInput):
    """A setting is unknown, of the wrong type, out of range, or in conflict with another."""


class KnowledgeBaseMissing(BadInput):
    """There is no folder at the path of the knowledge base."""


class EnvironmentProblem(EvidenceError):
    """Something outside of the question stands in the way."""


class ModelUnavailable(EnvironmentProblem):
    """The embedding model cannot be loaded, or is not the one that it should be."""


class IndexMissing(EnvironmentProblem):
    """No snapshot of the knowledge base has been built yet."""


class IndexDamaged(EnvironmentProblem):
    """A file of the snapshot is missing or is not what the manifest says."""

    def __str__(self) -> str:
        return f"{self.what}; run: evidence sync"

    @property
    def what(self) -> str:
        """What is damaged, without the next step."""
        return str(self.args[0])


class IndexLocked(EnvironmentProblem):
    """Another process is building the index."""


class Stopped(EvidenceError):
    """The work was ended before it was done; what is finished is kept."""

    exit_code = 130
