import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { openBlobs } from "../../server/storage/blobs/open.ts";
import { openFolderBlobs } from "../../server/storage/blobs/folder.ts";
import { blobsContract } from "./blobs.contract.ts";

blobsContract("folder", async () => {
  const root = await mkdtemp(join(tmpdir(), "drs-blobs-"));
  return {
    blobs: await openFolderBlobs(root),
    listEverything: async () => (await readdir(root, { recursive: true })).toSorted(),
    dispose: () => rm(root, { recursive: true }),
  };
});

describe("blobs in a folder", () => {
  const roots: string[] = [];
  const makeRoot = async () => {
    const root = await mkdtemp(join(tmpdir(), "drs-blobs-"));
    roots.push(root);
    return root;
  };
  afterEach(async () => {
    for (const root of roots.splice(0)) await rm(root, { recursive: true });
  });

  it("removes folders that have become empty, and not the others", async () => {
    const root = await makeRoot();
    const blobs = await openFolderBlobs(root);
    const body = async function* () {
      yield Buffer.from("x");
    };
    await blobs.put("renditions/ds_1/1.jpg", body());
    await blobs.put("renditions/ds_2/1.jpg", body());
    await blobs.remove("renditions/ds_1/1.jpg");
    expect(await readdir(join(root, "renditions"))).toEqual(["ds_2"]);
    await blobs.removePrefix("renditions/ds_2/");
    expect(await readdir(root)).toEqual(["tmp"]);
  });

  it("closes the file when reading ends early", async () => {
    const root = await makeRoot();
    const blobs = await openFolderBlobs(root);
    await blobs.put(
      "big",
      (async function* () {
        for (let index = 0; index < 20; index++) yield Buffer.alloc(100_000);
      })(),
    );
    const openFiles = async () => (await readdir("/proc/self/fd")).length;
    const before = await openFiles();
    for (let round = 0; round < 20; round++) {
      const blob = await blobs.get("big");
      for await (const chunk of blob?.body ?? []) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
    }
    await expect.poll(openFiles).toBeLessThan(before + 5);
  });

  it("sweeps what dead processes left, when asked to, and leaves what living ones are writing", async () => {
    const root = await makeRoot();
    const child = forkPutter(root);
    await once(child, "message");
    const temporary = join(root, "tmp");
    const [unfinished = ""] = await readdir(temporary);
    expect((await stat(join(temporary, unfinished))).size).toBeGreaterThan(0);
    await openFolderBlobs(root, { sweepTemporary: true });
    expect(await readdir(temporary)).toEqual([unfinished]);
    child.kill("SIGKILL");
    await once(child, "exit");
    await openFolderBlobs(root);
    expect(await readdir(temporary)).toEqual([unfinished]);
    // From an earlier process with this one's number, from one that seems alive but is a day old, from no process.
    await writeFile(join(temporary, `${process.pid}-earlier1-1`), "x");
    await writeFile(join(temporary, `${process.ppid}-earlier2-1`), "x");
    await utimes(join(temporary, `${process.ppid}-earlier2-1`), 1000, 1000);
    await writeFile(join(temporary, "anything"), "x");
    await openFolderBlobs(root, { sweepTemporary: true });
    expect(await readdir(temporary)).toEqual([]);
  });

  it("says which setting names a store that it does not know", async () => {
    const opening = openBlobs({ url: "gs://key:secret@bucket", dataDir: await makeRoot() });
    await expect(opening).rejects.toThrow(/DRS_BLOB_URL.*gs:/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});

function forkPutter(root: string) {
  const path = new URL(`./testing/put-forever${extname(import.meta.url)}`, import.meta.url);
  return fork(fileURLToPath(path), [root], { execArgv: [] });
}
