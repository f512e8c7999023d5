import asyncio
import sys

from drs_client import AsyncDrs


async def main(path: str, question: str) -> None:
    async with AsyncDrs() as drs:
        job = await drs.upload(path, vectorize=True)
        await job.wait(progress=True)
        for hit in await drs.search(question, dataset_ids=job.dataset_id, limit=3, include="text"):
            print(f"{hit.score:.2f} page {hit.page}: {hit.text}")


asyncio.run(main(*sys.argv[1:]))
