/** Runs a limited number of tasks at a time; the others wait in their order of arrival. */
interface Slots {
  /** Runs `work` as soon as a slot is free. Throws the signal's reason if the signal fires before that. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];

  async function take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const giveUp = (): void => {
      const index = waiting.indexOf(turn.resolve);
      if (index >= 0) waiting.splice(index, 1);
      turn.reject(signal.reason);
    };
    waiting.push(turn.resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  function giveBack(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async run(work, signal) {
      await take(signal);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
