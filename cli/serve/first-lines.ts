/** A server that has just started. */
export interface Started {
  readonly url: string;
  /** Where others reach it; undefined: by `url`. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The file with the key for this machine. */
  readonly credentialsPath: string;
}

/** What `drs serve` says when it listens: to a program the first line alone, to a person what comes next as well. */
export function firstLines({ url, publicUrl, dataDir, credentialsPath }: Started, toPerson: boolean): string[] {
  const listening = `drs listening on ${url}`;
  if (!toPerson) return [listening];
  return [
    listening,
    ...(publicUrl === undefined ? [] : [`  links    begin with ${publicUrl}`]),
    `  API      ${url}/docs`,
    `  data     ${dataDir}`,
    `  key      in ${credentialsPath}; drs commands on this machine find it there`,
    "  next     drs upload FILE --vectorize, then: drs search WORDS",
    "  stop     Ctrl-C",
  ];
}
