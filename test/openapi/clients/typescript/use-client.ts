// Uploads a document, waits for it, lists its pages, searches it and fetches a page, with the generated client.
// Arguments: the address of the server, an API key, a PDF, a query. Prints what it got as JSON.
import { readFile } from "node:fs/promises";
import { getDataset, getJob, listItems, readShare, search, vectorize, watchJob } from "./generated/index.js";
import { client } from "./generated/client.gen.js";

const [server = "", apiKey = "", path = "", query = ""] = process.argv.slice(2);
client.setConfig({ baseUrl: server, auth: apiKey, throwOnError: true });

const file = new File([await readFile(path)], "report.pdf");
const accepted = await vectorize({ body: { file }, throwOnError: true });
const { id, datasetId } = accepted.data.data;

// The stream of events ends with the job.
const states: string[] = [];
const { stream } = await watchJob({ path: { id } });
for await (const event of stream) states.push(JSON.stringify(event));
const job = await getJob({ path: { id }, throwOnError: true });
if (job.data.data.status !== "SUCCESS" || !states.at(-1)?.includes('"SUCCESS"')) throw new Error(states.join("\n"));

const dataset = await getDataset({ path: { id: datasetId }, throwOnError: true });
const items = await listItems({
  path: { dataset_id: datasetId },
  query: { row: "jpg", sort: ["col"], cols: ["1:2", "3"] },
  throwOnError: true,
});

const found = await search({ body: { query, limit: 1 }, throwOnError: true });
const [page] = found.data.data;
if (page === undefined) throw new Error("no page found");

// A share link needs no key.
const { token } = page.share;
const share = await readShare({ path: { id: page.id }, query: { token }, parseAs: "blob", throwOnError: true });
const picture: unknown = share.data;
if (!(picture instanceof Blob)) throw new Error("a picture is no JSON");

console.log(
  JSON.stringify({
    fileName: dataset.data.data.fileName,
    pages: items.data.data.map(({ col }) => col),
    found: page.col,
    picture: Buffer.from(await picture.slice(0, 3).arrayBuffer()).toString("hex"),
  }),
);
