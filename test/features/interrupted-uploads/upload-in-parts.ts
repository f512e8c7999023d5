import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createDrs, type UploadState } from "@drs/client";

// Uploads a file in parts, going on from the state that an earlier process of its kind has left; tells the job.
const [server = "", path = "", statePath = "", partBytes = "", partsAtOnce = ""] = process.argv.slice(2);

const drs = createDrs({ server, apiKey: process.env["DRS_API_KEY"] ?? "" });
const resume: UploadState | undefined = existsSync(statePath) ? JSON.parse(readFileSync(statePath, "utf8")) : undefined;
const job = await drs.datasets.upload(path, {
  singleRequestBytes: 0,
  partBytes: Number(partBytes),
  partsAtOnce: Number(partsAtOnce),
  ...(resume !== undefined && { resume, resumeOnly: true }),
  onState(state) {
    // Whole or not at all, whenever the process is killed.
    writeFileSync(`${statePath}.new`, JSON.stringify(state));
    renameSync(`${statePath}.new`, statePath);
  },
});
process.stdout.write(JSON.stringify(job));
