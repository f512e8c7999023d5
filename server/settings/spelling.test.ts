import { expect, test } from "vitest";
import { nearestName, shownName, suggestion } from "./spelling.ts";

const known = ["query", "datasetIds", "limit", "expiresInSeconds"];

test.each([
  ["datasetId", "datasetIds"],
  ["datasetids", "datasetIds"],
  ["dataset_ids", "datasetIds"],
  ["datasets", "datasetIds"],
  ["expiresInSecond", "expiresInSeconds"],
  ["limt", "limit"],
  ["rerank", undefined],
  ["_", undefined],
  ["", undefined],
])("%j was meant as %s", (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test("an error says what was meant, or what there is", () => {
  expect(suggestion("limits", known)).toBe("; did you mean limit?");
  expect(suggestion("txt", ["text", "image_url"], "query.")).toBe("; did you mean query.text?");
  expect(suggestion("rerank", known)).toBe("; there are query, datasetIds, limit, expiresInSeconds");
  expect(suggestion("rerank", [])).toBe("; there are none");
});

test("a name is shown as one short line", () => {
  expect(shownName("a\r\nb\u0000")).toBe("a??b?");
  expect(shownName("x".repeat(10_000))).toHaveLength(65);
});
