import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { onePage } from "../world.ts";
import { type Field, objectOf, type RestClient } from "./client.ts";
import { failure, job, moment } from "./shapes.ts";

/** Upload sessions as plain HTTP: the contract's forms and the bodies of the answers, field by field. */
export function uploadSessionCases(rest: RestClient): void {
  const path = "/v1/upload-session";
  const ordinary: readonly Field[] = [
    ["fileName", "one.pdf"],
    ["fileExt", ".pdf"],
    ["fileType", "application/pdf"],
    ["jobType", "extract"],
  ];
  const etag = createHash("sha256").update(onePage).digest("hex");
  const file: Field = ["file", onePage, "part"];
  const future: unknown = expect.toSatisfy((value: unknown) => Number(value) > Date.now(), "a moment to come");

  async function start(fields = ordinary): Promise<string> {
    const { status, json } = await rest.form(`${path}/start`, fields);
    expect([status, json]).toEqual([
      200,
      { success: true, data: { key: expect.stringMatching(/^tmp_\w{26}$/), expiresAt: future } },
    ]);
    return String(objectOf(objectOf(json)["data"])["key"]);
  }

  async function append(key: string): Promise<void> {
    const { status } = await rest.form(`${path}/append`, [["key", key], ["partNumber", "1"], file]);
    expect(status).toBe(200);
  }

  describe("upload sessions", () => {
    test("take the contract's forms and answer as it says", async () => {
      const key = await start([...ordinary, ["expiryInDays", "-1"]]);
      const appended = await rest.form(`${path}/append`, [file, ["key", key], ["partNumber", "1"]]);
      const part = { etag, partNumber: 1, size: onePage.length };
      expect([appended.status, appended.json]).toEqual([200, { success: true, data: part }]);
      const session = {
        key,
        fileName: "one.pdf",
        jobType: "extract",
        createdAt: moment,
        expiresAt: future,
        fileSize: null,
        receivedBytes: onePage.length,
        partCount: 1,
        jobId: null,
      };
      expect((await rest.send(`${path}/${key}`)).json).toEqual({
        success: true,
        total: 1,
        data: { ...session, parts: [part] },
      });
      const list = objectOf((await rest.send(path)).json);
      expect(list).toEqual({ success: true, total: expect.any(Number), data: expect.any(Array) });
      expect(list["data"]).toContainEqual({ ...session, parts: [] });
      const parts = JSON.stringify([{ etag, partNumber: 1 }]);
      const ended = await rest.form(`${path}/end`, [
        ["parts", parts],
        ["key", key],
      ]);
      expect([ended.status, ended.json]).toEqual([
        200,
        { success: true, total: 1, data: { ...job, type: "datasets/extract", status: "IN_PROGRESS" } },
      ]);
      const id = objectOf(objectOf(ended.json)["data"])["id"];
      const after = objectOf(objectOf((await rest.send(`${path}/${key}`)).json)["data"]);
      expect(after).toEqual({ ...session, receivedBytes: 0, partCount: 0, parts: [], jobId: id });
    });

    test("are aborted with a form", async () => {
      const key = await start();
      const { status, json } = await rest.form(`${path}/abort`, [["key", key]]);
      expect([status, json]).toEqual([200, { success: true }]);
      const again = await rest.form(`${path}/abort`, [["key", key]]);
      expect([again.status, again.json]).toEqual([404, failure("NOT_FOUND", expect.stringContaining(key))]);
    });

    test("take JSON for all but the bytes", async () => {
      const key = await start();
      await append(key);
      const parts = [{ etag: `"${etag.toUpperCase()}"`, partNumber: "1" }];
      const { status, json } = await rest.post(`${path}/end`, { key, parts, checksum: etag });
      expect([status, json]).toMatchObject([200, { success: true, data: { status: "IN_PROGRESS" } }]);
      const started = await rest.post(`${path}/start`, Object.fromEntries(ordinary));
      const other = String(objectOf(objectOf(started.json)["data"])["key"]);
      expect((await rest.post(`${path}/abort`, { key: other })).json).toEqual({ success: true });
    });

    test.each<[string, readonly Field[], number, string, RegExp]>([
      ["without a field", ordinary.slice(1), 400, "INVALID_ARGUMENT", /fileName/],
      ["of a text file", [...ordinary.slice(2), ["fileName", "a"], ["fileExt", "txt"]], 415, "INVALID_ARGUMENT", /txt/],
      ["of 100 GB", [...ordinary, ["fileSize", "100000000000"]], 413, "RESOURCE_EXHAUSTED", /larger than/],
      ["with a size in words", [...ordinary, ["fileSize", "huge"]], 400, "INVALID_ARGUMENT", /fileSize/],
      ["twice named", [...ordinary, ["fileName", "b.pdf"]], 400, "INVALID_ARGUMENT", /twice/],
    ])("are not opened for a document %s", async (_, fields, expected, code, error) => {
      const { status, json } = await rest.form(`${path}/start`, fields);
      expect([status, json]).toEqual([expected, failure(code, expect.stringMatching(error))]);
    });

    test.each<[string, (key: string) => readonly Field[], number, string, RegExp]>([
      [
        "a number in words",
        (key) => [file, ["key", key], ["partNumber", "one"]],
        400,
        "INVALID_ARGUMENT",
        /partNumber/,
      ],
      ["the number 0", (key) => [file, ["key", key], ["partNumber", "0"]], 400, "INVALID_ARGUMENT", /from 1 to 10000/],
      ["a negative number", (key) => [file, ["key", key], ["partNumber", "-1"]], 400, "INVALID_ARGUMENT", /partNumber/],
      [
        "two numbers",
        (key) => [file, ["key", key], ["partNumber", "1"], ["partNumber", "1"]],
        400,
        "INVALID_ARGUMENT",
        /twice/,
      ],
      [
        "no file",
        (key) => [
          ["key", key],
          ["partNumber", "1"],
        ],
        400,
        "INVALID_ARGUMENT",
        /empty; send its bytes as file/,
      ],
      ["two files", (key) => [["key", key], ["partNumber", "1"], file, file], 400, "INVALID_ARGUMENT", /one file/],
      [
        "an unknown key",
        () => [["key", "tmp_x"], ["partNumber", "1"], file],
        404,
        "NOT_FOUND",
        /no upload session "tmp_x"/,
      ],
      [
        "a picture as part 1",
        (key) => [
          ["key", key],
          ["partNumber", "1"],
          ["file", Buffer.from("ffd8ffe0", "hex"), "a"],
        ],
        415,
        "INVALID_ARGUMENT",
        /JPEG/,
      ],
    ])("take no part with %s", async (_, fields, expected, code, error) => {
      const key = await start();
      const { status, json } = await rest.form(`${path}/append`, fields(key));
      expect([status, json]).toEqual([expected, failure(code, expect.stringMatching(error))]);
      expect((await rest.send(`${path}/${key}`)).json).toMatchObject({ data: { partCount: 0 } });
    });

    test.each(["1", "{}", "[1]", "nonsense", '[{"etag":1,"partNumber":1}]', '[{"etag":"a","partNumber":-1}]'])(
      "do not end with the parts %s",
      async (parts) => {
        const key = await start();
        await append(key);
        const { status, json } = await rest.form(`${path}/end`, [
          ["key", key],
          ["parts", parts],
        ]);
        expect([status, json]).toEqual([
          400,
          failure("INVALID_ARGUMENT", expect.stringMatching(/parts|etag|partNumber/)),
        ]);
      },
    );

    test("end with a list of ten thousand parts as with any other", async () => {
      const key = await start();
      const parts = Array.from({ length: 10_000 }, (_, index) => ({ etag, partNumber: index + 1 }));
      const { status, json } = await rest.form(`${path}/end`, [
        ["key", key],
        ["parts", JSON.stringify(parts)],
      ]);
      expect([status, json]).toEqual([
        400,
        failure("INVALID_ARGUMENT", expect.stringMatching(/and 9980 more have not/)),
      ]);
    });
  });
}
