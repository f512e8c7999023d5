/** Lets any number of `shared` tasks run at once, and an `exclusive` one alone; they take turns as they came. */
export interface Gate {
  shared<Result>(task: () => Promise<Result>): Promise<Result>;
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createGate(): Gate {
  let running = 0;
  let alone = false;
  const waiting: { readonly exclusive: boolean; readonly start: () => void }[] = [];

  function admit(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (alone || (next.exclusive && running > 0)) return;
      waiting.shift();
      running += 1;
      alone = next.exclusive;
      next.start();
    }
  }

  async function run<Result>(exclusive: boolean, task: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      waiting.push({ exclusive, start });
      admit();
    });
    try {
      return await task();
    } finally {
      running -= 1;
      alone = false;
      admit();
    }
  }

  return { shared: (task) => run(false, task), exclusive: (task) => run(true, task) };
}
