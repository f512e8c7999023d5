import type { Connection, RequestOptions } from "../connection.ts";
import { DrsError } from "../errors.ts";
import type { Share } from "./share.ts";

/** The target of a share link. The body can be read once. */
export interface Download {
  readonly contentType: string;
  /** The file name that the service suggests, never a path; undefined if it does not. */
  readonly fileName: string | undefined;
  /** Size in bytes; undefined if the service did not announce it. */
  readonly size: number | undefined;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
}

/** Anything with a share link, the link itself, or its address. */
export type Downloadable = string | Share | { readonly share: Share };

/** Opens a share link. Throws `DrsError`: `permission_denied` once the link has expired. */
export async function download(
  connection: Connection,
  shared: Downloadable,
  { signal }: RequestOptions = {},
): Promise<Download> {
  const url = typeof shared === "string" ? shared : "share" in shared ? shared.share.url : shared.url;
  const response = await connection.request(url, { withKey: false, ...(signal === undefined ? {} : { signal }) });
  const { body, headers } = response;
  if (body === null)
    throw new DrsError({ code: "internal", message: `${new URL(url).origin} answered without a body` });
  const size = headers.get("content-length");
  return {
    contentType: headers.get("content-type") ?? "application/octet-stream",
    fileName: fileNameOf(headers.get("content-disposition") ?? ""),
    size: size === null ? undefined : Number(size),
    body,
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    blob: () => response.blob(),
  };
}

/**
 * Reads the file name according to RFC 6266: `filename*` (RFC 8187) takes precedence over `filename`. Folders in the
 * name are dropped.
 */
function fileNameOf(disposition: string): string | undefined {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const name =
    (extended === undefined ? undefined : decode(extended)) ?? plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2];
  return name?.split(/[/\\]/).at(-1) || undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
