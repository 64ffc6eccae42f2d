"""Asks a server through the client that openapi-python-client made of its document."""

import gzip
import os

from client import AuthenticatedClient
from client.api.statistics import get_website_by_hostname_pages as pages
from client.api.statistics import get_website_by_hostname_summary as summary
from client.api.statistics import get_website_by_hostname_time as time
from client.api.websites import get_website_by_hostname_export as export
from client.models.filter_ import Filter
from client.models.get_website_by_hostname_export_format import GetWebsiteByHostnameExportFormat as Format

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

# Figures by name come in place of the others, in rows and in totals.
named = pages.sync(hostname, client=everything, metrics="visits,pageviews")
expect([(row.path, row.pageviews) for row in named], [("/pricing", 2), ("/", 1)])
expect(summary.sync(hostname, client=everything, metrics="pageviews").current.pageviews, 3)
expect([row.duration for row in time.sync(hostname, client=everything)], [5000])
expect([row.time_median for row in time.sync(hostname, client=everything, metrics="time_median")], [5000])

# A download is a file, of which no byte is lost.
file = export.sync(hostname, client=everything, format_=Format("jsonl.gz"))
expect(len(gzip.decompress(file.payload.read()).splitlines()), 3)
