import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openForWriting, pruneBackup } from "../../server/backup/snapshots/repository.ts";
import { restore } from "../../server/backup/snapshots/restore.ts";
import { writeSnapshot } from "../../server/backup/snapshots/snapshot.ts";

/** A folder of backups that somebody else has had in hands. */
describe("a folder of backups that others may have changed", () => {
  let folder: string;
  let dir: string;
  const names = ["2026-11-01T03-00-00Z", "2026-11-02T03-00-00Z"];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-backups-"));
    dir = join(folder, "backups");
    const repository = await openForWriting(dir, { create: true });
    for (const name of names) {
      await repository.startOver();
      const writer = await writeSnapshot(repository.unfinished);
      await writer.finish({ name, createdAt: Date.now(), datasets: 0, problems: [] });
      await writer.close();
      await repository.seal(name);
    }
    await repository.close();
    await mkdir(join(folder, "precious"));
    await writeFile(join(folder, "precious", "letter"), "dear");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function rename(name: string, claimed: string): Promise<void> {
    const path = join(dir, "snapshots", name, "snapshot.json");
    const summary = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...summary, name: claimed }));
  }

  test("as it was made, it is pruned", async () => {
    expect(await pruneBackup({ dir, keep: 1 })).toMatchObject({ removedSnapshots: [names[0]] });
    expect(await readdir(join(dir, "snapshots"))).toEqual([names[1]]);
  });

  /** Adds a snapshot of one file, the newest: `content` under a path, with the checksum of `listed`. */
  async function addFile(path: string, content: string, listed = content): Promise<void> {
    const repository = await openForWriting(dir, { create: false });
    const source = join(folder, "source");
    await writeFile(source, content);
    const { sha256, size } = await repository.pool.add(source, AbortSignal.timeout(5_000));
    const sealed = createHash("sha256").update(listed).digest("hex");
    const object = repository.pool.pathOf(sealed);
    await mkdir(dirname(object), { recursive: true });
    if (sealed !== sha256) await cp(repository.pool.pathOf(sha256), object);
    const writer = await writeSnapshot(repository.unfinished);
    await writer.add({ path, size, sha256: sealed });
    const name = "2026-11-03T03-00-00Z";
    await writer.finish({ name, createdAt: Date.now(), datasets: 0, problems: [] });
    await writer.close();
    await repository.seal(name);
    await repository.close();
  }

  const restoreAll = () =>
    restore({
      dir,
      name: undefined,
      dataDir: join(folder, "data"),
      signal: AbortSignal.timeout(5_000),
      onProgress: () => undefined,
    });

  test("a file comes back where it was", async () => {
    await addFile("blobs/a", "hello");
    await restoreAll();
    expect(await readFile(join(folder, "data", "blobs", "a"), "utf8")).toBe("hello");
  });

  test.each(["../precious/letter", "blobs/../../precious/letter", "/tmp/letter", "blobs/./a", "a\\..\\b", "..", ""])(
    "a file called %j is not restored",
    async (path) => {
      await addFile(path, "changed");
      await expect(restoreAll()).rejects.toMatchObject({ kind: "unprocessable" });
      expect(await readFile(join(folder, "precious", "letter"), "utf8")).toBe("dear");
    },
  );

  test("a file with other bytes than its checksum says is not restored", async () => {
    await addFile("blobs/a", "planted", "sealed!");
    await expect(restoreAll()).rejects.toMatchObject({ kind: "unprocessable" });
    expect(await readdir(join(folder, "data", "blobs"))).toEqual([]);
  });

  test.each(["../../precious", "x/../../../precious", ".", "", names[1] ?? ""])(
    "one that calls itself %j makes prune remove nothing",
    async (claimed) => {
      await rename(names[0] ?? "", claimed);
      const before = join(folder, "before");
      await cp(join(dir, "snapshots"), before, { recursive: true });
      await expect(pruneBackup({ dir, keep: 1 })).rejects.toMatchObject({ kind: "unprocessable" });
      expect(await readFile(join(folder, "precious", "letter"), "utf8")).toBe("dear");
      expect((await readdir(join(dir, "snapshots"))).toSorted()).toEqual((await readdir(before)).toSorted());
    },
  );
});
