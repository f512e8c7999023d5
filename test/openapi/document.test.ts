import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { listOf, objectOf } from "../contract/rest/client.ts";
import { arrayOf, type Json, type Operation, parseDocument } from "./document.ts";

const path = fileURLToPath(import.meta.resolve("@drs/client/gen/openapi.json"));
const document = parseDocument(JSON.parse(await readFile(path, "utf8")));

function operationOf(id: string): Operation {
  const found = document.operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

function mediaTypes(answer: unknown): string[] {
  return Object.keys(objectOf(document.resolve(answer)["content"] ?? {}));
}

test("sections stand in the order of use, each with operations", () => {
  const names = listOf(document.json["tags"]).map(({ name }) => name);
  expect(names.slice(0, 6)).toEqual([
    "Upload",
    "Jobs",
    "Datasets and pages",
    "Search",
    "Share links",
    "Upload sessions",
  ]);
  expect([...new Set(document.operations.map(({ tag }) => tag))]).toEqual(names);
});

test.each(["startUpload", "endUpload", "abortUpload"])("%s takes JSON and a form", (id) => {
  expect(operationOf(id).bodies.map(([type]) => type)).toEqual(["application/json", "multipart/form-data"]);
});

test.each(["extract", "vectorize", "appendPart"])("%s takes a form, for its file", (id) => {
  expect(operationOf(id).bodies.map(([type]) => type)).toEqual(["multipart/form-data"]);
});

test("a watched job comes as events, whose data are jobs", () => {
  const events = objectOf(operationOf("watchJob").answers["200"]);
  expect(mediaTypes(events)).toEqual(["text/event-stream"]);
  expect(events["description"]).toMatch(/one Job as JSON/);
  const { schema, example } = objectOf(objectOf(events["content"])["text/event-stream"]);
  expect(objectOf(schema)["type"]).toBe("string");
  expect(example).toMatch(/^id: \d+\ndata: \{"id":"dsj_.*\}\n\n$/);
});

test("share links answer with what the bytes are, in whole and in part", () => {
  const { answers } = operationOf("readShare");
  const types = expect.arrayContaining([
    "image/jpeg",
    "application/pdf",
    "application/json",
    "application/octet-stream",
  ]);
  expect(mediaTypes(answers["200"])).toEqual(types);
  expect(mediaTypes(answers["206"])).toEqual(types);
  expect(mediaTypes(answers["304"])).toEqual([]);
  expect(mediaTypes(answers["416"])).toEqual(["application/json"]);
  expect(Object.keys(objectOf(objectOf(answers["206"])["headers"]))).toEqual(
    expect.arrayContaining(["ETag", "Content-Range", "Content-Disposition"]),
  );
});

/** Descriptions by place. */
function described(at: string, value: unknown): [string, Json][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => described(`${at}/${index}`, one));
  if (typeof value !== "object" || value === null) return [];
  const all = objectOf(value);
  const named = "description" in all ? [[at, all] satisfies [string, Json]] : [];
  return [...named, ...Object.entries(all).flatMap(([name, one]) => described(`${at}/${name}`, one))];
}

test("everything is described, in words that say who does what", () => {
  const all = described("", document.json);
  expect(all.length).toBeGreaterThan(500);
  expect(all.filter(([, { description }]) => description === "").map(([at]) => at)).toEqual([]);
  const vague = all.filter(([, { description }]) => /\b(?:nobody|somebody|whoever|anew)\b/i.test(String(description)));
  expect(vague.map(([at]) => at)).toEqual([]);
});

test("every parameter has an example, those that are needed one that tools fill in", () => {
  const parameters = document.operations.flatMap(({ id, parameters }) => parameters.map((one) => ({ id, ...one })));
  const lacking = parameters.filter(({ required, example, schema }: Json) =>
    required === true ? example === undefined : arrayOf(objectOf(schema)["examples"]).length === 0,
  );
  expect(parameters.length).toBeGreaterThan(50);
  expect(lacking).toEqual([]);
});
