import { openMetadata } from "../../../server/storage/metadata/open.ts";
import { claimNext, createDataset, createTenant, makePage, morning } from "./records.ts";

// Commits ten pages at a time and reports every commit that was answered, until it is killed.
const [dataDir = "", mode] = process.argv.slice(2);
const metadata = await openMetadata({ url: undefined, dataDir });
if (mode === "open only") {
  await metadata.close();
  process.exit(0);
}
await metadata.jobs.expireLeases("child");
const { workspaceId } = await createTenant(metadata);
const { dataset } = await createDataset(metadata, workspaceId);
let claimed = await claimNext(metadata, "child", morning);
while (claimed.job.datasetId !== dataset.id) claimed = await claimNext(metadata, "child", morning);
for (let pages = 10; ; pages += 10) {
  const batch = Array.from({ length: 10 }, (_, index) => makePage(pages - 9 + index));
  await metadata.pages.save(claimed.lease, dataset.id, batch, morning);
  process.send?.({ datasetId: dataset.id, pages });
  await new Promise((resolve) => setImmediate(resolve));
}
