import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly error: unknown;
}

export type Fields = Readonly<Record<string, string | Uint8Array>>;

/** Calls the REST interface with the key that the server has made at its first start. */
export function createCaller(dataDir: string, url: string) {
  const { apiKey }: { apiKey: string } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"));

  async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", apiKey);
    const response = await fetch(`${url}/v1/${path}`, { ...init, method, headers });
    const body: { data?: unknown; error?: unknown } = JSON.parse(await response.text());
    return { status: response.status, data: body.data, error: body.error };
  }

  return {
    get: (path: string) => send("GET", path),
    remove: (path: string) => send("DELETE", path),
    postJson: (path: string, body: unknown) =>
      send("POST", path, { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    postForm(path: string, fields: Fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) {
        if (typeof value === "string") form.set(name, value);
        else form.set(name, new Blob([new Uint8Array(value)]), "document.pdf");
      }
      return send("POST", path, { body: form });
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;

/** A member of an answer's data, or of a part of it. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
