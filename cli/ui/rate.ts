/** Milliseconds over which the rate is taken: jumps of single files even out, a stall still shows. */
const windowMs = 10_000;
/** Below this the rate would be a guess. */
const minSpanMs = 1_000;

/** How fast an amount grows, from its samples of the last seconds. */
export function createRate(clock: () => number = Date.now): (amount: number) => number | undefined {
  const samples: { readonly at: number; readonly amount: number }[] = [];
  return (amount) => {
    const at = clock();
    // Until something happens there is no rate: what came before the beginning must not slow it down.
    if (samples[0]?.amount === amount && samples.length === 1) samples.length = 0;
    samples.push({ at, amount });
    // The oldest sample that is kept lies just outside of the window.
    while ((samples[1]?.at ?? at) < at - windowMs) samples.shift();
    const [first] = samples;
    if (first === undefined || at - first.at < minSpanMs) return undefined;
    return Math.max(0, ((amount - first.amount) / (at - first.at)) * 1000);
  };
}
