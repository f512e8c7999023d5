import { describe, expect, test } from "vitest";
import { onePage } from "../world.ts";
import { type Field, listOf, objectOf, type RestClient } from "./client.ts";
import { failure } from "./shapes.ts";

/** Names that no request has are refused wherever they stand: a typo must not widen what is asked for. */
export function strictCases(rest: RestClient): void {
  const refused = (error: string) => [400, failure("INVALID_ARGUMENT", error)];
  const file: Field = ["file", onePage, "one.pdf"];
  const session: readonly Field[] = [
    ["fileName", "one.pdf"],
    ["fileExt", "pdf"],
    ["fileType", "application/pdf"],
    ["jobType", "extract"],
  ];

  describe("names that are not known", () => {
    test.each<[string, object, string]>([
      ["a field", { datasetId: ["ds_1"] }, "datasetId is not a field of this request; did you mean datasetIds?"],
      ["another case", { datasetids: ["ds_1"] }, "datasetids is not a field of this request; did you mean datasetIds?"],
      [
        "nothing near",
        { rerank: true },
        "rerank is not a field of this request; there are query, datasetIds, limit, row, expiresInSeconds, include, minScore, explain, neighbours, pictureWidth, filter, fileExt",
      ],
      ["a nested field", { query: { txt: "a" } }, "query.txt is not a field of this request; did you mean query.text?"],
      ["an empty list", { datasetIds: [] }, "datasetIds is empty; leave it out to search everything"],
      [
        "an empty list by its proto name",
        { dataset_ids: [] },
        "datasetIds is empty; leave it out to search everything",
      ],
    ])("in JSON: %s", async (_, body, error) => {
      const { status, json } = await rest.post("/v1/search", { query: "birds", ...body });
      expect([status, json]).toEqual(refused(error));
    });

    test("in JSON: inside a list", async () => {
      const parts = [{ etag: "a", partNumbr: 1 }];
      const { status, json } = await rest.post("/v1/upload-session/end", { key: "tmp_1", parts });
      const error = "parts[0].partNumbr is not a field of this request; did you mean parts[0].partNumber?";
      expect([status, json]).toEqual(refused(error));
    });

    test.each([
      ["/v1/datasets?limt=1", "limt is not a parameter of this request; did you mean limit?"],
      ["/v1/datasets?sha265=", "sha265 is not a parameter of this request; did you mean sha256?"],
      ["/v1/datasets/ID/items?expires=5", /^expires is not a parameter of this request; there are /],
      ["/v1/jobs?status=ERROR", "status is not a parameter of this request; did you mean statuses?"],
      ["/v1/jobs/dsj_1/watch?lastEventID=1", /^lastEventID is not a parameter of this request/],
      ["/v1/usage?_=1721300000000", /^_ is not a parameter of this request/],
    ])("in the query of GET %s", async (path, error) => {
      const { status, json } = await rest.send(path.replace("/ID/", `/${rest.world.zoo}/`));
      const sentence = typeof error === "string" ? error : expect.stringMatching(error);
      expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT", sentence)]);
    });

    test("in the query of POST, also those that belong into the body", async () => {
      const limit = await rest.post("/v1/search?limit=1", { query: "birds" });
      const error = "limit belongs into the body of this request, not into its address";
      expect([limit.status, limit.json]).toEqual(refused(error));
      const upload = await rest.form("/v1/extract?expiresInDay=1", [file]);
      const meant = "expiresInDay is not a parameter of this request; did you mean expiresInDays?";
      expect([upload.status, upload.json]).toEqual(refused(meant));
    });

    test.each<[string, readonly Field[], RegExp]>([
      ["/v1/extract", [["tags", "a"], file], /^tags is not a field of this request; there are file, url, /],
      ["/v1/extract", [file, ["expiresinDay", "1"]], /^expiresinDay is not .* did you mean expiresInDays\?$/],
      [
        "/v1/vectorize",
        [
          ["Url", "http://a.example"],
          ["urls", "b"],
        ],
        /^urls is not .* did you mean url\?$|^Url is not/,
      ],
      ["/v1/upload-session/start", [...session, ["expiresInDays", "1"]], /^expiresInDays is not .* expiryInDays\?$/],
      ["/v1/upload-session/append", [["part", "1"], file], /^part is not a field of this request/],
      ["/v1/upload-session/abort", [["keys", "tmp_1"]], /^keys is not .* did you mean key\?$/],
    ])("in a form for %s", async (path, fields, error) => {
      const { status, json } = await rest.form(path, fields);
      expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT", expect.stringMatching(error))]);
    });

    test("leave nothing behind in an upload that they come behind", async () => {
      const total = async () => objectOf((await rest.send("/v1/datasets")).json)["total"];
      const before = await total();
      expect((await rest.form("/v1/extract", [file, ["colour", "{}"]])).status).toBe(400);
      expect(await total()).toBe(before);
    });

    test("in a link only where they were meant for it: links go through programs that add to them", async () => {
      const { json } = await rest.send(`/v1/datasets/${rest.world.zoo}/items?row=jpg&cols=1`);
      const [item] = listOf(objectOf(json)["data"]);
      const url = String(objectOf(item?.["share"])["url"]);
      const statusWith = async (added: string) => (await fetch(`${url}&${added}`, { method: "HEAD" })).status;
      const harmless = ["utm_source=mail&utm_term=a", "fbclid=x", "gclid=x", "mc_eid=1", "_hsenc=1", "trk=2"];
      for (const added of harmless) expect([added, await statusWith(added)]).toEqual([added, 200]);
      const refused = ["tokens=a", "Token=a", "expiresInSeconds=9", "expires_in_second=9", "token=b"];
      for (const added of refused) expect([added, await statusWith(added)]).toEqual([added, 400]);
    });

    test("over Connect, when it is spoken as JSON", async () => {
      const path = "/drs.v1.SearchService/Search";
      const { status, json } = await rest.post(path, { query: { text: "birds" }, datasetId: ["ds_1"] });
      expect([status, json]).toMatchObject([
        400,
        { code: "invalid_argument", message: expect.stringContaining(`key "datasetId" is unknown`) },
      ]);
    });
  });
}
