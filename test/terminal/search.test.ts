import { createDrs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { drs, hasTerminal, open, type Screen, type ScreenOptions, terminalReason } from "./screen.ts";

const escape = "\u001b";
const fileName = "灯台の記録 and all the other lighthouses of the northern coast.pdf";

/** Pages that are one colour each, under a few words. */
const document = makePdf({
  pages: (
    [
      ["the crimson lighthouse at noon", [220, 20, 60]],
      ["tax returns of small companies", [30, 90, 200]],
    ] as const
  ).map(([text, colour]) => ({ text, picture: { width: 2, height: 2, pixel: () => colour } })),
});

describe.skipIf(!hasTerminal)(`drs search in a terminal${terminalReason}`, () => {
  let server: TestServer;
  let datasetId: string;

  beforeAll(async () => {
    server = await startServer();
    const client = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const accepted = await client.datasets.upload(new File([document], fileName), { vectorize: true });
    expect(await client.jobs.wait(accepted.id)).toMatchObject({ status: "SUCCESS" });
    datasetId = accepted.datasetId;
  });
  afterAll(() => server.remove());

  const question = ["search", "crimson", "lighthouse", "--limit", "2"];

  function run(words: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
    return open([...drs, ...words], { ...options, env: serverEnv(options.env) });
  }

  /** The same behind a shell, which says afterwards how keys are read. */
  function runInShell(command: string, options: ScreenOptions = {}): Promise<Screen> {
    const drsWord = drs.map((word) => `'${word}'`).join(" ");
    return open(["sh", "-c", `${command.replaceAll("drs", drsWord)}; echo "exit $?"; stty -a`], {
      ...options,
      env: serverEnv(options.env),
    });
  }

  function serverEnv(env: ScreenOptions["env"]): Record<string, string | undefined> {
    return { DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey, ...env };
  }

  test("at 120 × 40 the best page stands below its name, in its colours", async () => {
    await using screen = await run(question, { env: { COLORTERM: "truecolor", FORCE_HYPERLINK: "1" } });
    expect(await screen.exitCode()).toBe(0);
    const lines = screen.history().split("\n");
    expect(lines[0]).toBe(` 1.  ${/\d\.\d\d/.exec(lines[0] ?? "")?.[0]}  ${fileName}, page 1`);
    const picture = lines.filter((line) => line.includes("▀"));
    expect(picture).toHaveLength(26);
    // Below the link and the words that were found.
    expect(lines[2]).toContain("crimson lighthouse");
    expect(lines.indexOf(picture[0] ?? "")).toBe(3);
    expect(lines.some((line) => line.startsWith(" 2.  "))).toBe(true);
    const [, red = 0, green = 0, blue = 0] = (/38;2;(\d+);(\d+);(\d+)/.exec(await screen.written()) ?? []).map(Number);
    expect(Math.hypot(red - 220, green - 20, blue - 60)).toBeLessThan(20);
  });

  test("256 colours where there are no more", async () => {
    await using screen = await run(question);
    expect(await screen.exitCode()).toBe(0);
    const written = await screen.written();
    expect(written).toContain("38;5;");
    expect(written).not.toContain("38;2;");
  });

  test("the terminal is asked, and no answer of it is left on the screen", async () => {
    await using screen = await runInShell("drs search crimson lighthouse --limit 1", {
      env: { COLORTERM: "truecolor" },
    });
    const text = await screen.waitFor(/echoe/);
    expect(await screen.written()).toContain(`${escape}[c`);
    expect(text).toContain("exit 0");
    expect(text).toMatch(/(^|\s)icanon\b/m);
    expect(text).toMatch(/(^|\s)echo\b/m);
    expect(text).not.toMatch(/\?\d+(;\d+)*c/);
  });

  test("at 60 × 15 there is a picture only if it is asked for, and then it fits", async () => {
    const small = { columns: 60, rows: 15, env: { COLORTERM: "truecolor", FORCE_HYPERLINK: "1" } };
    await using plain = await run(question, small);
    expect(await plain.exitCode()).toBe(0);
    const lines = plain.history().split("\n");
    expect(lines.filter((line) => /^ \d\. {2}/.test(line))).toHaveLength(2);
    expect(lines.join("\n")).not.toContain("▀");
    expect(lines[0]).toMatch(/^ 1\. {2}\d\.\d\d {2}灯台の記録 .*….*\.pdf, page 1$/);
    await using asked = await run([...question, "--images"], small);
    expect(await asked.exitCode()).toBe(0);
    expect(asked.history().match(/^ +▀+$/gm)).toHaveLength(2 * 12);
  });

  test.each([
    ["TERM=dumb", { TERM: "dumb", COLORTERM: "truecolor" }],
    ["NO_COLOR", { NO_COLOR: "1", COLORTERM: "truecolor", FORCE_HYPERLINK: "1" }],
  ])("%s: words and nothing else", async (_, env) => {
    await using screen = await run(question, { env });
    expect(await screen.exitCode()).toBe(0);
    expect(screen.history()).toContain(" 1.  ");
    const written = await screen.written();
    expect(written).not.toContain(escape);
    expect(written).not.toContain("▀");
  });

  test("into a pipe go words and nothing else, also from a terminal that can do everything", async () => {
    const able = { COLORTERM: "truecolor", FORCE_HYPERLINK: "1", KITTY_WINDOW_ID: "1" };
    await using screen = await runInShell("drs search crimson lighthouse --images | cat", { env: able });
    const text = await screen.waitFor(/exit 0/);
    expect(text).toContain(`${fileName}, page 1`);
    expect(text).toContain("no pictures: the output goes into a file or another program");
    expect(await screen.written()).not.toContain(escape);
  });

  test("links can be clicked on where that works, and are whole where it does not", async () => {
    await using linked = await run(question, { columns: 80, env: { FORCE_HYPERLINK: "1" } });
    await linked.exitCode();
    const [, url = ""] = /\]8;;([^\p{Cc}]+)/u.exec(await linked.written()) ?? [];
    expect((await fetch(url)).headers.get("content-type")).toBe("image/jpeg");
    expect(linked.text()).not.toContain(url);
    await using bare = await run([...question, "--no-images"], { columns: 80 });
    await bare.exitCode();
    const [, whole = ""] = /^ +(http\S+)$/m.exec(bare.history()) ?? [];
    expect((await fetch(whole)).status).toBe(200);
  });

  test("--copy hands the best link to the terminal", async () => {
    await using screen = await run([...question, "--no-images", "--copy"]);
    expect(await screen.waitFor(/copied the link/)).toContain(" 1.  ");
    const [, copied = ""] = /\]52;c;([A-Za-z0-9+/=]+)/.exec(await screen.written()) ?? [];
    expect(screen.history()).toContain(Buffer.from(copied, "base64").toString());
  });

  test("pages get shows a page, and saves nothing", async () => {
    await using screen = await run(["pages", "get", datasetId, "2", "--images", "blocks"], {
      env: { COLORTERM: "truecolor" },
    });
    expect(await screen.exitCode()).toBe(0);
    const [name, ...picture] = screen.text().split("\n");
    expect(name).toBe(`${fileName}, page 2`);
    expect(picture).toHaveLength(34);
    expect(screen.styled()).toMatch(/38;2;(2\d|3\d);(8\d|9\d);(19\d|20\d)m/);
  });
});
