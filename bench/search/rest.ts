import { between } from "../measuring/random.ts";
import type { Service } from "../service/service.ts";
import { limit, type Scope, scopes, wordsPerQuestion, type World } from "./world.ts";

/** Searches in each scope. */
export const searches = 100;
/** Searches that load the pack and the tables. */
const warmUps = 10;

/** Returns the milliseconds of each search, from the request to the last byte of its answer. */
export async function measureRest(world: World, service: Service): Promise<Record<Scope, readonly number[]>> {
  const times: Record<Scope, number[]> = { workspace: [], "one dataset": [] };
  // The scopes alternate, so that neither profits from a quieter machine.
  for (let index = 0; index < warmUps + searches; index++) {
    for (const scope of scopes) {
      const time = await searchOnce(world, service, scope);
      if (index >= warmUps) times[scope].push(time);
    }
  }
  return times;
}

/** Searches once. Returns the milliseconds from the request to the last byte of the answer. */
export async function searchOnce(
  { words, datasets, random }: World,
  { url, apiKey }: Service,
  scope: Scope,
): Promise<number> {
  const query = words.question(wordsPerQuestion).join(" ");
  const dataset = datasets[between(random, 0, datasets.length - 1)] ?? "";
  const datasetIds = scope === "workspace" ? undefined : [dataset];
  // Results are vectors, because pictures would be rendered ahead, and there are no documents to render.
  const body = JSON.stringify({ query, datasetIds, limit, row: "embedding_image" });
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const since = performance.now();
  const answer = await fetch(`${url}/v1/search`, { method: "POST", headers, body });
  const text = await answer.text();
  const time = performance.now() - since;
  const { total = 0 }: { total?: number } = JSON.parse(text);
  if (total !== limit) throw new Error(`a search found ${total} pages: ${answer.status} ${text}`);
  return time;
}

/** Asks a question over REST. Returns the milliseconds from the request to the last byte of the answer. */
export async function ask({ url, apiKey }: Service, query: string): Promise<number> {
  const since = performance.now();
  // Results are vectors, because pictures would be rendered ahead.
  const answer = await fetch(`${url}/v1/search`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ query, limit, row: "embedding_image" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a search was answered with ${answer.status} ${text}`);
  return performance.now() - since;
}

/** Asks one question after another until the work is done. Returns the milliseconds of each. Throws the error of the work. */
export async function askWhile(
  service: Service,
  question: (index: number) => string,
  work: Promise<unknown>,
): Promise<readonly number[]> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  // The work is awaited below, but may fail earlier: without this handler, that would end the process.
  done.catch(() => undefined);
  const times: number[] = [];
  while (!state.isDone) times.push(await ask(service, question(times.length)));
  await done;
  return times;
}
