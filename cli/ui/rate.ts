/** Time over which the rate is measured, milliseconds: single files even out, but a stall still shows. */
const windowMs = 10_000;
/** With less time, the rate would be a guess. */
const minSpanMs = 1_000;

/** Creates a function that measures how fast an amount grows, from samples of the last seconds. */
export function createRate(clock: () => number = Date.now): (amount: number) => number | undefined {
  const samples: { readonly at: number; readonly amount: number }[] = [];
  return (amount) => {
    const at = clock();
    // There is no rate until something happens, so that the time before the start does not slow it down.
    if (samples[0]?.amount === amount && samples.length === 1) samples.length = 0;
    samples.push({ at, amount });
    // The oldest sample that is kept is just outside of the window.
    while ((samples[1]?.at ?? at) < at - windowMs) samples.shift();
    const [first] = samples;
    if (first === undefined || at - first.at < minSpanMs) return undefined;
    return Math.max(0, ((amount - first.amount) / (at - first.at)) * 1000);
  };
}
