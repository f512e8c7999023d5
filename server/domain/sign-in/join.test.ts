import { expect, test } from "vitest";
import { highestRole } from "./join.ts";

const roles = [
  ["staff", "member"],
  ["board", "owner"],
  ["desk", "viewer"],
] as const;

test.each([
  [["desk", "staff"], "member"],
  [["staff", "desk", "board"], "owner"],
  [["Staff"], undefined],
  [[], undefined],
] as const)("the groups %j give %s", (groups, role) => {
  expect(highestRole(roles, groups)).toBe(role);
});

test("* applies to everybody, and a group's higher role wins over it", () => {
  const all = [...roles, ["*", "viewer"]] as const;
  expect(highestRole(all, [])).toBe("viewer");
  expect(highestRole(all, ["staff"])).toBe("member");
});
