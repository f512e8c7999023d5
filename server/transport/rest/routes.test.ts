import { expect, test } from "vitest";
import { matchTemplate, parseTemplate } from "./routes.ts";

test.each([
  ["/v1/datasets/{dataset_id}/items", "/v1/datasets/ds_1/items", [["dataset_id", "ds_1"]]],
  ["/v1/datasets/{dataset_id}/items", "/v1/datasets/a/b/items", undefined],
  ["/v1/datasets/{dataset_id}/items", "/v1/datasets//items", undefined],
  ["/v1/jobs/{id}", "/v1/jobs/a%2Fb%20c", [["id", "a/b c"]]],
  ["/v1/jobs/{id}", "/v1/jobs/j:watch", undefined],
  ["/v1/jobs/{id}:watch", "/v1/jobs/j:watch", [["id", "j"]]],
  ["/v1/{name=files/*}", "/v1/files/a", [["name", "files/a"]]],
  ["/v1/{name=files/**}", "/v1/files/a/b", [["name", "files/a/b"]]],
  ["/v1/a.b", "/v1/aXb", undefined],
])("%s and %s", (template, path, fields) => {
  expect(matchTemplate(parseTemplate(template), path)).toEqual(fields);
});

test("broken percent-encoding is an error of its own", () => {
  expect(() => matchTemplate(parseTemplate("/v1/{id}"), "/v1/%")).toThrow(URIError);
});
