import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { mountSmallDisk } from "../service/small-disk.ts";

const { disk, reason } = mountSmallDisk(12 * 2 ** 20);
const kib = 2 ** 10;
const mib = 2 ** 20;

describe.skipIf(disk === undefined)(`drs backup on a disk that gets full${reason}`, { timeout: 240_000 }, () => {
  let folder: string;
  let dataDir: string;
  let server: ServerProcess;
  let drs: Drs;
  const backups = join(disk?.path ?? "", "backups");
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-backup-full-"));
    dataDir = join(folder, "data");
    server = await startServerProcess(dataDir);
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    drs = createDrs({ server: server.url, apiKey });
  });
  afterAll(async () => {
    await server?.terminate();
    await rm(folder, { recursive: true, force: true });
    disk?.remove();
  });

  const run = (...words: readonly string[]) => startCommand([...words, "--data-dir", dataDir], {}).outcome;
  const names = async (): Promise<string[]> => {
    const { data }: { data: { name: string }[] } = JSON.parse(
      (await startCommand(["backup", "list", backups, "--json"], {}).outcome).stdout,
    );
    return data.map(({ name }) => name);
  };

  async function upload(word: string, bytes: number): Promise<void> {
    const pdf = makePdf({ pages: [{ text: `About ${word}.` }, { operators: `%${word.repeat(bytes / word.length)}` }] });
    const job = await drs.datasets.upload(pdf, { fileName: `${word}.pdf`, vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
  }

  test("says which disk, leaves no half snapshot, and is gone on with", async () => {
    await upload("harbour", 100 * kib);
    expect(await run("backup", backups)).toMatchObject({ code: 0 });
    const [first] = await names();
    await upload("orchard", 2 * mib);
    await upload("lighthouse", 2 * mib);
    await upload("quarry", 8 * mib);

    for (const freeBytes of [0, 16 * kib, 256 * kib, mib, 7 * mib]) {
      disk?.fill(freeBytes);
      const { code, stdout, stderr } = await run("backup", backups);
      expect({ freeBytes, code, stdout }).toEqual({ freeBytes, code: 1, stdout: "" });
      expect(stderr).toMatch(
        new RegExp(`(^|\\n)error: the disk of ${backups} is full; make room and run the same command to resume\\n$`),
      );
      disk?.free();
      expect(await names()).toEqual([first]);
    }
    expect(await startCommand(["backup", "verify", backups], {}).outcome).toMatchObject({ code: 0 });
    // The server has seen nothing of it.
    await upload("meadow", kib);
    expect((await drs.search("meadow", { limit: 1 }))[0]).toMatchObject({ col: 1 });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);

    disk?.resize(48 * mib);
    const { code, stdout } = await run("backup", backups, "--json");
    expect(code).toBe(0);
    // The smaller ones, for which there was room, are not copied again.
    expect(JSON.parse(stdout).copiedBytes).toBeLessThan(11 * mib);
    expect(await names()).toHaveLength(2);
    expect(await startCommand(["backup", "verify", backups], {}).outcome).toMatchObject({ code: 0 });

    const restored = join(disk?.path ?? "", "restored");
    const restore = () => startCommand(["restore", backups, "--data-dir", restored], {}).outcome;
    for (const freeBytes of [0, 3 * mib]) {
      disk?.fill(freeBytes);
      const refused = await restore();
      expect({ freeBytes, ...refused }).toMatchObject({ freeBytes, code: 1 });
      expect(refused.stderr).toContain(`the disk of ${restored} is full; make room and run the same command`);
      disk?.free();
    }
    expect(await restore()).toMatchObject({ code: 0 });
  });
});
