import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeService, fakeService, goodKey } from "../../cli/testing/fake-service.ts";
import { drs, hasTerminal, open, type Screen, terminalReason } from "./screen.ts";

let folder: string;
let service: FakeService;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-terminal-upload-"));
  service = await fakeService({ stepMs: 100 });
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) await writeFile(join(folder, name), `%PDF- ${name}`);
}

function upload(words: readonly string[], columns: number, rows: number, env = {}): Promise<Screen> {
  const state = { XDG_STATE_HOME: join(folder, ".state"), DRS_SERVER: service.url, DRS_API_KEY: goodKey };
  // From a shell, as a user does: what the terminal is like afterwards can be looked at.
  const shell = ["sh", "-c", 'trap : INT; "$@"; echo "exit $?"; sleep 60', "sh"];
  return open([...shell, ...drs, "upload", ...words], { columns, rows, env: { ...state, ...env } });
}

describe.skipIf(!hasTerminal)(`drs upload on a screen${terminalReason}`, () => {
  test.each([
    [120, 40, 60, 15],
    [60, 15, 120, 40],
  ])("of %i by %i, which becomes %i by %i", async (columns, rows, laterColumns, laterRows) => {
    const names = Array.from({ length: 60 }, (_, index) => `an annual report 年次報告 ${index}.pdf`);
    await put(...names, "broken.pdf", "notes.txt");
    await using screen = await upload(["-r", folder], columns, rows);
    await screen.waitFor(/^[1-9]\d* done.* of 61/m);
    const lines = screen.text().split("\n");
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.filter((line) => line.startsWith("› ")).length).toBeGreaterThan(3);
    screen.resize(laterColumns, laterRows);
    await screen.waitFor(/60 uploaded \(1200 pages, .*\), 1 failed, 1 other file left out in /);
    const end = await screen.waitFor(/^exit 3$/m);
    // Every document has left its line, once, and nothing that was only under way is left.
    expect(end.match(/^✓ .* ds_\d+, 20 pages$/gm)).toHaveLength(60);
    // What failed is told once, and whole.
    expect(end.match(/broken\.pdf/g)).toHaveLength(1);
    expect(end.replaceAll(/\s+/g, "")).toContain(`✗${folder}/broken.pdf:failed:thedocumenthasnopages`);
    expect(screen.text()).not.toMatch(/^› /m);
    expect(screen.showsCursor()).toBe(true);
  });

  test("Ctrl-C says what goes on and gives the terminal back", async () => {
    await put("endless.pdf", "one.pdf");
    await using screen = await upload(["-r", folder], 80, 24);
    await screen.waitFor(/✓ one\.pdf/);
    await screen.waitFor(/✓ one\.pdf/);
    await screen.waitFor(/› endless\.pdf .*15 of 20 pages/);
    screen.press("C-c");
    const end = await screen.waitFor(/^exit 130$/m);
    expect(end).toContain("1 uploaded");
    expect(end).toContain("drs jobs list");
    expect(screen.showsCursor()).toBe(true);
  });

  test("NO_COLOR takes the colours away, a dumb terminal everything that moves", async () => {
    await put("one.pdf", "broken.pdf");
    await using coloured = await upload(["-r", folder], 80, 24);
    await coloured.waitFor(/^exit \d$/m);
    expect(await coloured.written()).toContain("\u001b[32m");
    await using plain = await upload(["-r", folder, "--force"], 80, 24, { NO_COLOR: "1" });
    await plain.waitFor(/^exit \d$/m);
    const sequences = (await plain.written()).split("\u001b[").slice(1);
    expect(sequences.filter((sequence) => /^[\d;]*m/.test(sequence))).toEqual([]);
    await using dumb = await upload([join(folder, "one.pdf"), "--force"], 80, 24, { TERM: "dumb" });
    await dumb.waitFor(/^exit \d$/m);
    expect(await dumb.written()).not.toContain("\u001b");
    expect(dumb.history()).toMatch(/^✓ one\.pdf: ds_\d, 20 pages$/m);
  });
});
