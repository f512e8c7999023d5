import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

describe("metadata and filters on the command line and in the client", { timeout: 120_000 }, () => {
  let server: TestServer;
  let folder: string;
  let drs: Drs;
  beforeAll(async () => {
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    folder = await mkdtemp(join(tmpdir(), "drs-metadata-"));
    for (const [name, text] of [
      ["old.pdf", "The annual report of the lighthouse, first edition."],
      ["new.pdf", "The annual report of the lighthouse, last edition."],
    ] as const) {
      await writeFile(join(folder, name), makePdf({ pages: [{ text }] }));
    }
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...words: string[]) => {
    const { apiKey } = server.credentials;
    return runCaptured(words, { DRS_SERVER: server.url, DRS_API_KEY: apiKey, XDG_STATE_HOME: folder });
  };
  /** The names in a list by these conditions. */
  const listed = async (...conditions: string[]) => {
    const words = conditions.flatMap((condition) => ["--where", condition]);
    const { code, stdout } = await run("datasets", "list", "--json", ...words);
    expect(code).toBe(0);
    const { data }: { data: { fileName: string }[] } = JSON.parse(stdout);
    return data.map(({ fileName }) => fileName).toSorted();
  };

  test("what is said with an upload is found by", async () => {
    const old = ["--meta", "year=2001", "--meta", "tags=a", "--meta", "tags=b"];
    expect(await run("upload", join(folder, "old.pdf"), "--vectorize", ...old)).toMatchObject({ code: 0 });
    const fresh = ["--meta", "year=2024", "--meta", 'code="7"'];
    expect(await run("upload", join(folder, "new.pdf"), "--vectorize", ...fresh)).toMatchObject({ code: 0 });
    expect(await listed("year>=2020")).toEqual(["new.pdf"]);
    expect(await listed("year")).toEqual(["new.pdf", "old.pdf"]);
    expect(await listed("tags~b", "year<2020")).toEqual(["old.pdf"]);
    expect(await listed("code=7")).toEqual([]);
    expect(await listed('code="7"')).toEqual(["new.pdf"]);
    expect(await listed("!code")).toEqual(["old.pdf"]);
    const found = await run("search", "annual report", "--where", "year<2020", "--json");
    expect(JSON.parse(found.stdout)).toMatchObject({ total: 1, data: [{ fileName: "old.pdf" }] });
  });

  test("a change is shown and found by, and a large document has what was said as well", async () => {
    expect(await run("datasets", "update", "old.pdf", "--meta", "year=2022", "--unset", "tags")).toMatchObject({
      code: 0,
    });
    expect((await run("datasets", "get", "old.pdf")).stdout).toMatch(/^meta +year=2022$/m);
    expect(await listed("year>=2020")).toEqual(["new.pdf", "old.pdf"]);
    expect(await listed("tags")).toEqual([]);
    expect(await run("datasets", "update", "old.pdf")).toMatchObject({ code: 2 });
    const metadata = { large: true, parts: [1, 2] };
    const job = await drs.datasets.upload(new Blob([makePdf({ pages: [{ text: "parts" }] })]), {
      singleRequestBytes: 0,
      metadata,
    });
    expect(await drs.datasets.get(job.datasetId)).toMatchObject({ metadata });
    expect((await run("datasets", "delete", "--where", "none=1", "--dry-run")).stdout).toBe(
      "0 datasets would be deleted\n",
    );
    const [found] = await Array.fromAsync(drs.datasets.list({ filter: { large: true, parts: { $in: [2, 3] } } }));
    expect(found?.id).toBe(job.datasetId);
  });

  test("datasets are deleted by what was said of them, after a dry run", async () => {
    expect(await run("datasets", "delete", "old.pdf", "--where", "large")).toMatchObject({ code: 2 });
    const tried = await run("datasets", "delete", "--where", "large", "--dry-run");
    expect(tried.stdout).toMatch(/^ds_\w+\n1 dataset would be deleted\n$/);
    expect(await listed("large")).toHaveLength(1);
    expect(await run("datasets", "delete", "--where", "large")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("delete 1 matching dataset"),
    });
    expect((await run("datasets", "delete", "--where", "large", "--yes")).stdout).toMatch(/^1 dataset deleted, /);
    expect(await listed("large")).toEqual([]);
    expect(await listed()).toEqual(["new.pdf", "old.pdf"]);
  });
});
