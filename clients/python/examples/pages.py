import sys
from pathlib import Path

from drs_client import Drs, NotFoundError

dataset_id, cols = sys.argv[1:]
drs = Drs()
try:
    # Lists fetch the next page of entries when it is needed.
    for item in drs.items.list(dataset_id, row="jpg", cols=cols, sort="col"):
        Path(f"page-{item.col}.jpg").write_bytes(drs.download(item))
        print(f"page-{item.col}.jpg")
except NotFoundError:
    print(f"there is no dataset {dataset_id}")
