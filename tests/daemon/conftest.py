import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.processes import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Folders of its own; at the end nothing there, and nothing that was said, may tell a secret."""
    # The path of a socket has at most 107 bytes: pytest's own folders may be too deep.
    runtime = Path(tempfile.mkdtemp(prefix="hearken-test-"))
    place = Place(tmp_path, runtime)
    yield place.furnish()
    shutil.rmtree(runtime)
    place.check()
