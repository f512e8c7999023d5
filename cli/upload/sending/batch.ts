/** Combines concurrent requests into one; each gets its own answer. */
export function batched<Answer>(
  limit: number,
  ask: (keys: readonly string[]) => Promise<(key: string) => Answer>,
): (key: string) => Promise<Answer> {
  interface Question {
    readonly key: string;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (cause: unknown) => void;
  }
  const waiting: Question[] = [];
  let asking = false;
  const askAll = async (): Promise<void> => {
    asking = true;
    // While one request is running the next ones gather, so no request waits for a full batch.
    while (waiting.length > 0) {
      const batch = waiting.splice(0, limit);
      try {
        const answerTo = await ask(batch.map(({ key }) => key));
        for (const { key, resolve } of batch) resolve(answerTo(key));
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    asking = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!asking) void askAll();
    });
}
