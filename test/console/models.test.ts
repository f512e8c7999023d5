import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { copyBuiltinPack } from "../fixtures/model-pack.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

const copy = "copy@7.0.0";
/** Enough pages that the change is visible while it runs. */
const pages = 150;

let drs: TestConsole;
beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-console-models-"));
  await copyBuiltinPack(join(dataDir, "models", copy), { id: "copy", version: "7.0.0" });
  drs = await startConsole({ dataDir });
});
afterAll(() => drs.close());

inBrowser(
  "a change of the model pack is followed page by page, and documents are searchable all the time",
  async () => {
    const texts = Array.from({ length: pages }, (_, index) => ({ text: `Chapter ${index + 1}, about lighthouses` }));
    const job = await drs.admin.datasets.upload(new Blob([makePdf({ pages: texts })]), {
      fileName: "long.pdf",
      vectorize: true,
    });
    await drs.admin.jobs.wait(job.id);
    const page = await drs.open("/admin/models");
    const row = page.getByRole("row", { name: copy });
    await row.getByRole("button", { name: "Use" }).click();
    await page
      .getByRole("dialog", { name: `Use ${copy}?` })
      .getByRole("button", { name: "Use" })
      .click();
    await page.getByRole("progressbar", { name: "The change is in progress" }).waitFor();
    await page.getByText(`0 of 1 documents`).waitFor();
    await expect(drs.admin.search("lighthouses", { limit: 1 })).resolves.toHaveLength(1);
    await show(page, "admin-models-changing");
    await expectAccessible(page);
    await row.getByText("in use", { exact: true }).waitFor();
    await page
      .getByRole("heading", { name: "The change is in progress" })
      .waitFor({ state: "detached", timeout: 240_000 });
    expect((await drs.admin.models.list()).progress).toMatchObject({ datasetsDone: 1, datasetsFailed: 0 });
    await expect(drs.admin.search("lighthouses", { limit: 1 })).resolves.toHaveLength(1);
  },
  400_000,
);
