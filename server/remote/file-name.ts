import { parse } from "content-disposition";
import { addressFileName } from "../domain/datasets/file-name.ts";
import { headerText } from "./header-text.ts";

/**
 * The name of a remote file: from `Content-Disposition` (RFC 6266), else from the last URL on the way that has a
 * name with an extension, because redirects often lead to a number. Empty if there is none. Not cleaned.
 */
export function remoteFileName(contentDisposition: string | undefined, way: readonly URL[]): string {
  const { parameters } = parse(headerText(contentDisposition ?? ""));
  const names = way.map(addressFileName);
  return parameters["filename"] || (names.findLast((name) => /.\.[a-z0-9]{1,5}$/i.test(name)) ?? names.at(-1) ?? "");
}
