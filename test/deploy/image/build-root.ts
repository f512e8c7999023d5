import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { argumentsOf, parseDockerfile, type Stage } from "./dockerfile.ts";

/**
 * `node build-root.ts FOLDER`, as root: makes the file system of the image in `FOLDER/root` by the steps of the Dockerfile, where
 * there is no container engine. In place of the base image are a Debian by debootstrap and the Node and npm of this machine; the
 * first stage runs beside them, on a copy of the working tree. The second one runs in the new root, with the names and the
 * certificates of this machine. The packages that the first stage has made stay in `FOLDER/packages`.
 */
const repository = fileURLToPath(new URL("../../..", import.meta.url));
const [folder = ""] = process.argv.slice(2);
const root = join(folder, "root");
const source = join(folder, "src");

const [build, image] = parseDockerfile(readFileSync(join(repository, "deploy/image/Dockerfile"), "utf8"));
if (build === undefined || image === undefined) throw new Error("the Dockerfile has two stages");
makeBase(image);
runBuild(build);
for (const { name, rest } of image.instructions) if (name === "RUN") runInRoot(rest, argumentsOf(image));
keepPackages();
rmSync(source, { recursive: true });

function run(program: string, words: readonly string[], cwd = repository, env = process.env): void {
  execFileSync(program, words, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
}

function makeBase({ base }: Stage): void {
  const [, major, release = ""] = /^node:(\d+)-(\w+)-slim$/.exec(base) ?? [];
  if (major !== process.versions.node.split(".")[0])
    throw new Error(`${base} has another Node than ${process.version}`);
  run("debootstrap", ["--variant=minbase", release, root]);
  const local = join(root, "usr/local");
  cpSync(process.execPath, join(local, "bin/node"), { dereference: true });
  // The program is `bin/npm-cli.js` of the package.
  const npm = realpathSync(execFileSync("/bin/sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  cpSync(dirname(dirname(npm)), join(local, "lib/node_modules/npm"), { recursive: true, dereference: true });
  run("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm")]);
}

/** With the packages that are installed here, by hard links: npm replaces files and changes none. */
function runBuild({ instructions }: Stage): void {
  mkdirSync(source);
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  }).split("\0");
  for (const file of files.filter((each) => each !== "")) {
    cpSync(join(repository, file), join(source, file), { recursive: true });
  }
  // The folder may be on another file system.
  const link = 'cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2"; cp -a "$1" "$2"; }';
  run("/bin/sh", ["-c", link, "sh", "node_modules", join(source, "node_modules")]);
  rmSync(join(source, "node_modules/.package-lock.json"), { force: true });
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
  for (const { name, rest } of instructions) if (name === "RUN") run("/bin/sh", ["-c", rest], source, env);
}

function keepPackages(): void {
  const built = join(source, "dist");
  for (const name of globSync(["*.tgz", "clients/*.tgz"], { cwd: built })) {
    const kept = join(folder, "packages", name);
    mkdirSync(dirname(kept), { recursive: true });
    renameSync(join(built, name), kept);
  }
}

function runInRoot(line: string, given: Readonly<Record<string, string>>): void {
  const [, target = "", command = ""] =
    /^--mount=type=bind,from=build,source=\/src,target=(\S+) (.*)$/.exec(line) ?? [];
  const authority = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
  const registry = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    ...given,
    DEBIAN_FRONTEND: "noninteractive",
    NPM_CONFIG_REGISTRY: registry.trim(),
    ...(authority !== "" && { NODE_EXTRA_CA_CERTS: "/run/authority.crt", NPM_CONFIG_CAFILE: "/run/authority.crt" }),
  };
  const words = [
    "env",
    "-i",
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    "/bin/sh",
    "-c",
    command,
  ];
  const script = join(import.meta.dirname, "in-root.sh");
  run("unshare", ["--mount", "--propagation", "private", script, root, source, target, authority, ...words]);
}
