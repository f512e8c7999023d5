import { expect, test } from "vitest";
import type { Domain } from "../domain/domain.ts";
import { unprocessable } from "../domain/errors.ts";
import { warmUpSearch } from "./warm-up.ts";

interface Found {
  readonly datasetId: string;
  readonly page: number;
  readonly score: number;
}

/** Records the calls to a domain whose workspaces have these packs, and whose index finds these pages. */
function askedBy(
  packsOf: Readonly<Record<string, readonly string[]>>,
  found: readonly Found[] = [],
): { domain: Domain; asked: string[] } {
  const asked: string[] = [];
  const searches = {
    searchLexical: async (_space: unknown, _text: string, { workspaceId }: { workspaceId: string }) => {
      asked.push(`words in ${workspaceId}`);
      return found;
    },
  };
  const domain = {
    clock: () => 0,
    metadata: {
      organisations: { operator: async () => ({ id: "org" }) },
      workspaces: { list: async () => Object.keys(packsOf).map((id) => ({ id })) },
      pages: { words: async (id: string, [page = 0]: readonly number[]) => new Map([[page, `words of ${id}`]]) },
      packs: { inWorkspace: async (id: string) => (packsOf[id] ?? []).map((pack) => ({ pack, without: [] })) },
    },
    packs: {
      find: async (id: string) => ({
        id,
        spaces: [{ kind: "lexical", name: "words" }],
        fusion: [],
      }),
    },
    worker: {
      embedQuery: async ({ pack, text }: { pack: string; text: string }) => {
        asked.push(`${text}, for ${pack}`);
        return [{ kind: "lexical", space: "words", text: "page" }];
      },
      render: async ({ datasetId, page }: Found) => {
        asked.push(`page ${page} of ${datasetId}`);
        throw unprocessable("it cannot be drawn");
      },
    },
    vectors: { searching: () => searches },
  };
  return { domain: domain as unknown as Domain, asked };
}

const signal = new AbortController().signal;

test("the first workspace with vectors is searched, with its model", async () => {
  const { domain, asked } = askedBy({ empty: [], full: ["builtin"], other: ["builtin"] });
  await warmUpSearch(domain, signal);
  expect(asked).toEqual(["page 1, for builtin", "words in full"]);
});

test("a found page is rendered, and its words are the next question; a page of another document if there is one", async () => {
  const { domain, asked } = askedBy({ full: ["builtin"] }, [
    { datasetId: "one", page: 3, score: 1 },
    { datasetId: "other", page: 4, score: 0.5 },
  ]);
  await warmUpSearch(domain, signal);
  const drawn = asked.filter((what) => what.startsWith("page ") && what.includes(" of "));
  expect(drawn).toHaveLength(5);
  expect(drawn.slice(0, 2).toSorted()).toEqual(["page 3 of one", "page 4 of other"]);
  const named = (what: string | undefined): string => what?.split(" ").at(-1) ?? "";
  expect(asked.filter((what) => what.endsWith(", for builtin"))).toEqual([
    "page 1, for builtin",
    ...drawn.slice(0, -1).map((what) => `words of ${named(what)}, for builtin`),
  ]);
});

test("it ends with its signal", async () => {
  const { domain, asked } = askedBy({ full: ["builtin"] }, [{ datasetId: "one", page: 3, score: 1 }]);
  await expect(warmUpSearch(domain, AbortSignal.abort(new Error("closing")))).rejects.toThrow("closing");
  expect(asked).toEqual([]);
});

test("no model is loaded if no workspace has vectors", async () => {
  const { domain, asked } = askedBy({ empty: [] });
  await warmUpSearch(domain, signal);
  expect(asked).toEqual([]);
});
