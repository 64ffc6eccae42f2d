"""Asks a server through the client that openapi-python-client made of its document."""

import os

from client import AuthenticatedClient
from client.api.statistics import get_website_by_hostname_pages as pages
from client.api.statistics import get_website_by_hostname_summary as summary
from client.models.filter_ import Filter

hostname = "client.example"
given = {"base_url": os.environ["SERVER"], "token": os.environ["TOKEN"]}


def expect(got, expected):
    assert got == expected, f"expected {expected}, got {got}"


everything = AuthenticatedClient(**given)
expect(summary.sync(hostname, client=everything).current.visitors, 3)

# This generator flattens filters: the server refuses that, and names the spelling that works.
refused = pages.sync_detailed(hostname, client=everything, path=Filter(eq="/pricing"))
expect(refused.status_code, 400)
assert "path[eq]" in refused.parsed.error.message, refused.parsed.error.message

filtered = AuthenticatedClient(**given, httpx_args={"params": {"path[eq]": "/pricing"}})
rows = pages.sync(hostname, client=filtered)
expect([(row.path, row.visitors) for row in rows], [("/pricing", 2)])
