"""Uploads a document, waits for it, lists its pages, searches it and fetches a page, with the generated client.

Arguments: the address of the server, an API key, a PDF, a query. Prints what it got as JSON.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from drs_generated import AuthenticatedClient, Client
from drs_generated.api.datasets_and_pages import get_dataset, list_items
from drs_generated.api.jobs import get_job, watch_job
from drs_generated.api.search import search
from drs_generated.api.share_links import read_share
from drs_generated.api.upload import vectorize
from drs_generated.models import (
    GetDatasetResponse200,
    GetJobResponse200,
    ItemRow,
    JobStatus,
    ListItemsResponse,
    SearchJsonBody,
    VectorizeBody,
    VectorizeResponse200,
)
from drs_generated.types import File

server, api_key, document, query = sys.argv[1:]
client = AuthenticatedClient(base_url=server, token=api_key, prefix="", auth_header_name="x-api-key")

form = VectorizeBody(file=File(payload=BytesIO(Path(document).read_bytes()), file_name="report.pdf"))
accepted = vectorize.sync(client=client, body=form)
assert isinstance(accepted, VectorizeResponse200), accepted
job = accepted.data

# The stream of events ends with the job.
events = watch_job.sync(id=job.id, client=client)
assert isinstance(events, str), events
last = json.loads([line for line in events.splitlines() if line.startswith("data: ")][-1].removeprefix("data: "))
finished = get_job.sync(id=job.id, client=client)
assert isinstance(finished, GetJobResponse200), finished
assert finished.data.status is JobStatus.SUCCESS and last["status"] == "SUCCESS", last

dataset = get_dataset.sync(id=job.dataset_id, client=client)
assert isinstance(dataset, GetDatasetResponse200), dataset
items = list_items.sync(dataset_id=job.dataset_id, client=client, row=ItemRow.JPG, sort=["col"])
assert isinstance(items, ListItemsResponse), items

found = search.sync(client=client, body=SearchJsonBody(query=query, limit=1))
assert not isinstance(found, (type(None))) and hasattr(found, "data"), found
page = found.data[0]

# A share link needs no key.
picture = read_share.sync(id=page.id, client=Client(base_url=server), token=page.share.token)
assert isinstance(picture, File), picture

print(
    json.dumps(
        {
            "fileName": dataset.data.file_name,
            "pages": [item.col for item in items.data],
            "found": page.col,
            "picture": picture.payload.read(3).hex(),
        }
    )
)
