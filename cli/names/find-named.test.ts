import { expect, test } from "vitest";
import { aKey, anOrganisation, aWebhook, soleNamed } from "./find-named.ts";

const all = [
  { id: "k1", names: ["crawler"] },
  { id: "k2", names: ["backup"] },
  { id: "k3", names: ["backup"] },
  { id: "k4", names: ["Ci"] },
  { id: "k5", names: ["ci"] },
  { id: "k6", names: [""] },
  { id: "k7", names: ["https://example.com/hook", "main hook"] },
];

test.each([
  ["crawler", "k1"],
  ["CRAWLER", "k1"],
  ["ci", "k5"],
  ["Ci", "k4"],
  ["k3", "k3"],
  ["main hook", "k7"],
  ["https://example.com/hook", "k7"],
])("%s is %s", (word, id) => {
  expect(soleNamed(aKey, word, all).id).toBe(id);
});

test("a name of several is refused with the candidates", () => {
  expect(() => soleNamed(aKey, "backup", all)).toThrow(
    /^backup is the name of 2.*\n {2}k2 {2}backup\n {2}k3 {2}backup$/,
  );
  expect(() => soleNamed(aKey, "CI", all)).toThrow(/k4.*\n.*k5/);
});

test("a name of none is refused with the nearest, and an empty one names nothing", () => {
  expect(() => soleNamed(aKey, "crowler", all)).toThrow(
    expect.objectContaining({ next: "did you mean crawler? drs keys list shows all names" }),
  );
  expect(() => soleNamed(aKey, "", all)).toThrow("there is no API key called");
  expect(() => soleNamed(aKey, "\u001B[2J", all)).toThrow(/^there is no API key called \P{Cc}*$/u);
});

test("ids are passed on as they are", () => {
  expect(aKey.isId("01k0abcd0000000000000000ef")).toBe(true);
  expect(aKey.isId("crawler")).toBe(false);
  expect(anOrganisation.isId("org_01k0")).toBe(true);
  expect(aWebhook.isId("callbacks")).toBe(true);
});
