import { openAsBlob } from "node:fs";
import { join } from "node:path";
import { writeLargePdf } from "../../test/fixtures/large-pdf.ts";
import type { Service } from "../service/service.ts";

const documentMb = 32;

/** Uploads a document that exceeds all socket buffers. Returns its share link. */
export async function uploadLarge(folder: string, { url, apiKey }: Service): Promise<string> {
  const path = join(folder, "large.pdf");
  await writeLargePdf(path, documentMb * 2 ** 20);
  const form = new FormData();
  form.set("file", await openAsBlob(path), "large.pdf");
  const headers = { "x-api-key": apiKey };
  await (await fetch(`${url}/v1/extract`, { method: "POST", headers, body: form })).text();
  const link = /"url":"([^"]+)"/.exec(await (await fetch(`${url}/v1/datasets`, { headers })).text())?.[1];
  if (link === undefined) throw new Error("the large document was not taken");
  return link;
}
