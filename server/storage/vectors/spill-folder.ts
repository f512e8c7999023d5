import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of this process; undefined before the first use. */
let own: string | undefined;
/** The number of openings in progress; `before` is the value of `TMPDIR` before the first of them. */
let opening = 0;
let before: string | undefined;

/**
 * Opens LanceDB while `TMPDIR` points to a folder that is removed when the process ends. When LanceDB opens, it creates
 * folders for data that outgrows its memory, which all users of the machine may read, and never removes them.
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
  // A job that cleans up the system's temporary folder may have removed it.
  if (own !== undefined && existsSync(own)) return own;
  const folder = mkdtempSync(join(tmpdir(), `drs-index-${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  own = folder;
  return folder;
}
