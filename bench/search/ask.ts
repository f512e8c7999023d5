import type { Service } from "../service/service.ts";

const limit = 10;

/** Asks a question over REST; milliseconds from the request to the last byte of the answer. */
export async function ask({ url, apiKey }: Service, query: string): Promise<number> {
  const since = performance.now();
  // Vectors as results: pictures of the first ones would be made ahead.
  const answer = await fetch(`${url}/v1/search`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ query, limit, row: "embedding_image" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a search was answered with ${answer.status} ${text}`);
  return performance.now() - since;
}

/** Asks one question after another until the work is done; milliseconds of each. Throws what the work throws. */
export async function askWhile(
  service: Service,
  question: (index: number) => string,
  work: Promise<unknown>,
): Promise<readonly number[]> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  // It is awaited below, and may fail before.
  done.catch(() => undefined);
  const times: number[] = [];
  while (!state.isDone) times.push(await ask(service, question(times.length)));
  await done;
  return times;
}
