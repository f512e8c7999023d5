import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type FakeService, fakeService, goodKey } from "../../cli/testing/fake-service.ts";
import { stringWidth } from "../../cli/output/printable.ts";
import { drs, hasTerminal, open, type Screen, type ScreenOptions, terminalReason } from "./screen.ts";

/** Between the states of a job: long enough to look at them, milliseconds. */
const stepMs = 600;
const names = [
  "one.pdf",
  "年次報告書 of a company with a very long name, second edition.pdf",
  "broken.pdf",
  "endless.pdf",
];

describe.skipIf(!hasTerminal)(`drs jobs and drs datasets in a terminal${terminalReason}`, () => {
  let service: FakeService;
  const screens: Screen[] = [];

  beforeAll(async () => {
    service = await fakeService({ stepMs });
    for (const name of names) {
      const body = new FormData();
      body.set("file", new Blob([name]), name);
      await fetch(`${service.url}/v1/extract`, { method: "POST", body, headers: { "x-api-key": goodKey } });
    }
  });
  afterAll(() => service.close());
  afterEach(async () => {
    for (const screen of screens.splice(0)) await screen.close();
  });

  async function run(command: readonly string[], { env, ...size }: ScreenOptions = {}): Promise<Screen> {
    const settings = { DRS_SERVER: service.url, DRS_API_KEY: goodKey, ...env };
    const screen = await open(command, { ...size, env: settings });
    screens.push(screen);
    return screen;
  }

  /** Behind a shell, which says afterwards how it ended and how keys are read. */
  function runInShell(words: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
    const command = [...drs, ...words].map((word) => `'${word}'`).join(" ");
    // The shell goes on when Ctrl-C ends what it has started.
    return run(["sh", "-c", `trap : INT; ${command}; echo "exit $?"; stty -a`], options);
  }

  test("jobs are followed together, also when the terminal becomes another size", async () => {
    const screen = await run([...drs, "jobs", "watch", "dsj_0", "dsj_1", "dsj_2"], { columns: 120, rows: 40 });
    await screen.waitFor(/one\.pdf.*\d+% reading pages/);
    expect(screen.text()).toContain("0 of 3 jobs ended");
    screen.resize(60, 15);
    // Without its bar, for which there is no room any more.
    await screen.waitFor(/^› one\.pdf +\d+% reading pages/m);
    expect(await screen.exitCode()).toBe(3);
    const text = screen.history();
    expect(text.match(/✓ one\.pdf/g)).toHaveLength(1);
    expect(text.match(/✗ broken\.pdf/g)).toHaveLength(1);
    // What was redrawn is gone, except for what the narrower terminal itself had broken into more lines.
    expect(text.split("reading pages").length - 1).toBeLessThanOrEqual(1);
    expect(text).toMatch(/^JOB +NAME +DATASET +TYPE +STATUS +PROGRESS/m);
    expect(screen.showsCursor()).toBe(true);
  });

  test("Ctrl-C ends the watch with 130 and leaves the terminal as it was", async () => {
    const screen = await runInShell(["jobs", "watch", "--all"]);
    await screen.waitFor(/endless\.pdf.*75%/);
    screen.press("C-c");
    const text = await screen.waitFor(/echoe/);
    expect(text).toContain("interrupted\nexit 130");
    expect(text).toMatch(/(^|\s)icanon\b/m);
    expect(text).toMatch(/(^|\s)echo\b/m);
    expect(screen.showsCursor()).toBe(true);
  });

  test.each([
    ["TERM=dumb", { TERM: "dumb" }],
    ["CI", { CI: "true" }],
  ])("%s: one line after another, without escape codes", async (_, env) => {
    const screen = await run([...drs, "jobs", "watch", "dsj_0"], { env: { ...env, NO_COLOR: "1" } });
    expect(await screen.exitCode()).toBe(0);
    expect(screen.history()).toMatch(/^› one\.pdf: reading pages \(50 %, 10 of 20 pages(, \d+ s left)?\)$/m);
    expect(await screen.written()).not.toContain("\u001b");
  });

  test("NO_COLOR: redrawn, but in no colour", async () => {
    const screen = await run([...drs, "jobs", "watch", "dsj_0", "dsj_2"], { env: { NO_COLOR: "1" } });
    expect(await screen.exitCode()).toBe(3);
    expect(await screen.written()).not.toMatch(/\p{Cc}\[[\d;:]*m/u);
  });

  test.each([
    ["datasets", 120],
    ["datasets", 60],
    ["jobs", 120],
    ["jobs", 60],
    ["jobs", 40],
  ])("the table of %s fits %i columns", async (group, columns) => {
    const screen = await run([...drs, group, "list", "--limit", "3"], { columns, rows: 20 });
    expect(await screen.exitCode()).toBe(0);
    const [titles = "", ...lines] = screen.history().split("\n");
    expect(titles).toMatch(group === "jobs" ? /^JOB .*STATUS/ : /^DATASET +NAME .*SIZE/);
    // One line for each of them and the remark.
    expect(lines).toHaveLength(4);
    for (const line of lines.slice(0, 3)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines[3]).toBe("1 to 3 of 4; next: --offset 3, everything: --all");
    if (group === "datasets") expect(lines[1]).toMatch(/ 年次報告.*pdf +/);
  });

  test("deleting asks first: no is no, Ctrl-C is 130, yes is yes, --yes is not asked", async () => {
    const command = ["datasets", "delete", "ds_0", "ds_1"];
    const refused = await runInShell(command);
    expect(await refused.waitFor(/delete these 2 for good\? \[y\/N\]/)).toContain("one.pdf (ds_0, 20 pages)");
    refused.press("Enter");
    expect(await refused.waitFor(/echoe/)).toContain("nothing was done\nexit 1");

    const stopped = await runInShell(command);
    await stopped.waitFor(/\[y\/N\]/);
    stopped.press("C-c");
    expect(await stopped.waitFor(/echoe/)).toMatch(/interrupted\nexit 130[^]*\bicanon\b/);
    expect(service.log.filter((line) => line.startsWith("delete"))).toEqual([]);

    const agreed = await runInShell(command);
    await agreed.waitFor(/\[y\/N\]/);
    agreed.type("y");
    agreed.press("Enter");
    expect(await agreed.waitFor(/exit 0/)).toContain("ds_1 is deleted, 4.7 MB freed\n");
    const forced = await runInShell(["datasets", "delete", "ds_2", "--yes"]);
    expect(await forced.waitFor(/exit 0/)).toContain("ds_2 is deleted");
    expect(service.log.filter((line) => line.startsWith("delete"))).toEqual([
      "delete ds_0",
      "delete ds_1",
      "delete ds_2",
    ]);
  });
});
