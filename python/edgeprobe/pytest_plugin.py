# SPDX-License-Identifier: Apache-2.0
"""The package's plug-in for pytest: the fixture ``assert_deploys`` (docs/guides/python.md, In a test).

Every run of pytest imports this module, so it imports nothing of the package before a test asks for the fixture.
"""
from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .verbs.verbs import Result

#: Most characters of a page's name without its extension; file names may have 255.
_LONGEST = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("edgeprobe")
    group.addoption("--edgeprobe-report", metavar="DIR", default=None,
                    help="keep the pages of assert_deploys() in DIR, one per verdict; by default they are below pytest's temporary folder")


@pytest.fixture(scope="session")
def _edgeprobe_pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all pages."""
    asked = request.config.getoption("--edgeprobe-report")
    if asked is None:
        return tmp_path_factory.mktemp("edgeprobe", numbered=False)
    folder: Path = request.config.invocation_params.dir / asked
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def assert_deploys(request: pytest.FixtureRequest, _edgeprobe_pages: Path) -> Callable[..., Result]:
    """Passes if a model or a recorded trace matches the reference; else fails with the cause, its fix and the page."""
    pages = 0

    def asserted(subject: Any, **options: Any) -> Result:
        __tracebackhide__ = True
        from .verbs.deploying import DeploymentFailed
        from .verbs.deploying import assert_deploys as judge

        nonlocal pages
        pages += 1
        page = options.setdefault("html", _edgeprobe_pages / page_name(request.node.nodeid, pages))
        request.node.user_properties.append(("edgeprobe_page", str(page)))
        try:
            return judge(subject, **options)
        except DeploymentFailed as error:
            request.node.user_properties.append(("edgeprobe_headline", error.result["headline"]))
            raise

    return asserted


def page_name(nodeid: str, number: int) -> str:
    """``sub/test_a.py::test_net[int8]`` as ``sub-test_a.py-test_net-int8.html``. A name that other tests could also have, or that is too long, ends
    with a hash."""
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", nodeid).strip("-.")
    if len(plain) > _LONGEST or re.search(r"[^A-Za-z0-9_./:\[\]]", nodeid):
        plain = plain[:_LONGEST] + "-" + hashlib.sha256(nodeid.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return plain + ("" if number == 1 else f"-{number}") + ".html"
