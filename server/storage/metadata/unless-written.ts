import type { Engine } from "./engine.ts";

/** Maximum number of cached answers to one kind of query: enough for a few hundred callers. */
const maxAnswers = 1_000;

type Versioned = Pick<Engine, "version">;

/**
 * Caches the answers to a query until the next write by any process, if the database reports writes. Use it for short,
 * frequent queries.
 */
export function unlessWritten<Question extends readonly unknown[], Answer>(
  engine: Versioned,
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  const answers = answersOf<Promise<Answer>>(engine);
  return (...question) => {
    const key = JSON.stringify(question);
    const known = answers();
    const found = known?.get(key);
    if (found !== undefined) return found;
    const asked = ask(...question);
    known?.set(key, asked);
    asked.catch(() => known?.delete(key));
    return asked;
  };
}

/**
 * Caches whether an event has happened since a time (ms). If none has happened since an earlier time, the database is
 * not queried again before the next write.
 */
export function eventUnlessWritten<Key extends string>(
  engine: Versioned,
  ask: (key: Key, since: number) => Promise<boolean>,
): (key: Key, since: number) => Promise<boolean> {
  const quietSince = answersOf<number>(engine);
  return async (key, since) => {
    const known = quietSince();
    if (since >= (known?.get(key) ?? Infinity)) return false;
    const hasHappened = await ask(key, since);
    if (!hasHappened) known?.set(key, since);
    return hasHappened;
  };
}

/**
 * Returns the cached answers for the current version of the database, or undefined if it does not report its version.
 * When the version changes, the answers to queries in flight go to the previous map, which nobody reads any more.
 */
function answersOf<Answer>(engine: Versioned): () => Map<string, Answer> | undefined {
  let answers = new Map<string, Answer>();
  let versionOfAnswers: string | undefined;
  return () => {
    const version = engine.version();
    if (version === undefined) return undefined;
    if (version !== versionOfAnswers || answers.size >= maxAnswers) answers = new Map();
    versionOfAnswers = version;
    return answers;
  };
}
