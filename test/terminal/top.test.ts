import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../service/start.ts";
import { drs, hasTerminal, open, terminalReason } from "./screen.ts";

describe.skipIf(!hasTerminal)(`drs top in a terminal${terminalReason}`, () => {
  let server: TestServer;
  beforeAll(async () => (server = await startServer({ workers: "1" })));
  afterAll(() => server.remove());

  test.each(["q", "C-c"])("shows the service until %s gives the screen back", async (key) => {
    const env = { DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey };
    await using screen = await open([...drs, "top", "--every", "1"], { columns: 100, rows: 20, env });
    await screen.waitFor(/the queue is empty/);
    expect(screen.text()).toContain(`drs ${server.url}`);
    screen.resize(50, 8);
    await screen.waitFor(/q quits/);
    screen.press(key);
    expect(await screen.exitCode()).toBe(0);
    expect(screen.history()).not.toContain("q quits");
    expect(screen.showsCursor()).toBe(true);
  });
});
