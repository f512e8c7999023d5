import { afterEach, describe, expect, test, vi } from "vitest";
import { connect } from "../connection.ts";
import type { Listening } from "../testing/service.ts";
import { sha256Of, uploadService, type UploadTestService } from "../testing/upload-service.ts";
import { bytesOfMemory } from "../uploads/bytes.ts";
import { runtime } from "./browser.ts";

const open: Listening[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function service(): Promise<UploadTestService> {
  const started = await uploadService();
  open.push(started);
  return started;
}

const quiet = { signal: undefined, silenceMs: 60_000, onSent: () => undefined };
const form = {
  fields: [["expiresInDays", "3"]],
  file: { fileName: "a.pdf", mimeType: "application/pdf", bytes: new Blob(["abc"]) },
} as const;

describe("over fetch", () => {
  test("sends a form, and bytes in pieces gathered into one", async () => {
    const { url, taken } = await service();
    const connection = connect({ server: url });
    await runtime.sendForm(connection, "/v1/extract", form, quiet);
    const bytes = bytesOfMemory(new Uint8Array(3_000_001).fill(7));
    await runtime.sendForm(connection, "/v1/extract", { ...form, file: { ...form.file, bytes } }, quiet);
    await runtime.sendForm(
      connection,
      "/v1/extract",
      { fields: [["url", "https://a.example"]], file: undefined },
      quiet,
    );
    expect(taken[0]).toMatchObject({ fileName: "a.pdf", fields: { expiresInDays: "3" } });
    expect(taken[0]?.bytes.toString()).toBe("abc");
    expect(taken[1]?.bytes).toEqual(Buffer.alloc(3_000_001, 7));
    expect(taken[2]?.fields).toEqual({ url: "https://a.example" });
  });

  test("hashes a part before it is sent", async () => {
    const { url, sessions } = await service();
    const parts = new Map();
    sessions.set("tmp_1", { fileName: "", jobType: "", fileSize: 3, fields: {}, parts });
    const fields = [
      ["key", "tmp_1"],
      ["partNumber", "1"],
    ] as const;
    const part = { fields, file: form.file, checksumField: "checksum" };
    const { sha256 } = await runtime.sendForm(connect({ server: url }), "/v1/upload-session/append", part, quiet);
    expect(sha256).toBe(sha256Of(Buffer.from("abc")));
    expect(parts.get(1)).toMatchObject({ etag: sha256 });
    expect(await runtime.sha256(bytesOfMemory(Buffer.from("abc")))).toBe(sha256);
  });

  test("where the page may not hash, parts go unchecked", async () => {
    vi.stubGlobal("crypto", {});
    expect(await runtime.sha256(new Blob(["abc"]))).toBeUndefined();
  });

  test("has no paths", async () => {
    await expect(runtime.openPath("a.pdf")).rejects.toThrow("no paths in a browser");
  });
});

describe("over XMLHttpRequest", () => {
  const sent: { url: string; key: string | undefined }[] = [];

  /** The parts of a browser's class that the runtime uses; every request is answered at once. */
  function fakeRequestClass(status: number, responseText: string, { silent = false } = {}) {
    return class FakeRequest {
      readonly upload = new EventTarget();
      readonly events = new EventTarget();
      readonly status = status;
      readonly statusText = "";
      readonly responseText = responseText;
      headers: Record<string, string> = {};
      url = "";
      addEventListener(type: string, listener: () => void): void {
        this.events.addEventListener(type, listener);
      }
      open(_method: string, url: string): void {
        this.url = url;
      }
      setRequestHeader(name: string, value: string): void {
        this.headers[name] = value;
      }
      getResponseHeader(name: string): string | null {
        return { "x-request-id": "req-3", "retry-after": "2" }[name] ?? null;
      }
      send(): void {
        sent.push({ url: this.url, key: this.headers["x-api-key"] });
        if (silent) return;
        this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded: 101, total: 103 }));
        this.events.dispatchEvent(new Event("load"));
      }
      abort(): void {
        this.events.dispatchEvent(new Event("abort"));
      }
    };
  }
  const connection = connect({ server: "http://drs.example", apiKey: "drs_test" });

  test("tells how much of the file has been sent", async () => {
    vi.stubGlobal("XMLHttpRequest", fakeRequestClass(200, '{"success":true}'));
    const seen: number[] = [];
    const options = { signal: undefined, silenceMs: 60_000, onSent: (bytes: number) => seen.push(bytes) };
    const { answer } = await runtime.sendForm(connection, "/v1/extract", form, options);
    expect(answer).toEqual({ success: true });
    expect(sent.at(-1)).toEqual({ url: "http://drs.example/v1/extract", key: "drs_test" });
    expect(seen).toEqual([1, 3]);
  });

  test("reports errors like any other way", async () => {
    vi.stubGlobal("XMLHttpRequest", fakeRequestClass(401, '{"error":"no key","code":"UNAUTHENTICATED"}'));
    await expect(runtime.sendForm(connection, "/v1/extract", form, quiet)).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
      requestId: "req-3",
      retryAfterMs: 2_000,
      message: "no key",
    });
  });

  test("an abort rejects with the reason of its signal", async () => {
    vi.stubGlobal("XMLHttpRequest", fakeRequestClass(200, "", { silent: true }));
    const stop = new AbortController();
    const reason = new Error("enough");
    const options = { signal: stop.signal, silenceMs: 60_000, onSent: () => undefined };
    const sending = runtime.sendForm(connection, "/v1/extract", form, options);
    setTimeout(() => stop.abort(reason), 5);
    await expect(sending).rejects.toBe(reason);
    const before = sent.length;
    await expect(runtime.sendForm(connection, "/v1/extract", form, options)).rejects.toBe(reason);
    expect(sent.length).toBe(before);
  });

  test("a request without an answer fails", async () => {
    vi.stubGlobal("XMLHttpRequest", fakeRequestClass(200, "", { silent: true }));
    const sending = runtime.sendForm(connection, "/v1/extract", form, { ...quiet, silenceMs: 5 });
    await expect(sending).rejects.toMatchObject({ code: "unavailable", status: undefined });
  });
});
