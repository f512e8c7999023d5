import { describe, expect, test } from "vitest";
import { onePage } from "../world.ts";
import { type Answer, type Field, listOf, objectOf, type RestClient } from "./client.ts";

/** Every endpoint of the contract with every parameter that it names, by the contract's spelling. */
export function interfaceCases(rest: RestClient): void {
  const file: Field = ["file", onePage, "one.pdf"];
  const dataOf = ({ status, json, text }: Answer): Record<string, unknown> => {
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return objectOf(objectOf(json)["data"]);
  };

  describe("the contract", () => {
    test.each(["extract", "vectorize"])("/v1/%s with a file", async (kind) => {
      const job = dataOf(await rest.form(`/v1/${kind}`, [file, ["expiresInDays", "2"]]));
      expect(job).toMatchObject({ status: "IN_PROGRESS", type: `datasets/${kind}` });
    });

    test.each(["extract", "vectorize"])("/v1/%s with an address", async (kind) => {
      const fields: Field[] = [
        ["url", "http://documents.example/a.pdf"],
        ["expiresInDays", "2"],
      ];
      expect(dataOf(await rest.form(`/v1/${kind}`, fields))).toMatchObject({ status: "IN_PROGRESS" });
    });

    test("/v1/datasets/:id/vectorize", async () => {
      const { datasetId } = await rest.uploaded([file]);
      const answer = await rest.send(`/v1/datasets/${String(datasetId)}/vectorize`, { method: "POST" });
      expect(dataOf(answer)).toMatchObject({ type: "datasets/vectorize" });
    });

    test("/v1/upload-session/start, append, end and abort", async () => {
      const start: Field[] = [
        ["fileName", "one.pdf"],
        ["fileExt", "pdf"],
        ["fileType", "application/pdf"],
        ["jobType", "vectorize"],
        ["expiryInDays", "-1"],
      ];
      const key = String(dataOf(await rest.form("/v1/upload-session/start", start))["key"]);
      const append: Field[] = [["key", key], ["partNumber", "1"], file];
      const part = dataOf(await rest.form("/v1/upload-session/append", append));
      const parts = JSON.stringify([part]);
      const ended = await rest.form("/v1/upload-session/end", [
        ["key", key],
        ["parts", parts],
      ]);
      expect(dataOf(ended)).toMatchObject({ status: "IN_PROGRESS" });
      const other = String(dataOf(await rest.form("/v1/upload-session/start", start))["key"]);
      expect((await rest.form("/v1/upload-session/abort", [["key", other]])).json).toEqual({ success: true });
    });

    test.each([
      "/v1/jobs?statuses=NOT_STARTED,IN_QUEUE,IN_PROGRESS,SUCCESS,ERROR&offset=0&limit=10",
      "/v1/datasets?type=doc,audio,video,image&offset=0&limit=100&sort=-createdAt&expiresInSeconds=600",
      "/v1/datasets/ID",
      "/v1/datasets/ID/items?row=pdf&cols=1&offset=0&limit=100&sort=-createdAt&expiresInSeconds=600",
      "/v1/datasets/ID/items?row=jpg&cols=1:10",
      "/v1/datasets/ID/items?row=embedding_image&cols=5:10,16",
    ])("GET %s", async (path) => {
      expect((await rest.send(path.replace("ID", rest.world.zoo))).status).toBe(200);
    });

    test("GET /v1/jobs/:id", async () => {
      const [job] = listOf(objectOf((await rest.send("/v1/jobs?limit=1")).json)["data"]);
      expect(await rest.data(`/v1/jobs/${String(job?.["id"])}`)).toMatchObject({ id: job?.["id"] });
    });

    test("/v1/search in every way", async () => {
      const { json } = await rest.send(`/v1/datasets/${rest.world.zoo}/items?row=jpg&cols=2`);
      const [item] = listOf(objectOf(json)["data"]);
      const link = await fetch(String(objectOf(item?.["share"])["url"]));
      const image_url = `data:image/jpeg;base64,${Buffer.from(await link.arrayBuffer()).toString("base64")}`;
      for (const query of ["birds", { text: "birds" }, { text: "birds", image_url }, { image_url }]) {
        const answer = await rest.post("/v1/search", { query, datasetIds: [rest.world.zoo], limit: 2 });
        expect([answer.status, listOf(objectOf(answer.json)["data"]).length]).toEqual([200, 2]);
      }
      expect((await rest.post("/v1/search", { query: "birds" })).status).toBe(200);
    });
  });
}
