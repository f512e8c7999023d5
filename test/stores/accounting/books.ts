import { expect } from "vitest";
import { convertedKey, originalKey } from "../../../server/domain/datasets/dataset.ts";
import { type Machine } from "./machine.ts";
import { perform } from "./perform.ts";

const everything = ({ caller }: Machine) => ({ workspaceId: caller.workspaceId, offset: 0, limit: 1000, now: 0 });

/** Checks that the counters equal the rows. */
export async function compareWithRows({ caller: { workspaceId }, metadata: { usage } }: Machine): Promise<void> {
  expect(await usage.ofWorkspace(workspaceId)).toEqual(await usage.recount(workspaceId));
}

/**
 * After a sweep, what is counted must be what is in the folder: no byte more, no byte less, and nothing
 * that belongs to nothing.
 */
export async function compareWithFiles(machine: Machine): Promise<void> {
  const { metadata, caller } = machine;
  while (await machine.now.sweep());
  const files = await machine.files();
  const { data: datasets } = await metadata.datasets.list({ ...everything(machine), types: [], sha256: [], sort: [] });
  const { data: sessions } = await metadata.uploads.list(everything(machine));
  const expected = new Map<string, number>();
  for (const dataset of datasets) {
    const { sha256, fileSize, convertedSize } = dataset;
    if (sha256 !== "") expected.set(originalKey(dataset), fileSize);
    if (convertedSize !== null) expected.set(convertedKey(dataset), convertedSize);
  }
  for (const { upload } of sessions) {
    for (const { blobKey, size } of await metadata.uploads.parts(upload.key)) expected.set(blobKey, size);
  }
  expect(files).toEqual(expected);
  const bytesIn = (folder: string): number =>
    [...files].filter(([key]) => key.startsWith(folder)).reduce((sum, [, size]) => sum + size, 0);
  const { stored } = await metadata.usage.ofWorkspace(caller.workspaceId);
  expect(stored).toEqual({
    originals: bytesIn("originals/"),
    converted: bytesIn("converted/"),
    parts: bytesIn("parts/"),
  });
  await compareWithRows(machine);
}

/** Everything is deleted: all of it must be given back. */
export async function giveBack(machine: Machine): Promise<void> {
  const { metadata } = machine;
  const { data: datasets } = await metadata.datasets.list({ ...everything(machine), types: [], sha256: [], sort: [] });
  for (const _ of datasets) await perform(machine, { act: "delete", target: 0 });
  const { data: sessions } = await metadata.uploads.list(everything(machine));
  for (const _ of sessions) await perform(machine, { act: "abort", target: 0 });
  machine.time += workerStopsMs;
  await compareWithFiles(machine);
}

/** Longer than a worker may go on that has lost its job. */
export const workerStopsMs = 10_000;
