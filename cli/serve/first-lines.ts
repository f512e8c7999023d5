/** A server that has just started. */
export interface Started {
  readonly url: string;
  /** The address that others use; undefined if it is `url`. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The file with the key for this machine; undefined if there is none. */
  readonly credentialsPath: string | undefined;
  readonly console: "on" | "off";
}

/** Addresses to listen on that a browser cannot always open. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

/**
 * Returns what `drs serve` prints once it listens: only the first line for a program, also the next steps for a person.
 */
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
      ? "  key      none here: it is on the machine of the first server with these stores; drs serve --new-key creates another"
      : `  key      in ${credentialsPath}; drs commands on this machine find it there`,
    "  next     drs upload FILE --vectorize, then: drs search WORDS",
    "  stop     Ctrl-C",
  ];
}
