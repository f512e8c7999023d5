import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Of this process; undefined before the first use. */
let own: string | undefined;
/** How many openings are under way; `before` is what `TMPDIR` was before the first of them. */
let opening = 0;
let before: string | undefined;

/**
 * Opens LanceDB while `TMPDIR` leads to a folder that is removed when the process ends. LanceDB makes folders when it
 * opens, for what outgrows its memory: all users of the machine may read them, and they are never removed.
 */
export async function withSpillFolder<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  if (opening === 0) {
    before = process.env["TMPDIR"];
    process.env["TMPDIR"] = spillFolder();
  }
  opening += 1;
  try {
    return await open();
  } finally {
    opening -= 1;
    if (opening === 0) restore();
  }
}

function restore(): void {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
}

function spillFolder(): string {
  // A job that cleans the system's temporary folder may have removed it.
  if (own !== undefined && existsSync(own)) return own;
  const folder = mkdtempSync(join(tmpdir(), `drs-index-${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  own = folder;
  return folder;
}
