import { expect, test } from "vitest";
import { deathOf } from "./deaths.ts";

test.each(["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"])("%s is a fault", (signal) => {
  expect(deathOf({ code: null, signal, oomKilled: false })).toEqual({ kind: "fault", what: signal });
});

test.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"])("%s comes from outside", (signal) => {
  expect(deathOf({ code: null, signal, oomKilled: false })).toEqual({ kind: "killed", what: signal });
});

test("SIGKILL while the system was out of memory is a fault", () => {
  expect(deathOf({ code: null, signal: "SIGKILL", oomKilled: true })).toMatchObject({ kind: "fault" });
  expect(deathOf({ code: null, signal: "SIGTERM", oomKilled: true })).toMatchObject({ kind: "killed" });
});

test.each([
  [0, { kind: "exit", what: "exit code 0" }],
  [1, { kind: "fault", what: "exit code 1" }],
  [134, { kind: "fault", what: "SIGABRT" }],
  [139, { kind: "fault", what: "SIGSEGV" }],
  [137, { kind: "killed", what: "SIGKILL" }],
  [143, { kind: "killed", what: "SIGTERM" }],
])("exit code %i", (code, death) => {
  expect(deathOf({ code, signal: null, oomKilled: false })).toEqual(death);
});
