import { expect, test } from "vitest";
import type { Domain } from "../domain/domain.ts";
import { newWorkspaceId } from "../domain/ids.ts";
import { rankInPacks } from "./rank.ts";

const workspaceId = newWorkspaceId();

/** A domain that records its calls in `asked`; its workspace has the packs that `packs` has at the time. */
function domainWith(packs: string[]): { domain: Domain; asked: string[]; failing: Set<string> } {
  const asked: string[] = [];
  const failing = new Set<string>();
  const searches = {
    searchLexical: async ({ pack }: { pack: string }) => {
      asked.push(`words of ${pack}`);
      return [];
    },
  };
  const domain = {
    clock: () => 0,
    metadata: {
      packs: {
        inWorkspace: async () => {
          asked.push("packs");
          return packs.map((pack) => ({ pack, without: [] }));
        },
      },
    },
    packs: {
      find: async (id: string) => ({
        id,
        spaces: [{ kind: "lexical", pack: id, name: "words" }],
        fusion: [],
      }),
    },
    worker: {
      embedQuery: async ({ pack }: { pack: string }) => {
        asked.push(`query for ${pack}`);
        if (failing.has(pack)) throw new Error(`${pack} is gone`);
        return [{ kind: "lexical", space: "words", text: "page" }];
      },
    },
    vectors: { searching: () => searches },
  };
  return { domain: domain as unknown as Domain, asked, failing };
}

const { signal } = new AbortController();
const rank = (domain: Domain): Promise<unknown> =>
  rankInPacks(domain, {
    query: { text: "page" },
    scope: { workspaceId, datasetIds: undefined, limit: 1 },
    signal,
  });

test("packs are looked up again after the query is ready, and only once in the second search", async () => {
  const { domain, asked } = domainWith(["one"]);
  await rank(domain);
  expect(asked.splice(0)).toEqual(["packs", "query for one", "packs", "words of one"]);
  await rank(domain);
  expect(asked).toEqual(["query for one", "packs", "words of one"]);
});

test("a pack that has replaced the one queried last is queried, and the old one is not", async () => {
  const packs = ["one"];
  const { domain, asked, failing } = domainWith(packs);
  await rank(domain);
  packs[0] = "two";
  failing.add("one");
  asked.splice(0);
  await rank(domain);
  expect(asked).toEqual(["query for one", "packs", "query for two", "packs", "words of two"]);
});

test("the search fails if a pack that must still be queried fails", async () => {
  const { domain, asked, failing } = domainWith(["one"]);
  await rank(domain);
  failing.add("one");
  asked.splice(0);
  await expect(rank(domain)).rejects.toThrow("one is gone");
  // It is not tried twice, so that a worker that does not answer is waited for only once.
  expect(asked).toEqual(["query for one", "packs"]);
});
