import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Opens LanceDB while `TMPDIR` leads to a folder that goes when the process ends. LanceDB makes folders when it opens, for
 * what outgrows its memory: everyone on the machine may read them, and they stay for good.
 */
export async function withSpillFolder<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const before = process.env["TMPDIR"];
  const folder = mkdtempSync(join(tmpdir(), `drs-index-${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.env["TMPDIR"] = folder;
  try {
    return await open();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
