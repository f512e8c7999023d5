import { expect, test } from "vitest";
import { className, constantName, docstring, methodName, pageNameOf, pythonName, withoutDocstrings } from "./text.ts";
import { DatasetService } from "../../clients/typescript/gen/drs/v1/datasets_pb.ts";
import { SearchService } from "../../clients/typescript/gen/drs/v1/search_pb.ts";
import { UsageService } from "../../clients/typescript/gen/drs/v1/usage_pb.ts";
import { WorkspaceService } from "../../clients/typescript/gen/drs/v1/workspaces_pb.ts";

test("short docstrings take one line", () => {
  expect(docstring("Returns one job.", "    ")).toBe('    """Returns one job."""');
  expect(docstring('Such as "pdf"', "")).toBe('"""Such as "pdf"\n"""');
});

test("long docstrings are wrapped, with indented list entries", () => {
  const words = "word ".repeat(40).trim();
  const lines = docstring([words, "", "Args:", `    id: ${words}`].join("\n"), "    ").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  expect(lines[1]).toMatch(/^ {4}word/);
  expect(lines).toContain("");
  expect(lines.find((line) => line.includes("id:"))).toMatch(/^ {8}id: word/);
  expect(lines.at(-2)).toMatch(/^ {12}word/);
});

test("quotes that would end the docstring are replaced", () => {
  expect(docstring('a """ and a \\', "")).toBe('"""a \'\'\' and a \\\\"""');
});

test("names in docstrings are not used names", () => {
  expect(withoutDocstrings('a = 1\n"""Mapping\n"""\nb = 2')).toBe("a = 1\n\nb = 2");
});

test("classes are named by the plural of the service's noun", () => {
  expect([DatasetService, SearchService, UsageService].map(className)).toEqual(["Datasets", "Search", "Usage"]);
});

test.each([
  [DatasetService, "ListDatasets", "list"],
  [DatasetService, "VectorizeDataset", "vectorize"],
  [DatasetService, "DeleteDataset", "delete"],
  [DatasetService, "DeleteDatasets", "delete_many"],
  [SearchService, "Search", "search"],
  [UsageService, "GetUsage", "get"],
  [WorkspaceService, "CreateKey", "create_key"],
  [WorkspaceService, "ListWorkspaces", "list"],
])("a method name leaves out the noun of its class: %o", (service, name, expected) => {
  expect(methodName(service, name)).toBe(expected);
});

test.each([
  ["list", "page"],
  ["list_keys", "page_keys"],
  ["get", "get_page"],
])("beside %s stands %s", (name, page) => {
  expect(pageNameOf(name)).toBe(page);
});

test("names are Python's", () => {
  expect(constantName("WhoAmI")).toBe("WHO_AM_I");
  expect([pythonName("from"), pythonName("form")]).toEqual(["from_", "form"]);
});
