import type { Domain } from "../domain/domain.ts";
import type { DatasetId, WorkspaceId } from "../domain/ids.ts";
import { noMeter } from "../domain/ports/meter.ts";
import { noTracing } from "../domain/ports/tracing.ts";
import type { PageHit } from "../domain/ports/vectors.ts";
import { rankInPacks } from "./rank.ts";

/** Text that most documents have, whatever their language. */
const firstText = "page 1";
/** Number of questions after which further ones get no faster. */
const questions = 5;
/** Number of words per question; most questions that people ask have fewer. */
const wordsPerQuestion = 6;
/** The same values as in the console: results per search, and the width of their pictures in pixels. */
const limit = 24;
const pictureWidth = 512;

/**
 * Runs a few searches, so that the first search of a user need not load the model, open the index, read its lists and run code
 * that is not yet compiled. Each question has words of a page that the previous question has found, so that they are in the
 * language of the documents. That page is also rendered, to warm up the worker. The searches run in the operator's first
 * workspace with vectors, if there is one. These searches do not count in the metrics of searches, and do not wait in the search
 * queue.
 */
export async function warmUpSearch(domain: Domain, signal: AbortSignal): Promise<void> {
  const { metadata } = domain;
  const organisation = await metadata.organisations.operator();
  if (organisation === undefined) return;
  for (const { id: workspaceId } of await metadata.workspaces.list(organisation.id)) {
    signal.throwIfAborted();
    if ((await metadata.packs.inWorkspace(workspaceId)).length === 0) continue;
    await ask({ ...domain, meter: noMeter, tracing: noTracing }, workspaceId, signal);
    return;
  }
}

async function ask(domain: Domain, workspaceId: WorkspaceId, signal: AbortSignal): Promise<void> {
  const scope = { workspaceId, datasetIds: undefined, limit };
  const seen = new Set<DatasetId>();
  let text = firstText;
  for (let asked = 0; asked < questions && text !== ""; asked++) {
    const hits = await rankInPacks(domain, { query: { text }, scope, signal });
    // Prefers another document, so that the questions differ.
    const others = hits.filter(({ datasetId }) => !seen.has(datasetId));
    const hit = anyOf(others.length > 0 ? others : hits);
    if (hit === undefined) return;
    seen.add(hit.datasetId);
    await draw(domain, hit, signal);
    text = await wordsOf(domain, hit);
  }
}

/** Picks a random hit, because the rendition of a page that was rendered before is stored, and the renderer would stay cold. */
const anyOf = (hits: readonly PageHit[]): PageHit | undefined => hits[Math.floor(Math.random() * hits.length)];

/** Renders a page. A failure is ignored, since it is reported when a user requests the page. */
async function draw({ worker }: Domain, { datasetId, page }: PageHit, signal: AbortSignal): Promise<void> {
  await worker
    .render({ datasetId, page, row: "jpg", width: pictureWidth }, signal)
    .catch(() => signal.throwIfAborted());
}

/** Returns words of the page; empty if it has none. */
async function wordsOf({ metadata }: Domain, { datasetId, page }: PageHit): Promise<string> {
  const words = (await metadata.pages.words(datasetId, [page])).get(page) ?? "";
  return words.split(/\s+/, wordsPerQuestion).join(" ");
}
