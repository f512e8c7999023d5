import type { World } from "../world.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is empty or no JSON. */
  readonly json: unknown;
}

/** Plain HTTP, as a client in any language would speak it, with the first workspace's key unless headers say otherwise. */
export interface RestClient {
  readonly world: World;
  readonly url: string;
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** POST with a JSON body; a string is sent as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** POST with a form, its fields in this order. */
  form(path: string, fields: readonly Field[]): Promise<Answer>;
  /** The `data` of a job's, dataset's or item's answer. */
  data(path: string, init?: RequestInit): Promise<Record<string, unknown>>;
  /** Uploads, waits for the job to end and returns its last state. */
  uploaded(fields: readonly Field[], method?: "extract" | "vectorize"): Promise<Record<string, unknown>>;
}

export type Field =
  | readonly [name: string, value: string]
  | readonly [name: string, value: Buffer<ArrayBuffer>, fileName: string];

/** `worldNow` is asked when a request is made: the world exists only when tests run. */
export function createRestClient(worldNow: () => World): RestClient {
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const { url, credentials } = worldNow().server;
    const headers = new Headers(init.headers);
    if (!headers.has("x-api-key") && !headers.has("authorization")) headers.set("x-api-key", credentials.apiKey);
    const response = await fetch(path.startsWith("http") ? path : `${url}${path}`, { ...init, headers });
    const text = await response.text();
    const isJson = /^application\/json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
    const json: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  }

  async function form(path: string, fields: readonly Field[]): Promise<Answer> {
    const body = new FormData();
    for (const [name, value, fileName] of fields) {
      if (typeof value === "string") body.append(name, value);
      else body.append(name, new Blob([value]), fileName);
    }
    return send(path, { method: "POST", body });
  }

  async function data(path: string, init?: RequestInit): Promise<Record<string, unknown>> {
    return dataOf(await send(path, init));
  }

  return {
    get world() {
      return worldNow();
    },
    get url() {
      return worldNow().server.url;
    },
    send,
    form,
    data,
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
    async uploaded(fields, method = "extract") {
      const { id } = dataOf(await form(`/v1/${method}`, fields));
      // The stream ends when the job has ended.
      await send(`/v1/jobs/${String(id)}/watch`);
      return data(`/v1/jobs/${String(id)}`);
    },
  };
}

function dataOf({ status, json, text }: Answer): Record<string, unknown> {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return objectOf(objectOf(json)["data"]);
}

export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`not an object: ${JSON.stringify(value)}`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function listOf(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value.map(objectOf);
}
