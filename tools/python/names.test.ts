import { expect, test } from "vitest";
import { DatasetService } from "../../clients/typescript/gen/drs/v1/datasets_pb.ts";
import { SearchService } from "../../clients/typescript/gen/drs/v1/search_pb.ts";
import { UsageService } from "../../clients/typescript/gen/drs/v1/usage_pb.ts";
import { WorkspaceService } from "../../clients/typescript/gen/drs/v1/workspaces_pb.ts";
import { className, constantName, methodName, pageNameOf, pythonName } from "./names.ts";

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
