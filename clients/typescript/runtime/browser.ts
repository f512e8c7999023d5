import type { Connection } from "../connection.ts";
import { errorFromResponse, unreachable } from "../errors.ts";
import type { Document, Runtime, SendOptions } from "../upload/form.ts";

/**
 * Browsers send streams over HTTP/2 with TLS only, but take the bytes of a File from disk by themselves when it is part
 * of a form.
 */
export const runtime: Runtime = {
  async openPath(path) {
    throw new TypeError(`cannot open "${path}": there are no paths in a browser; pass a File, a Blob or bytes`);
  },

  async sendForm(connection, path, { fields, file }, options) {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    form.append("file", await asBlob(file), file.fileName);
    // Only XMLHttpRequest tells how far an upload has come.
    const Reporter =
      options.onProgress === undefined || connection.customFetch !== undefined ? undefined : progressReporter();
    const response =
      Reporter === undefined
        ? await connection.request(path, {
            method: "POST",
            body: form,
            ...(options.signal === undefined ? {} : { signal: options.signal }),
          })
        : await sendReporting(new Reporter(), connection, path, form, options);
    options.onProgress?.({ sentBytes: file.size ?? 0, totalBytes: file.size });
    return response.json();
  },
};

async function asBlob({ content, mimeType }: Document): Promise<Blob> {
  if (content instanceof Blob) return content;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of content) pieces.push(new Uint8Array(piece));
  return new Blob(pieces, { type: mimeType });
}

/** The part of XMLHttpRequest that is used here; its full type would need the DOM library in every project. */
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

function progressReporter(): (new () => Reporter) | undefined {
  const scope: object & { XMLHttpRequest?: new () => Reporter } = globalThis;
  return scope.XMLHttpRequest;
}

async function sendReporting(
  request: Reporter,
  { server, apiKey }: Connection,
  path: string,
  form: FormData,
  { signal, onProgress }: SendOptions,
): Promise<Response> {
  const stop = (): void => request.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const response = await new Promise<Response>((resolve, reject) => {
      request.upload.addEventListener("progress", ({ loaded, total }) =>
        onProgress?.({ sentBytes: loaded, totalBytes: total }),
      );
      request.addEventListener("error", () => reject(unreachable(server, undefined)));
      request.addEventListener("abort", () => reject(signal?.reason));
      request.addEventListener("load", () => resolve(responseOf(request)));
      request.open("POST", new URL(path, `${server}/`).href);
      if (apiKey !== undefined) request.setRequestHeader("x-api-key", apiKey);
      request.send(form);
    });
    if (!response.ok) throw await errorFromResponse(response);
    return response;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function responseOf(request: Reporter): Response {
  const { status, statusText, responseText } = request;
  const requestId = request.getResponseHeader("x-request-id");
  return new Response(responseText, {
    status,
    statusText,
    headers: requestId === null ? {} : { "x-request-id": requestId },
  });
}
