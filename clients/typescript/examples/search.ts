import { createDrs } from "@drs/client";

const drs = createDrs({
  server: process.env["DRS_SERVER"] ?? "http://127.0.0.1:8420",
  apiKey: process.env["DRS_API_KEY"],
});
const [path = "report.pdf", question = "what was decided?"] = process.argv.slice(2);

const { id, datasetId } = await drs.datasets.upload(path, { vectorize: true });
const job = await drs.jobs.wait(id, {
  onUpdate: ({ progress }) => console.error(progress.stage, `${progress.pagesDone} of ${progress.pagesTotal}`),
});
if (job.status === "ERROR") throw new Error(job.statusText ?? "the job failed");

for (const page of await drs.search(question, { datasetIds: [datasetId], limit: 3 })) {
  console.log(page.score.toFixed(2), `page ${page.col}`, page.share.url);
}
