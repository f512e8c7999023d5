/** An instruction of a Dockerfile, on one line. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  /** The image that it begins with. */
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The settings of the last stage for running the image. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  /** `UID:GID` */
  readonly user: string;
  readonly volume: string;
  readonly stopSignal: string;
  readonly healthCheck: readonly string[];
  /** Entry point and command. */
  readonly command: readonly string[];
}

/** The stages of a Dockerfile as this repository writes them. Throws for instructions that are not known here. */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines.filter((each) => each.trim() !== "")) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (!known.has(name)) throw new Error(`this line of the Dockerfile is not understood: ${line}`);
    if (name !== "FROM") stages.at(-1)?.instructions.push({ name, rest });
    else {
      const [, base = "", as] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ base, name: as, instructions: [] });
    }
  }
  return stages;
}

const known: ReadonlySet<string> = new Set(
  "FROM WORKDIR COPY RUN ARG ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split(" "),
);

/** The arguments of a build, as they are if nothing is given for them. */
export function argumentsOf({ instructions }: Stage): Readonly<Record<string, string>> {
  const found = instructions
    .filter(({ name }) => name === "ARG")
    .map(({ rest }) => /^(\w+)="(.*)"$/.exec(rest) ?? [rest]);
  return Object.fromEntries(found.map(([whole, name = whole, value = ""]) => [name, value]));
}

/** The `PATH` of the base image. */
const basePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function settingsOf({ instructions }: Stage): ImageSettings {
  const one = (name: string): string => {
    const [found, ...others] = instructions.filter((each) => each.name === name);
    if (found === undefined || others.length > 0) throw new Error(`the last stage has no ${name}, or several`);
    return found.rest;
  };
  const env: Record<string, string> = { PATH: basePath };
  for (const [, name = "", value = ""] of one("ENV").matchAll(/(\w+)=(\S+)/g)) {
    env[name] = value.replaceAll("$PATH", basePath);
  }
  const [, check = ""] = / CMD (\[.*)$/.exec(one("HEALTHCHECK")) ?? [];
  return {
    env,
    user: one("USER"),
    volume: one("VOLUME"),
    stopSignal: one("STOPSIGNAL"),
    healthCheck: JSON.parse(check),
    command: [...JSON.parse(one("ENTRYPOINT")), ...JSON.parse(one("CMD"))],
  };
}
