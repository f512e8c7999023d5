import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildConsole } from "../console/build.ts";
import { carriedPackages, carry, noticesOf, noticesOfConsole, platformPackages } from "./build/bundle.ts";
import { type Manifest, nameOf, published, readManifest } from "./build/manifests.ts";

/**
 * `npm run build [-- FOLDER]`: builds packages to install or publish, in `dist/` or another folder: `drs-*.tgz`, which bundles the
 * service and the client, and `clients/drs-client-*.tgz` for programs. The compiler rewrites relative imports from `.ts` to `.js`.
 * Imports across packages have no extension; the `exports` of the built packages resolve them to `.js`.
 */
const target = process.argv[2] ?? "dist";
const drs = "dist/cli";
const server = `${drs}/node_modules/@drs/server`;
const client = "dist/clients/typescript";
const own = ["@drs/server", "@drs/client"];

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["--project", "tsconfig.build.json"], { stdio: "inherit" });

finish("clients/typescript", client, ["gen/openapi.json", "README.md"]);
mkdirSync(dirname(join(drs, "node_modules/@drs/client")), { recursive: true });
cpSync(client, join(drs, "node_modules/@drs/client"), { recursive: true });
renameSync("dist/server", server);
// npm considers packages that only a bundled package depends on as bundled, too, and installs an empty folder for them. To
// prevent that, `drs` itself depends on them.
const { optionalDependencies: ofService } = readManifest("server/package.json");
finish("server", server, [], (manifest) => ({ ...manifest, optionalDependencies: {} }));
// The pack that comes with drs, and the catalog of other packs.
for (const models of ["models/builtin", "models/ready"]) cpSync(models, join(server, models), { recursive: true });

mkdirSync(join(server, "console"));
for (const { name, bytes, gzip, brotli } of await buildConsole()) {
  const file = join(server, "console", name);
  writeFileSync(file, bytes);
  writeFileSync(`${file}.gz`, gzip);
  writeFileSync(`${file}.br`, brotli);
}

const carried = carriedPackages(["cli", "server", "clients/typescript"], own);
carry(carried, drs);
const shown = carriedPackages(["console", "clients/typescript"], own);
writeFileSync(join(drs, "THIRD-PARTY.txt"), `${noticesOf(carried)}${noticesOfConsole(shown)}`);
finish("cli", drs, ["bin/drs.js"], (manifest) => ({
  ...manifest,
  optionalDependencies: { ...manifest.optionalDependencies, ...ofService, ...platformPackages() },
  bundleDependencies: [...own, ...carried.filter((path) => path.lastIndexOf("node_modules/") === 0).map(nameOf)],
}));
cpSync("README.md", join(drs, "README.md"));

pack(drs, target);
// In its own folder, so that `drs-*.tgz` matches only the package to install.
pack(client, join(target, "clients"));

function pack(folder: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const words = ["pack", "--silent", "--pack-destination", to, `./${folder}`];
  console.log(`built ${join(to, execFileSync("npm", words, { encoding: "utf8" }).trim())}`);
}

/** Adds the manifest, the licence and files that are not compiled. */
function finish(
  from: string,
  to: string,
  files: readonly string[],
  changed: (manifest: Manifest) => Manifest = (manifest) => manifest,
): void {
  const manifest = changed(published(readManifest(join(from, "package.json"))));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync("LICENSE", join(to, "LICENSE"));
  for (const file of files) {
    if (existsSync(join(from, file))) cpSync(join(from, file), join(to, file), { recursive: true });
  }
}
