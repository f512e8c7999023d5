import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DatasetId } from "../../server/domain/ids.ts";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { documentRows, type PageKey, type VectorStore } from "../../server/domain/ports/vectors.ts";
import { putDocuments } from "../../server/pipeline/jobs/document/describe.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";

const words = { kind: "lexical", pack: "p@1", name: "words" } as const;
const documents = { kind: "lexical", pack: "p@1", name: "words:documents", unit: "document" } as const;
const reads = { words, documents };
const [workspaceId, generation] = [newWorkspaceId(), "a"];
const subjects = ["octave", "pump", "harbour", "lighthouse"];
const described = subjects.map((subject) => ({
  dataset: { id: newDatasetId(), workspaceId, fileName: `${subject}.pdf`, title: null, author: null, metadata: {} },
  generation,
}));
const idOf = (subject: string): DatasetId | undefined => described[subjects.indexOf(subject)]?.dataset.id;

let folder: string;
let vectors: VectorStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-described-"));
  vectors = await openLanceVectors({ url: folder });
  for (const { dataset } of described) {
    const page = { datasetId: dataset.id, workspaceId, generation };
    await vectors.putLexical(words, [
      { ...page, page: 1, words: `about the ${dataset.fileName.slice(0, -4)}` },
      { ...page, page: 9, words: `maintenance of the ${dataset.fileName.slice(0, -4)}` },
    ]);
  }
});
afterEach(async () => {
  await vectors.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const found = async (text: string): Promise<PageKey[]> =>
  (await vectors.searchLexical(documents, text, { workspaceId, datasetIds: undefined, limit: 100 })).map(
    ({ datasetId, page }) => ({ datasetId, page, generation }),
  );

test("documents that are described together have the rows that each has alone, in two writes", async () => {
  const writes: string[] = [];
  const counted = {
    readRows: vectors.readRows,
    putRows: async (...[space, rows]: Parameters<VectorStore["putRows"]>) => {
      writes.push(`${rows.length} rows`);
      await vectors.putRows(space, rows);
    },
    putLexical: async (...[space, rows]: Parameters<VectorStore["putLexical"]>) => {
      writes.push(`${rows.length} names`);
      await vectors.putLexical(space, rows);
    },
  };
  await putDocuments(counted, reads, described);
  // Names come last: where one is, the other rows are.
  expect(writes).toEqual(["8 rows", "4 names"]);
  for (const subject of subjects) {
    const pages = (await found(subject)).toSorted((one, other) => one.page - other.page);
    expect(pages).toEqual(
      Object.values(documentRows)
        .toSorted((one, other) => one - other)
        .map((page) => ({ datasetId: idOf(subject), page, generation })),
    );
  }
  // A word of a later page belongs to the whole alone.
  const whole = await found("maintenance");
  expect(whole.map(({ page }) => page)).toEqual(subjects.map(() => documentRows.whole));
  expect(new Set(whole.map(({ datasetId }) => datasetId))).toEqual(new Set(subjects.map(idOf)));
});
