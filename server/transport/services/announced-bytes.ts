import type { HandlerContext } from "@connectrpc/connect";

/** More than everything besides the file in a form that uploads a document: delimiters, heads, a name, an address. */
const formBytes = 64 * 1024;

/**
 * How many bytes the file of a request has at least, as its head says before any of it has come; 0 where it does not
 * say. Only of forms: what other protocols send may be compressed or written as text.
 */
export function announcedBytes({ requestHeader }: Pick<HandlerContext, "requestHeader">): number {
  const isForm = /^multipart\/form-data\b/i.test(requestHeader.get("content-type") ?? "");
  const length = Number(requestHeader.get("content-length") ?? "");
  return isForm && Number.isSafeInteger(length) ? Math.max(0, length - formBytes) : 0;
}
