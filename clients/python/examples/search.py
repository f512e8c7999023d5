import sys

from drs_client import Drs

path, question = sys.argv[1:]
drs = Drs()
job = drs.upload(path, vectorize=True)
job.wait(progress=True)

for hit in drs.search(question, dataset_ids=job.dataset_id, limit=3):
    print(f"{hit.score:.2f} page {hit.page} {hit.share_url}")
