/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The answer of a server to a scrape. */
export async function readSamples(server: string): Promise<readonly Sample[]> {
  return parseSamples(await (await fetch(`${server}/metrics`)).text());
}

/** How many pages the workers of a server have embedded, as they have told it until now. */
export async function countEmbedded(server: string): Promise<number> {
  return (await readSamples(server))
    .filter(({ name, labels }) => name === "drs_pages_total" && labels["stage"] === "embed")
    .reduce((sum, { value }) => sum + value, 0);
}

export function parseSamples(text: string): readonly Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value = ""]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text])),
    value: Number(value),
  }));
}
