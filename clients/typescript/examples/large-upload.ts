import { readFile, rm, writeFile } from "node:fs/promises";
import { createDrs, type UploadState } from "@drs/client";

const drs = createDrs({
  server: process.env["DRS_SERVER"] ?? "http://127.0.0.1:8420",
  apiKey: process.env["DRS_API_KEY"],
});
const [path = "large.pdf"] = process.argv.slice(2);
const statePath = `${path}.upload.json`;
const resume: UploadState | undefined = await readFile(statePath, "utf8").then(JSON.parse, () => undefined);

// Ctrl-C stops the upload; the next run resumes it.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("interrupted")));

let saved: Promise<void> = Promise.resolve();
const upload = drs.datasets.upload(path, {
  resume,
  signal: stop.signal,
  onState: (state) => {
    saved = saved.then(() => writeFile(statePath, JSON.stringify(state)));
  },
  onProgress: ({ sentBytes, totalBytes = 0, bytesPerSecond, remainingMs = 0 }) => {
    const rate = `${(bytesPerSecond / 1e6).toFixed(0)} MB/s`;
    console.error(`${sentBytes} of ${totalBytes} bytes, ${rate}, ${(remainingMs / 1_000).toFixed(0)} s left`);
  },
});
// Save the state even if the upload failed: the next run needs it.
await Promise.allSettled([upload]);
await saved;
const job = await upload;
await rm(statePath, { force: true });
console.log(job.datasetId, (await drs.jobs.wait(job.id)).status);
