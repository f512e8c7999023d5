import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emptyRecord } from "./record.ts";
import { openSyncState, type SyncState } from "./state.ts";

const pair = { server: "http://127.0.0.1:1", workspaceId: "ws_1", folder: "/srv/archive" };
let home: string;
const opened: SyncState[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "drs-sync-state-"));
});
afterEach(async () => {
  for (const state of opened.splice(0)) state.close();
  await rm(home, { recursive: true });
});

async function open(of = pair, onDamaged: (path: string) => void = () => undefined): Promise<SyncState> {
  const state = await openSyncState({ XDG_STATE_HOME: home }, of, onDamaged);
  opened.push(state);
  return state;
}

function close(state: SyncState): void {
  opened.splice(opened.indexOf(state), 1);
  state.close();
}

const refused = (path: string) => ({ ...emptyRecord(path), refused: { sha256: "A", reason: "no document" } });

test("is as it was left, without what is empty", async () => {
  const first = await open();
  first.put(refused("a"), refused("b"));
  first.put(emptyRecord("a"));
  expect([...first.records.keys()]).toEqual(["b"]);
  close(first);
  expect([...(await open()).records.values()]).toEqual([refused("b")]);
});

test("is of one server, workspace and folder, and for its user alone", async () => {
  const state = await open();
  state.put(refused("a"));
  for (const other of [{ server: "http://127.0.0.1:2" }, { workspaceId: "ws_2" }, { folder: "/srv/other" }])
    expect((await open({ ...pair, ...other })).records.size).toBe(0);
  const folder = join(home, "drs", "sync");
  for (const name of (await readdir(folder)).filter((name) => name.endsWith(".sqlite")))
    expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
});

test("is kept from a second run until the first one ends", async () => {
  const first = await open();
  await expect(open()).rejects.toThrow("another drs sync is running on /srv/archive");
  close(first);
  await expect(open()).resolves.toBeDefined();
});

test("is put aside where it is damaged", async () => {
  close(await open());
  const folder = join(home, "drs", "sync");
  for (const name of await readdir(folder)) await writeFile(join(folder, name), "no database ".repeat(500));
  const damaged: string[] = [];
  expect((await open(pair, (path) => damaged.push(path))).records.size).toBe(0);
  expect(damaged).toHaveLength(1);
});
