import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newDataset } from "../../../domain/datasets/create.ts";
import type { DatasetMetadata } from "../../../domain/datasets/metadata.ts";
import { readFilter } from "../../../domain/filters/read.ts";
import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../../domain/ids.ts";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import { openMetadata } from "../open.ts";
import { openRows, type Rows } from "../open-rows.ts";
import { putValues, toDatasetRow } from "./dataset-rows.ts";

const now = 1_790_000_000_000;
let dataDir: string;
let rows: Rows;
let store: Metadata;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-dataset-list-"));
  rows = await openRows({ url: undefined, dataDir });
  await sql`pragma foreign_keys = off`.execute(rows.db);
  store = await openMetadata({ url: undefined, dataDir });
});
afterAll(async () => {
  await store.close();
  await rows.close();
  await rm(dataDir, { recursive: true });
});

interface State {
  readonly expiresAt?: number;
  readonly type?: "pending";
}

async function enter(workspaceId: WorkspaceId, metadata: DatasetMetadata, { expiresAt, type }: State = {}) {
  const dataset = newDataset({
    id: newDatasetId(),
    workspaceId,
    fileName: "a.pdf",
    kind: { fileExt: "pdf", mimeType: "application/pdf" },
    stored: { size: 1, sha256: "00".repeat(32) },
    expiresInDays: undefined,
    metadata,
    now,
  });
  const row = { ...toDatasetRow(dataset), ...(expiresAt && { expiresAt }), ...(type && { type }) };
  await rows.db.insertInto("datasets").values(row).execute();
  await putValues(rows.db, dataset);
}

it("counts the datasets that fulfil one condition, not their values, and none that lists leave out", async () => {
  const workspaceId = newWorkspaceId();
  const [gone, pending] = [{ expiresAt: now }, { type: "pending" }] as const;
  for (const [metadata, state] of [
    [{ tag: 1 }],
    [{ tag: 1, other: [1, 1] }],
    [{ tag: [1, 2, 1] }],
    [{ tag: [1] }, { expiresAt: now + 1 }],
    [{ tag: 3 }],
    [{ tag: [3, 4] }, gone],
    [{ tag: 1 }, gone],
    [{ tag: [1, 1] }, gone],
    [{ tag: 1 }, pending],
    [{ tag: [1, 2] }, pending],
    [{}],
  ] as const)
    await enter(workspaceId, metadata, state);
  await enter(newWorkspaceId(), { tag: 1 });
  await enter(newWorkspaceId(), { tag: 1 }, gone);
  for (const [filter, count] of [
    [{ tag: 1 }, 4],
    [{ tag: { $in: [1, 3] } }, 5],
    [{ tag: { $gte: 2 } }, 2],
    [{ tag: { $exists: true } }, 5],
    [{ other: 1 }, 1],
    [{ tag: 9 }, 0],
  ] as const) {
    const query = { workspaceId, filter: readFilter(filter), now };
    const list = { ...query, types: [], sha256: [], sort: [], offset: 0, limit: 10 };
    expect({ filter, count: (await store.datasets.list(list)).total }).toEqual({ filter, count });
    expect(await store.datasets.ids({ ...query, limit: 100 })).toHaveLength(count);
  }
});
