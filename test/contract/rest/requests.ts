import { describe, expect, test } from "vitest";
import { zooPages } from "../world.ts";
import { listOf, objectOf, type RestClient } from "./client.ts";
import { failure } from "./shapes.ts";

/** The forms of query strings and JSON bodies. */
export function requestCases(rest: RestClient): void {
  const items = async (query: string): Promise<Record<string, unknown>> => {
    const { status, json, text } = await rest.send(`/v1/datasets/${rest.world.zoo}/items?${query}`);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return objectOf(json);
  };

  describe("query strings", () => {
    test.each([
      ["cols=2:3,5", [2, 3, 5]],
      ["cols=2%3A3%2C5", [2, 3, 5]],
      ["cols=%202%20:%203%20,%205%20", [2, 3, 5]],
      ["cols=+2:3+,+5", [2, 3, 5]],
      ["cols=2:3&cols=5", [2, 3, 5]],
      ["cols=5,2:3,3,2", [2, 3, 5]],
      ["cols=4:", [4, 5]],
      ["cols=:2", [1, 2]],
      ["cols=1,,2,", [1, 2]],
      ["cols=", [1, 2, 3, 4, 5]],
      ["cols=6", []],
      ["cols=99999999999", []],
    ])("%s selects %j", async (query, pages) => {
      const { total, data } = await items(`row=jpg&sort=col&${query}`);
      expect(listOf(data).map(({ col }) => col)).toEqual(pages);
      expect(total).toBe(pages.length);
    });

    test.each([
      ["sort=-col,row", ["-col", "row"]],
      ["sort=-col,%20row", ["-col", "row"]],
      ["sort=-col&sort=row", ["-col", "row"]],
      ["sort=", ["-createdAt"]],
      ["", ["-createdAt"]],
    ])("%j is answered with the order %j", async (query, sort) => {
      expect(await items(query)).toMatchObject({ sort, offset: 0, limit: 10, total: zooPages.length * 3 });
    });

    test("lists of words may have spaces and may be repeated", async () => {
      const { json } = await rest.send("/v1/jobs?statuses=SUCCESS,%20ERROR%20&statuses=IN_QUEUE");
      expect(json).toMatchObject({ statuses: ["SUCCESS", "ERROR", "IN_QUEUE"] });
      expect((await rest.send("/v1/datasets?type=doc,%20image")).json).toMatchObject({ success: true });
      expect((await rest.send("/v1/datasets?type=audio,video")).json).toEqual({ success: true, total: 0, data: [] });
    });

    test.each([
      ["/v1/datasets?limit=0", /limit/],
      ["/v1/datasets?limit=101", /limit/],
      ["/v1/datasets?limit=ten", /limit must be a whole number/],
      ["/v1/datasets?limit=", /limit must be a whole number/],
      ["/v1/datasets?limit=1.5", /limit must be a whole number/],
      ["/v1/datasets?limit=1&limit=2", /limit is given twice/],
      ["/v1/datasets?offset=-1", /offset/],
      ["/v1/datasets?offset=4294967296", /offset/],
      ["/v1/datasets?type=Doc", /type.* must be one of doc, audio, video, image/],
      ["/v1/datasets?sort=-size", /cannot sort by "size"/],
      ["/v1/datasets?sort=--createdAt", /cannot sort by "-createdAt"/],
      ["/v1/datasets?expiresInSeconds=0", /expiresInSeconds/],
      ["/v1/datasets?expiresInSeconds=600.5", /expiresInSeconds/],
      ["/v1/jobs?statuses=success", /statuses.* must be one of/],
      ["/v1/jobs?statuses=SUCCESS,DONE", /statuses/],
      ["/v1/datasets/ID/items?row=gif", /row must be one of pdf, jpg, embedding_image/],
      ["/v1/datasets/ID/items?row=pdf,jpg", /row/],
      ["/v1/datasets/ID/items?row=pdf&row=jpg", /row is given twice/],
      ["/v1/datasets/ID/items?cols=0", /cols/],
      ["/v1/datasets/ID/items?cols=3:1", /cols/],
      ["/v1/datasets/ID/items?cols=1-3", /cols/],
      ["/v1/datasets/ID/items?cols=1:2:3", /cols/],
      ["/v1/datasets/ID/items?cols=1.5", /cols/],
      ["/v1/datasets/ID/items?cols=1;2", /cols/],
    ])("%s is a 400", async (path, error) => {
      const { status, json } = await rest.send(path.replace("ID", rest.world.zoo));
      expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT", expect.stringMatching(error))]);
    });
  });

  describe("search bodies", () => {
    const firstPage = async (body: object): Promise<unknown> => {
      const { status, json, text } = await rest.post("/v1/search", { datasetIds: [rest.world.zoo], ...body });
      if (status !== 200) throw new Error(`${status}: ${text}`);
      return listOf(objectOf(json)["data"])[0]?.["col"];
    };

    test.each([
      ["a string", { query: "birds that cannot fly" }],
      ["an object", { query: { text: "birds that cannot fly" } }],
      ["a string that looks like JSON", { query: '{"text": "birds that cannot fly"}' }],
      ["null for what is not given", { query: "birds that cannot fly", limit: null, row: null }],
    ])("query as %s", async (_, body) => {
      expect(await firstPage(body)).toBe(1);
    });

    test("image_url is a base64 data string", async () => {
      const { json } = await rest.send(`/v1/datasets/${rest.world.zoo}/items?row=jpg&cols=2`);
      const [link] = listOf(objectOf(json)["data"]).map(({ share }) => String(objectOf(share)["url"]));
      const picture = Buffer.from(await (await fetch(link ?? "")).arrayBuffer()).toString("base64");
      expect(await firstPage({ query: { image_url: `data:image/jpeg;base64,${picture}` } })).toBe(2);
      expect(await firstPage({ query: { image_url: `data:image/jpeg;base64,${picture}`, text: "elephants" } })).toBe(2);
    });

    test.each<[string, unknown, RegExp]>([
      ["that is empty", "", /query/],
      ["that is no JSON", "{'query': 1}", /not valid JSON/],
      ["that breaks off", '{"query": "peng', /not valid JSON/],
      ["that is a list", [], /must be a JSON object/],
      ["that is null", null, /must be a JSON object/],
      ["with a number for the query", { query: 5 }, /query must be a string or an object/],
      ["with a list for the query", { query: ["a"] }, /query must be a string or an object/],
      ["with a text for datasetIds", { query: "a", datasetIds: "ds_1" }, /datasetIds must be an array of strings/],
      ["with an object for the limit", { query: "a", limit: {} }, /limit must be a whole number/],
      ["with a fraction for the limit", { query: "a", limit: 1.5 }, /limit must be a whole number/],
      ["with a number for image_url", { query: { image_url: 1 } }, /image_url must be a string/],
    ])("a body %s is a 400", async (_, body, error) => {
      const { status, json } = await rest.post("/v1/search", body);
      expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT", expect.stringMatching(error))]);
    });
  });
}
