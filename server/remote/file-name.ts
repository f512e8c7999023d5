import { parse } from "content-disposition";
import { addressFileName } from "../domain/datasets/file-name.ts";
import { headerText } from "./header-text.ts";

/**
 * What a file is called: as `Content-Disposition` says (RFC 6266), else as the last address on the way that has a name
 * with an ending, because what addresses redirect to is often a number. Empty if nothing names it. Not cleaned.
 */
export function remoteFileName(contentDisposition: string | undefined, way: readonly URL[]): string {
  const { parameters } = parse(headerText(contentDisposition ?? ""));
  const names = way.map(addressFileName);
  return parameters["filename"] || (names.findLast((name) => /.\.[a-z0-9]{1,5}$/i.test(name)) ?? names.at(-1) ?? "");
}
