import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyScopes } from "../../server/domain/caller.ts";
import { openRows } from "../../server/storage/metadata/open-rows.ts";
import { sharedStores } from "../service/shared-stores.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
afterAll(() => server.remove());

test("a version that knows no bound keys, and so reads scopes alone, grants them nothing", async () => {
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const scopes = ["read", "search", "write"] as const;
  const free = await drs.keys.create({ name: "free", scopes: [...scopes] });
  const bound = await drs.keys.create({ name: "bound", scopes: [...scopes], filter: { customer: 42 } });
  const successor = await drs.keys.rotate(bound.id);

  const { db, close } = await openRows({
    url: (await sharedStores(server.dataDir))?.databaseUrl,
    dataDir: server.dataDir,
  });
  try {
    const rows = await db.selectFrom("apiKeys").select(["id", "scopes"]).execute();
    const grantedTo = (id: string): readonly string[] => {
      const row = rows.find((candidate) => candidate.id === id);
      if (row === undefined) throw new Error(`${id} is not there`);
      // As those versions read a row.
      const granted = row.scopes.split(",");
      return keyScopes.filter((scope) => granted.includes(scope));
    };
    expect(grantedTo(free.id)).toEqual(expect.arrayContaining([...scopes]));
    expect(grantedTo(bound.id)).toEqual([]);
    expect(grantedTo(successor.id)).toEqual([]);
  } finally {
    await close();
  }
});
