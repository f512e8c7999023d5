import type { Engine } from "./engine.ts";

/** Answers to one kind of question that are kept: of some hundred callers. */
const maxAnswers = 1_000;

type Versioned = Pick<Engine, "version">;

/**
 * The same question, which is not asked again before the next write, of whichever process, where the database can tell. It is for
 * what is short and asked often.
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

/** Whether something has happened since a time, ms. Where nothing has since an earlier one, it is not asked before the next write. */
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
 * The answers as of the version that the database has now; undefined where it does not tell. Those to questions that are under
 * way when it changes go to where nobody looks any more.
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
