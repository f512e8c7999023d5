import { expect, test } from "vitest";
import type { Domain } from "../domain.ts";
import { warmUpSearch } from "./warm-up.ts";

/** What is asked for by a domain whose workspaces have these packs. */
function askedBy(packsOf: Readonly<Record<string, readonly string[]>>): { domain: Domain; asked: string[] } {
  const asked: string[] = [];
  const searches = {
    searchLexical: async (_space: unknown, _text: string, { workspaceId }: { workspaceId: string }) => {
      asked.push(`words in ${workspaceId}`);
      return [];
    },
  };
  const domain = {
    clock: () => 0,
    metadata: {
      organisations: { operator: async () => ({ id: "org" }) },
      workspaces: { list: async () => Object.keys(packsOf).map((id) => ({ id })) },
      jobs: { hasFinishedSince: async () => false },
      packs: { inWorkspace: async (id: string) => (packsOf[id] ?? []).map((pack) => ({ pack, without: [] })) },
    },
    packs: {
      find: async (id: string) => ({
        id,
        spaces: [{ kind: "lexical", name: "words" }],
        candidates: () => 1,
        fuse: () => [],
      }),
    },
    worker: {
      embedQuery: async ({ pack }: { pack: string }) => {
        asked.push(`query for ${pack}`);
        return [{ kind: "lexical", space: "words", text: "page" }];
      },
    },
    vectors: { searching: () => searches },
  };
  return { domain: domain as unknown as Domain, asked };
}

const signal = new AbortController().signal;

test("the first workspace that has vectors is asked, by its model", async () => {
  const { domain, asked } = askedBy({ empty: [], full: ["builtin"], other: ["builtin"] });
  await warmUpSearch(domain, signal);
  expect(asked).toEqual(["query for builtin", "words in full"]);
});

test("where nothing has vectors no model is loaded", async () => {
  const { domain, asked } = askedBy({ empty: [] });
  await warmUpSearch(domain, signal);
  expect(asked).toEqual([]);
});
