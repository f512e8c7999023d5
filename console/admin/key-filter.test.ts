import { expect, test } from "vitest";
import { readFilter } from "./key-filter.ts";

test("a filter is a JSON object or nothing", () => {
  expect(readFilter("")).toBeUndefined();
  expect(readFilter('{"team": {"$in": ["sales"]}}')).toEqual({ team: { $in: ["sales"] } });
  for (const wrong of ["team", "[1]", "null", '"team"', "{"]) expect(readFilter(wrong)).toBe("wrong");
});
