import { addressAt, type Connection, idempotencyHeader } from "../connection.ts";
import { unreachable } from "../errors.ts";
import { type FormFile, readAnswer, readJson, type Runtime, type SendOptions } from "../uploads/form.ts";
import { type Bytes, readPieces } from "../uploads/bytes.ts";

/**
 * Browsers send streams only over HTTP/2 with TLS, but they read a File from disk themselves when it is part of a form.
 */
export const runtime: Runtime = {
  async openPath(path) {
    throw new TypeError(`cannot open "${path}": there are no paths in a browser; pass a File, a Blob or bytes`);
  },

  async sendForm(connection, path, { fields, file, checksumField }, options) {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    let sha256: string | undefined;
    if (file !== undefined) {
      const blob = await asBlob(file);
      if (checksumField !== undefined) sha256 = await hashOf(blob);
      if (checksumField !== undefined && sha256 !== undefined) form.append(checksumField, sha256);
      form.append("file", blob, file.fileName);
    }
    const post = connection.customFetch === undefined ? reporterClass() : undefined;
    const answer =
      post === undefined
        ? await postOverFetch(connection, path, form, options)
        : await postReporting(new post(), connection, path, form, { ...options, size: file?.bytes.size ?? 0 });
    options.onSent(file?.bytes.size ?? 0);
    return { answer, sha256 };
  },

  sha256: async (bytes) => (bytes.size > maxHashedBytes ? undefined : hashOf(await gather(bytes, ""))),
};

async function asBlob({ bytes, mimeType }: FormFile): Promise<Blob> {
  return gather(bytes, mimeType);
}

async function gather(bytes: Bytes, type: string): Promise<Blob> {
  if (bytes instanceof Blob) return bytes;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of readPieces(bytes)) pieces.push(new Uint8Array(piece));
  return new Blob(pieces, { type });
}

/** Maximum size for hashing: browsers can only hash data that is completely in memory. */
const maxHashedBytes = 256_000_000;

/**
 * Returns the SHA-256. Pages that came over plain HTTP from another machine cannot hash; their uploads are not
 * verified.
 */
async function hashOf(blob: Blob): Promise<string | undefined> {
  const { subtle }: { readonly subtle?: typeof crypto.subtle } = globalThis.crypto;
  if (subtle === undefined) return undefined;
  const hash = new Uint8Array(await subtle.digest("SHA-256", await blob.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function postOverFetch(
  connection: Connection,
  path: string,
  form: FormData,
  { method = "POST", signal, idempotencyKey }: SendOptions,
): Promise<unknown> {
  const abort = signal === undefined ? {} : { signal };
  const headers = idempotencyHeader(idempotencyKey);
  return readJson(await connection.request(path, { method, headers, body: form, ...abort }));
}

/** The part of XMLHttpRequest that is used here; its full type would require the DOM library in every project. */
interface Reporter {
  readonly upload: {
    addEventListener(
      type: "progress",
      listener: (event: { readonly loaded: number; readonly total: number }) => void,
    ): void;
  };
  readonly status: number;
  readonly statusText: string;
  readonly responseText: string;
  addEventListener(type: "load" | "error" | "abort", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
}

/** Returns XMLHttpRequest, the only way to learn the progress of an upload. */
function reporterClass(): (new () => Reporter) | undefined {
  const scope: object & { XMLHttpRequest?: new () => Reporter } = globalThis;
  return scope.XMLHttpRequest;
}

async function postReporting(
  request: Reporter,
  { server, credentials }: Connection,
  path: string,
  form: FormData,
  { method = "POST", signal, silenceMs, idempotencyKey, onSent, size }: SendOptions & { readonly size: number },
): Promise<unknown> {
  signal?.throwIfAborted();
  const stop = (): void => request.abort();
  signal?.addEventListener("abort", stop, { once: true });
  let silence = setTimeout(stop, silenceMs);
  try {
    await new Promise<void>((resolve, reject) => {
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        clearTimeout(silence);
        silence = setTimeout(stop, silenceMs);
        // The rest of the form counts as well.
        onSent(Math.max(0, loaded - (total - size)));
      });
      request.addEventListener("load", resolve);
      request.addEventListener("error", () => reject(unreachable(server, undefined)));
      request.addEventListener("abort", () => {
        const silent = new Error(`no answer within ${silenceMs / 1_000} seconds`);
        reject(signal?.aborted === true ? signal.reason : unreachable(server, silent));
      });
      request.open(method, addressAt(server, path).href);
      const headers = { ...credentials, ...idempotencyHeader(idempotencyKey) };
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.send(form);
    });
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", stop);
  }
  const { status, statusText, responseText: text } = request;
  return readAnswer({ status, statusText, text, header: (name) => request.getResponseHeader(name) });
}
