import { DrsError, type Job } from "@drs/client";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type ScaleDocument, wordOf } from "./documents.ts";
import type { Fleet } from "./fleet.ts";

/** A document whose upload was acknowledged. */
export interface Acknowledged {
  readonly document: ScaleDocument;
  readonly jobId: string;
  readonly datasetId: string;
}

/** Longest time in which an upload has to be acknowledged. */
const patienceMs = 300_000;

/** Failures after which a client sends again: no answer, a server without time, the same request still at work. */
function mayPass(cause: unknown): boolean {
  if (!(cause instanceof DrsError)) return false;
  const { status } = cause;
  return status === undefined || status === 409 || status === 429 || status === 503;
}

/** Uploads until it is acknowledged, by turns through each API process, always under the same key. */
export async function uploadUntilAcknowledged(fleet: Fleet, document: ScaleDocument): Promise<Acknowledged> {
  const { bytes, fileName, vectorize, inParts, number } = document;
  const until = performance.now() + patienceMs;
  for (let attempt = number; ; attempt++) {
    try {
      const job = await fleet.client(attempt % fleet.apis.length).datasets.upload(bytes, {
        fileName,
        vectorize,
        idempotencyKey: `document ${number}`.replace(" ", "-"),
        retryTimeoutMs: 5_000,
        ...(inParts ? { singleRequestBytes: 0, partBytes: 5 * 2 ** 20 } : {}),
      });
      return { document, jobId: job.id, datasetId: job.datasetId };
    } catch (cause) {
      if (!mayPass(cause) || performance.now() > until) {
        throw new Error(`upload of ${fileName} failed`, { cause });
      }
      await sleep(500);
    }
  }
}

/** Clients at the same time, each with one document after the other. */
export async function uploadAll(
  fleet: Fleet,
  documents: readonly ScaleDocument[],
  clients: number,
): Promise<readonly Acknowledged[]> {
  const waiting = [...documents];
  const acknowledged: Acknowledged[] = [];
  const run = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      acknowledged.push(await uploadUntilAcknowledged(fleet, next));
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
  return acknowledged;
}

/** The finished job, as another process than the one of the upload may tell it. */
export async function finished(fleet: Fleet, { jobId, document }: Acknowledged): Promise<Job> {
  return fleet.client((document.number + 1) % fleet.apis.length).jobs.wait(jobId);
}

/** The expected outcome of every acknowledged upload, with and without faults. */
export async function expectWhole(fleet: Fleet, acknowledged: Acknowledged): Promise<void> {
  const { document, datasetId } = acknowledged;
  const { fileName, pages, vectorize, number } = document;
  const job = await finished(fleet, acknowledged);
  expect({ fileName, job }).toMatchObject({ job: { status: "SUCCESS", statusText: "", failures: [] } });
  const drs = fleet.client(number % fleet.apis.length);
  const items = await Array.fromAsync(drs.items.list(datasetId, { sort: ["col"] }));
  const rows = vectorize ? ["embedding_image", "jpg", "pdf"] : ["jpg", "pdf"];
  const expected = Array.from({ length: pages }, (_, page) => rows.map((row) => `${page + 1} ${row}`)).flat();
  expect({ fileName, items: items.map(({ col, row }) => `${col} ${row}`).toSorted() }).toEqual({
    fileName,
    items: expected.toSorted(),
  });
  if (!vectorize) return;
  const found = await drs.search(wordOf(number, pages), { limit: 20 });
  expect({ fileName, first: found[0] }).toMatchObject({ first: { datasetId, col: pages } });
  expect(found.filter((item) => item.datasetId === datasetId && item.col === pages)).toHaveLength(1);
}
