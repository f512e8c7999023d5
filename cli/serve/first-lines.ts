/** A server that has just started. */
export interface Started {
  readonly url: string;
  /** Where others reach it; undefined: by `url`. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The file with the key for this machine; undefined: it has none. */
  readonly credentialsPath: string | undefined;
  readonly console: "on" | "off";
}

/** Listened on, but nothing that a browser could open everywhere. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

/** What `drs serve` says when it listens: to a program the first line alone, to a person what comes next as well. */
export function firstLines(started: Started, toPerson: boolean): string[] {
  const { url, publicUrl, dataDir, credentialsPath } = started;
  const listening = `drs listening on ${url}`;
  if (!toPerson) return [listening];
  const isEvery = everyAddress.has(new URL(url).hostname);
  const here = isEvery ? `http://localhost:${new URL(url).port}` : url;
  return [
    isEvery ? `${listening}, which is every address of this machine` : listening,
    ...(publicUrl === undefined ? [] : [`  links    begin with ${publicUrl}`]),
    ...(started.console === "on" ? [`  console  ${here}; drs open opens it signed in`] : []),
    `  API      ${here}/docs`,
    `  data     ${dataDir}`,
    credentialsPath === undefined
      ? "  key      none here: it is where the first server on these stores started; drs serve --new-key makes another"
      : `  key      in ${credentialsPath}; drs commands on this machine find it there`,
    "  next     drs upload FILE --vectorize, then: drs search WORDS",
    "  stop     Ctrl-C",
  ];
}
