import { writeFile } from "node:fs/promises";
import { createDrs, DrsError } from "@drs/client";

const drs = createDrs({
  server: process.env["DRS_SERVER"] ?? "http://127.0.0.1:8420",
  apiKey: process.env["DRS_API_KEY"],
});
const [datasetId = "", cols = "1:3"] = process.argv.slice(2);

try {
  // Lists fetch the next page of entries when it is needed.
  for await (const item of drs.items.list(datasetId, { row: "jpg", cols, sort: ["col"] })) {
    const picture = await drs.download(item);
    await writeFile(`page-${item.col}.jpg`, await picture.bytes());
    console.log(`page-${item.col}.jpg`, picture.contentType);
  }
} catch (cause) {
  if (cause instanceof DrsError && cause.code === "not_found") console.log(`there is no dataset ${datasetId}`);
  else throw cause;
}
