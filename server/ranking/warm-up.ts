import type { Domain } from "../domain/domain.ts";
import type { DatasetId, WorkspaceId } from "../domain/ids.ts";
import { noMeter } from "../domain/ports/meter.ts";
import { noTracing } from "../domain/ports/tracing.ts";
import type { PageHit } from "../domain/ports/vectors.ts";
import { rankInPacks } from "./rank-in-packs.ts";

/** Words that most documents have, in no language in particular. */
const firstText = "page 1";
/** The next one takes as long as those after it. */
const questions = 5;
/** Of a question; most that people ask have fewer. */
const wordsPerQuestion = 6;
/** As the console asks: pages of an answer, and pixels of their pictures. */
const limit = 24;
const pictureWidth = 512;

/**
 * Asks the index a few times, so that the first search need not load the model, open the index, read its lists and run what
 * was never compiled. Each question has words of a page that the one before has found, which are of the language of the documents,
 * and that page is drawn, so that the worker has drawn as well. In the first workspace of those who run the service that has
 * vectors; nothing where none has. It is not among the figures of searches, and takes no turn of them.
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
    // Of another document, so that the questions are of different kinds, where there is one.
    const others = hits.filter(({ datasetId }) => !seen.has(datasetId));
    const hit = anyOf(others.length > 0 ? others : hits);
    if (hit === undefined) return;
    seen.add(hit.datasetId);
    await draw(domain, hit, signal);
    text = await wordsOf(domain, hit);
  }
}

/** Not always the same: a page that was drawn before is kept, and what draws would stay cold. */
const anyOf = (hits: readonly PageHit[]): PageHit | undefined => hits[Math.floor(Math.random() * hits.length)];

/** A page that cannot be drawn says so when it is asked for. */
async function draw({ worker }: Domain, { datasetId, page }: PageHit, signal: AbortSignal): Promise<void> {
  await worker
    .render({ datasetId, page, row: "jpg", width: pictureWidth }, signal)
    .catch(() => signal.throwIfAborted());
}

/** Words of the page; empty if it has none. */
async function wordsOf({ metadata }: Domain, { datasetId, page }: PageHit): Promise<string> {
  const words = (await metadata.pages.words(datasetId, [page])).get(page) ?? "";
  return words.split(/\s+/, wordsPerQuestion).join(" ");
}
