from __future__ import annotations

import os
from pathlib import Path

import pytest


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set")
    return Path(value)


@pytest.fixture
def speech() -> Path:
    return _folder("HEARKEN_TEST_SPEECH")


@pytest.fixture
def models() -> Path:
    return _folder("HEARKEN_TEST_MODELS")
