import { expect, test } from "vitest";
import { createReplacements } from "./replacements.ts";

test("the first worker is replaced at once, the next one is refused at first, which is reported once", () => {
  let now = 0;
  const { ask } = createReplacements(100, () => now);
  const [first, second] = [{}, {}];
  expect(ask(first)).toBe("replace");
  now = 50;
  expect([ask(second), ask(second)]).toEqual(["first-refusal", "refuse"]);
  now = 100;
  expect(ask(second)).toBe("replace");
});

test("replacements that do not help become rarer; one that helped resets the pause", () => {
  let now = 0;
  const { ask } = createReplacements(100, () => now);
  ask({});
  const hungry = {};
  now = 10;
  ask(hungry);
  now = 100;
  expect(ask(hungry)).toBe("replace");
  const next = {};
  now = 250;
  expect(ask(next)).toBe("first-refusal");
  now = 300;
  expect(ask(next)).toBe("replace");
  // This worker stayed within its limit until four times the pause was over.
  now = 750;
  expect(ask({})).toBe("replace");
  now = 850;
  expect(ask({})).toBe("replace");
});
