import type { Service } from "../service/service.ts";

const limit = 10;

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
  // It is awaited below, but may fail earlier.
  done.catch(() => undefined);
  const times: number[] = [];
  while (!state.isDone) times.push(await ask(service, question(times.length)));
  await done;
  return times;
}
