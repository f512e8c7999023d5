import { createDrs } from "@drs/client";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docxOfPages } from "../fixtures/office-pages.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { freePort } from "../servers/free-port.ts";
import { type Container, startContainer } from "./image/container.ts";
import { type ImageSettings, parseDockerfile, settingsOf } from "./image/dockerfile.ts";

/** The file system that `.ci/image` makes by the steps of the Dockerfile. */
const folder = process.env["DRS_TEST_IMAGE"] ?? "";
const hasNamespaces = spawnSync("unshare", ["--mount", "--pid", "--fork", "true"]).status === 0;
const reason =
  folder === ""
    ? " (skipped: DRS_TEST_IMAGE names no file system, see .ci/image)"
    : hasNamespaces
      ? ""
      : " (skipped: namespaces need root)";
const soon = { timeout: 120_000, interval: 500 };

describe.skipIf(reason !== "")(`the image${reason}`, { timeout: 240_000 }, () => {
  let image: ImageSettings;
  let container: Container;
  let url: string;
  beforeAll(async () => {
    const [, last] = parseDockerfile(readFileSync(join(import.meta.dirname, "../../deploy/image/Dockerfile"), "utf8"));
    if (last === undefined) throw new Error("the Dockerfile has two stages");
    image = settingsOf(last);
    const port = String(await freePort());
    // It shares the network of this machine, where others shall not reach it.
    container = startContainer(join(folder, "root"), image, { DRS_PORT: port, DRS_HOST: "127.0.0.1" });
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => container.remove());

  test("starts, and becomes healthy by its own check", async () => {
    await expect.poll(container.said, soon).toContain("listening on");
    await expect.poll(async () => (await container.exec(image.healthCheck)).code, soon).toBe(0);
  });

  test("runs as a user without rights on a file system that nobody may write", async () => {
    const status = await readFile(`/proc/${container.pid}/status`, "utf8");
    const [uid, gid] = image.user.split(":");
    expect(status).toMatch(
      new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}\nGid:\\t${gid}\\t${gid}\\t${gid}\\t${gid}$`, "m"),
    );
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^Groups:\t *$/m);
    for (const path of ["/etc/written", "/opt/drs/written", "/written"]) {
      const refused = await container.exec(["touch", path], "0:0");
      expect(refused).toMatchObject({ code: 1, said: expect.stringMatching(/Read-only file system/) });
    }
  });

  test("stores, converts, renders and finds documents", async () => {
    const { code, said } = await container.exec(["cat", "/data/credentials.json"]);
    expect(code).toBe(0);
    const { apiKey }: { apiKey: string } = JSON.parse(said);
    const drs = createDrs({ server: url, apiKey });
    const pdf = makePdf({ pages: [{ text: "A harbour at night." }, { text: "An orchard in spring." }] });
    const jobs = [
      await drs.datasets.upload(pdf, { fileName: "two.pdf", vectorize: true }),
      await drs.datasets.upload(docxOfPages(["A letter."]), { fileName: "letter.docx" }),
    ];
    for (const { id } of jobs) expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    const [found] = await drs.search("an orchard", { limit: 1 });
    expect(found).toMatchObject({ datasetId: jobs[0]?.datasetId, col: 2 });
    const [page] = (await drs.items.page(jobs[1]?.datasetId ?? "", { row: "jpg" })).data;
    if (page === undefined) throw new Error("the letter has no page");
    const picture = await (await drs.download(page)).bytes();
    expect(Buffer.from(picture.subarray(0, 3)).toString("hex")).toBe("ffd8ff");
  });

  test("ends by its signal", async () => {
    expect(await container.stop()).toBe(0);
    expect(container.said()).not.toMatch(/error|EROFS/i);
  });
});
