import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { countResident } from "./count-resident.ts";

test("the rows of a scope are counted by their datasets, each dataset once", () => {
  const workspaceId = newWorkspaceId();
  const [one, two, three] = [newDatasetId(), newDatasetId(), newDatasetId()];
  const pages = [one, two, one, three, two, one].map((datasetId, page) => ({ datasetId, page, generation: "" }));
  const rows = { count: pages.length, pageAt: (place: number) => pages[place] ?? expect.unreachable() };
  const count = (datasetIds: readonly (typeof one)[] | undefined, without?: readonly (typeof one)[]): number =>
    countResident(rows, { workspaceId, datasetIds, ...(without && { without }) });
  expect([count(undefined), count([one]), count([two, three, two]), count([newDatasetId()]), count([])]).toEqual([
    6, 3, 3, 0, 0,
  ]);
  expect([count(undefined, [one]), count([one, two], [one]), count([one], [one])]).toEqual([3, 2, 0]);
});
