from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def models() -> Path:
    value = os.environ.get("HEARKEN_TEST_MODELS")
    if not value:
        pytest.skip("HEARKEN_TEST_MODELS is not set")
    return Path(value)
