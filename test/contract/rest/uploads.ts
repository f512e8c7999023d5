import { describe, expect, test } from "vitest";
import { onePage } from "../world.ts";
import { type Answer, type Field, objectOf, type RestClient } from "./client.ts";
import { failure, moment } from "./shapes.ts";

const day = 86_400_000;

/** Multipart bodies, whole and broken, and what becomes of them. */
export function uploadCases(rest: RestClient): void {
  const file: Field = ["file", onePage, "one.pdf"];
  const datasetOf = async (job: Record<string, unknown>): Promise<Record<string, unknown>> =>
    rest.data(`/v1/datasets/${String(job["datasetId"])}`);
  const datasetTotal = async (): Promise<unknown> => objectOf((await rest.send("/v1/datasets")).json)["total"];

  describe("uploads", () => {
    test.each<[string, Field[], number | null]>([
      ["before the file", [["expiresInDays", "3"], file], 3],
      ["after the file", [file, ["expiresInDays", "3"]], 3],
      ["as a fraction of a day", [file, ["expiresInDays", "0.5"]], 0.5],
      ["as -1, which means never", [file, ["expiresInDays", "-1"]], null],
      ["not at all", [file], null],
    ])("expiresInDays may stand %s", async (_, fields, days) => {
      const { createdAt, expiresAt } = await datasetOf(await rest.uploaded(fields));
      expect(expiresAt).toBe(days === null ? null : Number(createdAt) + days * day);
    });

    test("the content says what a file is, not its name", async () => {
      const job = await rest.uploaded([["file", onePage, "scan.docx"]]);
      expect(await datasetOf(job)).toMatchObject({
        fileName: "scan.docx",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: onePage.length,
      });
    });

    test.each([
      ["Übersicht 文書 🐧.pdf", "Übersicht 文書 🐧.pdf"],
      [String.raw`C:\Users\me\a.pdf`, "a.pdf"],
      ["../../a.pdf", "a.pdf"],
      ["a\u202Efdp.exe", "afdp.exe"],
      ["..", "document.pdf"],
    ])("the file name %j is kept as %j", async (given, kept) => {
      expect(await datasetOf(await rest.uploaded([["file", onePage, given]]))).toMatchObject({ fileName: kept });
    });

    const refusals: [string, Field[], number, string, RegExp][] = [
      ["a form without a file", [["expiresInDays", "1"]], 400, "INVALID_ARGUMENT", /file/],
      ["two files", [file, file], 400, "INVALID_ARGUMENT", /one file/],
      ["a file and an address", [file, ["url", "http://example.org/"]], 400, "INVALID_ARGUMENT", /not both/],
      [
        "two addresses",
        [
          ["url", "http://example.org/"],
          ["url", "http://example.org/"],
        ],
        400,
        "INVALID_ARGUMENT",
        /twice/,
      ],
      ["an address and a file", [["url", "http://example.org/"], file], 400, "INVALID_ARGUMENT", /not both/],
      ["a file under another name", [["document", onePage, "a.pdf"]], 400, "INVALID_ARGUMENT", /form field file/],
      ["a file as text", [["file", "text"]], 400, "INVALID_ARGUMENT", /as a file/],
      ["expiresInDays as a word", [file, ["expiresInDays", "soon"]], 400, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays left empty", [file, ["expiresInDays", ""]], 400, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays as infinity", [file, ["expiresInDays", "Infinity"]], 400, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays twice", [["expiresInDays", "1"], file, ["expiresInDays", "2"]], 400, "INVALID_ARGUMENT", /twice/],
      ["plain text", [["file", Buffer.from("hello"), "a.pdf"]], 415, "INVALID_ARGUMENT", /plain text/],
      ["a picture", [["file", Buffer.from("ffd8ffe0", "hex"), "a.jpg"]], 415, "INVALID_ARGUMENT", /JPEG/],
      [
        "a file over the limit",
        [["file", Buffer.concat([onePage, Buffer.alloc(2 ** 20)]), "big.pdf"]],
        413,
        "RESOURCE_EXHAUSTED",
        /larger than 1 MB/,
      ],
    ];
    test.each(refusals)("%s is refused, and nothing of it stays", async (_, fields, expected, code, error) => {
      const before = await datasetTotal();
      const { status, json } = await rest.form("/v1/extract", fields);
      expect([status, json]).toEqual([expected, failure(code, expect.stringMatching(error))]);
      expect(await datasetTotal()).toBe(before);
    });

    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
    const form = Buffer.concat([Buffer.from(head), onePage, Buffer.from("\r\n--b--\r\n")]);
    const raw = (body: Buffer<ArrayBuffer> | string, type: string) =>
      rest.send("/v1/extract", { method: "POST", body, headers: { "content-type": type } });

    test("the same form, whole, is accepted", async () => {
      expect((await raw(form, "multipart/form-data; boundary=b")).status).toBe(200);
      expect((await raw(form, 'Multipart/Form-Data; charset=utf-8; boundary="b"')).status).toBe(200);
    });

    test.each([
      ["without a boundary", form, "multipart/form-data"],
      ["with another boundary", form, "multipart/form-data; boundary=c"],
      ["that breaks off within the file", form.subarray(0, 500), "multipart/form-data; boundary=b"],
      ["that breaks off before its end", form.subarray(0, -6), "multipart/form-data; boundary=b"],
      ["that breaks off within a part's head", form.subarray(0, 40), "multipart/form-data; boundary=b"],
      ["that is empty", "", "multipart/form-data; boundary=b"],
    ])("a form %s is a 400, and nothing of it stays", async (_, body, type) => {
      const before = await datasetTotal();
      const { status, json } = await raw(body, type);
      expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT", expect.stringMatching(/multipart/))]);
      expect(await datasetTotal()).toBe(before);
    });

    test("a document is not taken as the bare body", async () => {
      const { status, json } = await raw(onePage, "application/pdf");
      expect([status, json]).toEqual([415, failure("INVALID_ARGUMENT", expect.stringMatching(/multipart\/form-data/))]);
    });

    test.each<[string, (url: string) => Promise<Answer>]>([
      ["as JSON", (url) => rest.post("/v1/extract", { url, expiresInDays: 2 })],
      [
        "as JSON, with a name for it",
        (url) => rest.post("/v1/extract", { url, expiresInDays: 2, fileName: "one.pdf" }),
      ],
      [
        "as a form",
        (url) =>
          rest.form("/v1/extract", [
            ["url", url],
            ["expiresInDays", "2"],
          ]),
      ],
    ])("a url may be given %s", async (_, send) => {
      const job = objectOf(objectOf((await send(`${rest.world.files.url}/one.pdf`)).json)["data"]);
      expect(job).toMatchObject({ status: "IN_PROGRESS", type: "datasets/extract" });
      await rest.send(`/v1/jobs/${String(job["id"])}/watch`);
      const dataset = await datasetOf(job);
      expect(dataset).toMatchObject({ fileName: "one.pdf", fileSize: onePage.length, itemCount: 1 });
      expect(Number(dataset["expiresAt"]) - Number(dataset["createdAt"])).toBe(2 * day);
    });

    test("the name that a caller gives a fetched document stays", async () => {
      const { json } = await rest.post("/v1/extract", { url: `${rest.world.files.url}/one.pdf`, fileName: "a/Plan" });
      const job = objectOf(objectOf(json)["data"]);
      await rest.send(`/v1/jobs/${String(job["id"])}/watch`);
      expect(await datasetOf(job)).toMatchObject({ fileName: "Plan", fileExt: "pdf" });
    });

    test("a document that is being fetched is a 422 behind its link", async () => {
      const { json } = await rest.post("/v1/extract", { url: `${rest.world.files.url}/stalled.pdf` });
      const job = objectOf(objectOf(json)["data"]);
      const link = String(objectOf((await datasetOf(job))["share"])["url"]);
      const { status, json: answer } = await rest.send(link);
      expect([status, answer]).toEqual([422, failure("FAILED_PRECONDITION", expect.stringMatching(/being fetched/))]);
      expect((await rest.send(link, { method: "HEAD" })).status).toBe(422);
      expect((await rest.send(`/v1/datasets/${String(job["datasetId"])}`, { method: "DELETE" })).json).toMatchObject({
        data: { id: job["datasetId"], freedBytes: 0 },
      });
      expect(await rest.data(`/v1/jobs/${String(job["id"])}`)).toMatchObject({ status: "ERROR", canceledAt: moment });
    });

    test.each(["/v1/extract", "/v1/vectorize"])(
      "%s reads a JSON body, and fetches from no private address",
      async (path) => {
        const { status, json } = await rest.post(path, { url: "http://10.0.0.1/a.pdf", expiresInDays: 1 });
        expect([status, json]).toEqual([400, failure("INVALID_ARGUMENT")]);
        const bad = await rest.post(path, { url: "http://example.org/a.pdf", expiresInDays: 0 });
        expect([bad.status, bad.json]).toEqual([
          400,
          failure("INVALID_ARGUMENT", expect.stringMatching(/expiresInDays/)),
        ]);
      },
    );
  });
}
