import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { notFound, unavailable } from "../domain/errors.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { VectorStore } from "../domain/ports/vector-store.ts";
import { createMeter } from "./meter.ts";
import { timeStores } from "./timed-stores.ts";

test("calls are timed by store and method, and only faults of the store count as failed", async () => {
  const registry = new Registry();
  const failures = [notFound("none"), unavailable("away"), new DOMException("gone", "AbortError"), new Error("broken")];
  const stores = {
    metadata: { ping: async () => undefined, jobs: { endPauses: async () => undefined } } as unknown as Metadata,
    blobs: {
      freeBytes: async () => 7,
      remove: () => Promise.reject(failures.shift()),
      async *list() {
        yield { key: "a", size: 1 };
      },
    } as unknown as BlobStore,
    vectors: {} as VectorStore,
  };
  const { metadata, blobs } = timeStores(stores, createMeter(registry));
  await metadata.ping();
  await metadata.jobs.endPauses();
  expect(await blobs.freeBytes()).toBe(7);
  expect(await Array.fromAsync(blobs.list())).toEqual([{ key: "a", size: 1 }]);
  for (const text of ["none", "away", "gone", "broken"]) await expect(blobs.remove("x")).rejects.toThrow(text);
  const lines = (await registry.metrics())
    .split("\n")
    .filter((line) => line.startsWith("drs_store_duration_seconds_count"));
  const labels = (store: string, operation: string, result = "succeeded"): string =>
    `drs_store_duration_seconds_count{store="${store}",operation="${operation}",result="${result}"}`;
  expect(lines.toSorted()).toEqual(
    [
      `${labels("metadata", "ping")} 1`,
      `${labels("metadata", "jobs.endPauses")} 1`,
      `${labels("blobs", "freeBytes")} 1`,
      `${labels("blobs", "remove")} 2`,
      `${labels("blobs", "remove", "failed")} 2`,
    ].toSorted(),
  );
});
