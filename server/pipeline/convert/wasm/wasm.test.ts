import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { docxOfPages } from "../../../../test/fixtures/office-pages.ts";
import { hasTool, toolReason } from "../../../../test/service/tools.ts";
import { isWholePdf } from "../pdf-file.ts";
import { createWasm } from "./wasm.ts";

const tools = ["pgrep"] as const;

/** The child processes of this process that convert. */
const children = (): readonly number[] =>
  spawnSync("pgrep", ["-P", String(process.pid), "-f", "convert/wasm/child"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean)
    .map(Number);

describe.skipIf(!tools.every(hasTool))(`LibreOffice as WASM${toolReason(...tools)}`, () => {
  let folder: string;
  let wasm: ReturnType<typeof createWasm>;
  const { signal } = new AbortController();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-wasm-"));
    wasm = createWasm({ maxRssBytes: 2_300 * 2 ** 20 });
  });
  afterEach(async () => {
    await wasm.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function convert(name: string, pages: number): Promise<string> {
    const [input, output] = [join(folder, `${name}.docx`), join(folder, `${name}.pdf`)];
    await writeFile(input, docxOfPages(Array.from({ length: pages }, (_, page) => `page ${page} of a letter`)));
    await wasm.convert({ input, format: "docx", output, timeoutMs: 120_000 }, signal);
    return output;
  }

  test("a process that is killed in the middle costs the document nothing", async () => {
    await convert("first", 1);
    // It is warm now, and starts working at once.
    const [warm] = children();
    const converting = convert("long", 200);
    await sleep(50);
    process.kill(warm ?? 0, "SIGKILL");
    expect(await isWholePdf(await converting)).toBe(true);
    expect(children()).not.toContain(warm);
  }, 300_000);
});
