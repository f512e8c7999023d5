import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Caller, member } from "./caller.ts";
import { jobEnd, type Known } from "./life.ts";

/** How long a page may take to be found again that has to be embedded once more. */
const foundWithinMs = 60_000;

/** Returns the problems of a server after a power cut, given its answers before. */
export async function faultsOf(caller: Caller, known: readonly Known[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const document of known) {
    const { datasetId, jobId } = document;
    const { status, data } = await caller.get(`datasets/${datasetId}`);
    if (document.isGone === true && status !== 404) faults.push(`${datasetId} is back: ${status}`);
    if (status !== 200) {
      if (document.mayBeGone !== true) faults.push(`${datasetId} is lost: ${status}`);
      continue;
    }
    if ((await hashAt(member(member(data, "share"), "url"))) !== document.sha256)
      faults.push(`${datasetId}: other bytes`);
    const ended = await jobEnd(caller, jobId);
    if (ended !== "SUCCESS") faults.push(`${jobId} of ${datasetId}: ${String(ended)}`);
    else if (document.isVectorized) faults.push(...(await unfound(caller, document)));
  }
  return faults;
}

async function hashAt(url: unknown): Promise<string> {
  const response = await fetch(String(url));
  return createHash("sha256")
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest("hex");
}

async function unfound(caller: Caller, { datasetId, words }: Known): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, word] of words.entries()) {
    const until = performance.now() + foundWithinMs;
    for (;;) {
      const { status, data } = await caller.postJson("search", { query: word, datasetIds: [datasetId] });
      if (status !== 200) faults.push(`search answered ${status}`);
      const [first]: unknown[] = Array.isArray(data) ? data : [];
      if (status !== 200 || member(first, "col") === index + 1) break;
      if (performance.now() > until) {
        faults.push(`page ${index + 1} of ${datasetId} is not found`);
        break;
      }
      await sleep(200);
    }
  }
  return faults;
}
