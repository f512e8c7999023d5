import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { roleWithPassword } from "../servers/postgres.ts";
import { freePort } from "../servers/free-port.ts";
import { startCommand } from "../service/command.ts";
import { createFleetProcess, type FleetProcess } from "./fleet-process.ts";
import { keyIn } from "./fleet.ts";
import { emptyStores, hasSharedStores, scaleReason } from "./stores.ts";

const atOnce = 10;
const password = "pw-not-to-be-told";

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(!hasSharedStores)(`on an empty database${scaleReason}`, () => {
  const processes: FleetProcess[] = [];
  afterAll(() => Promise.all(processes.map((one) => one.remove())));

  test("ten processes start at once: all serve, with one organisation and one key", { timeout: 900_000 }, async () => {
    const env = await emptyStores();
    for (let index = 0; index < atOnce; index++) {
      const kind = index % 5 === 4 ? "worker" : "api";
      processes.push(await createFleetProcess({ kind, name: `${kind}${index}`, env }));
    }
    await Promise.all(processes.map((one) => one.start()));
    const apis = processes.filter(({ kind }) => kind === "api");
    const keys = await Promise.allSettled(apis.map(({ dataDir }) => keyIn(dataDir)));
    const [apiKey, ...others] = keys.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(others).toEqual([]);
    for (const { url } of apis) {
      const answer = await fetch(`${url}/v1/datasets`, { headers: { "x-api-key": apiKey ?? "" } });
      expect({ url, status: answer.status }).toEqual({ url, status: 200 });
    }
    for (const { url } of processes) {
      await expect
        .poll(async () => (await fetch(`${url}/readyz`)).json(), { timeout: 120_000, interval: 500 })
        .toMatchObject({ ready: true });
    }
    const database = env["DRS_DATABASE_URL"] ?? "";
    expect(await query(database, `select count(*)::int as n from organisations`)).toEqual([{ n: 1 }]);
    expect(await query(database, `select count(*)::int as n from workspaces`)).toEqual([{ n: 1 }]);
    expect(await query(database, `select count(*)::int as n from "apiKeys"`)).toEqual([{ n: 1 }]);
    const migrations = await query<{ name: string }>(database, `select name from kysely_migration`);
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  });
});

describe.skipIf(!hasSharedStores)(`what cannot be started is said in one sentence${scaleReason}`, () => {
  let right: Record<string, string>;
  beforeAll(async () => {
    right = await emptyStores();
    await query(
      right["DRS_DATABASE_URL"] ?? "",
      `do $$ begin create role ${roleWithPassword} login password 'right'; exception when duplicate_object then end $$`,
    );
  });

  function database(change: (url: URL) => void): Record<string, string> {
    const url = new URL(right["DRS_DATABASE_URL"] ?? "");
    url.password = password;
    change(url);
    return { DRS_DATABASE_URL: url.href };
  }

  test.each<[what: string, change: () => Promise<Record<string, string>>, sentence: RegExp]>([
    [
      "a wrong password",
      async () => database((url) => (url.username = roleWithPassword)),
      /metadata database refuses.*password authentication failed/,
    ],
    [
      "an unknown database",
      async () => database((url) => (url.pathname = "/nowhere")),
      /database "nowhere" does not exist/,
    ],
    [
      "a server that is not there",
      async () => {
        const port = await freePort();
        return database((url) => (url.port = String(port)));
      },
      /metadata database does not answer/,
    ],
    ["a bucket that is not there", async () => ({ DRS_BLOB_URL: "s3://no-such-bucket/blobs" }), /no-such-bucket/],
    [
      "a bucket for vectors that is not there",
      async () => ({ DRS_VECTOR_URL: "s3://no-such-bucket/vectors" }),
      /the vector store in --vector-url .* check that the bucket is there/,
    ],
    ["wrong credentials for the bucket", async () => ({ AWS_SECRET_ACCESS_KEY: password }), /credentials|signature/i],
    [
      "an endpoint that is not there",
      async () => ({ AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` }),
      /object store/,
    ],
  ])("%s", { timeout: 240_000 }, async (_, change, sentence) => {
    const env = { ...right, ...(await change()) };
    const refuse = async (kind: FleetProcess["kind"]): Promise<void> => {
      const one = await createFleetProcess({ kind, name: kind, env });
      try {
        const words = kind === "api" ? ["serve", "--port", "0"] : ["worker"];
        const command = startCommand([...words, "--data-dir", one.dataDir], env);
        // One that starts after all is not waited for.
        const giveUp = setTimeout(() => command.kill("SIGKILL"), 90_000);
        const { code, stdout, stderr } = await command.outcome;
        clearTimeout(giveUp);
        expect({ kind, code, stdout }).toEqual({ kind, code: 1, stdout: "" });
        // What is wrong, and perhaps what to do about it in a line of its own.
        expect(stderr).toMatch(/^[^\n]+\n(?:[^\n]+\n)?$/);
        expect(stderr).toMatch(sentence);
        expect(stderr).not.toContain(password);
      } finally {
        await one.remove();
      }
    };
    // Most of it is waiting for what is not there.
    await Promise.all([refuse("api"), refuse("worker")]);
  });
});
