import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { definitionsOf } from "../main.ts";
import { type FakeService, fakeService, goodKey } from "../testing/fake-service.ts";
import { runCaptured } from "../testing/run-captured.ts";

/** Commands that remove only what their user can get back. */
const reversible = [
  "members revoke", // invitations are made again
  "plans delete", // refused while an organisation is on it
  "profiles remove", // signs in again
];

let service: FakeService;

beforeAll(async () => {
  service = await fakeService();
});

afterAll(() => service.close());

const env = (): Record<string, string> => ({ DRS_SERVER: service.url, DRS_API_KEY: goodKey });

test("every command that takes something away for good has --yes", async () => {
  const names: string[] = [];
  const visit = (command: Command, path: readonly string[]): void => {
    if (/^(?:delete|remove|revoke|prune)$/.test(command.name()) && !reversible.includes(path.join(" "))) {
      names.push(path.join(" "));
      const flags = command.options.map(({ long }) => long);
      expect([path.join(" "), ...flags]).toContain("--yes");
    }
    for (const child of command.commands) visit(child, [...path, child.name()]);
  };
  const io = { stdout: process.stdout, stderr: process.stderr, env: {}, signal: new AbortController().signal };
  const nothing = (): void => undefined;
  const context = { io, finish: nothing, atEnd: nothing, definitions: () => definitionsOf(context) };
  visit(await definitionsOf(context), []);
  expect(names).toEqual(["datasets delete", "backup prune", "keys revoke", "members remove", "webhooks remove"]);
});

test.each([
  ["datasets", "delete", "ds_0"],
  ["keys", "revoke", "k1"],
  ["members", "remove", "mem_1"],
  ["webhooks", "remove", "wh_1"],
  ["links", "rotate", "--revoke"],
  ["backup", "prune", "--keep", "1", "/nowhere"],
])("without a terminal nothing is done, with exit code 2: %s %s", async (...words) => {
  const { code, stdout, stderr } = await runCaptured(words, env());
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(
    /^error: nothing was done, because there is no terminal to confirm: .*\?\n {2}→ confirm with --yes/,
  );
  expect(service.log).toEqual([]);
});
