/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a server answers to a scrape. */
export async function readSamples(server: string): Promise<readonly Sample[]> {
  return parseSamples(await (await fetch(`${server}/metrics`)).text());
}

export function parseSamples(text: string): readonly Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value = ""]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text])),
    value: Number(value),
  }));
}
