import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundle, platformPackages } from "./build/bundle.ts";
import { fromRegistry } from "./build/contents.ts";
import { type Manifest, partition, published, readManifest } from "./build/manifests.ts";

/**
 * `npm run build [-- FOLDER]`: packages to install or publish, as `dist/*.tgz` or in another folder: `drs`, which carries the service and the client, and
 * `@drs/client` for programs. Relative imports are rewritten from `.ts` to `.js` by the compiler; across packages imports
 * have no ending, and the `exports` of the built packages lead them to `.js`.
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
// npm takes what only a carried package asks for as carried too, and installs an empty folder. So `drs` asks for it.
const service = partition(readManifest("server/package.json").dependencies, (name) => fromRegistry.includes(name));
finish("server", server, [], (manifest) => ({ ...manifest, dependencies: service.others }));
// The pack that comes with drs, and where others are pulled from.
for (const models of ["models/builtin", "models/ready"]) cpSync(models, join(server, models), { recursive: true });

const carried = bundle(["cli", "server", "clients/typescript"], own, drs);
finish("cli", drs, ["bin/drs.js"], (manifest) => ({
  ...manifest,
  dependencies: { ...manifest.dependencies, ...service.chosen },
  optionalDependencies: { ...manifest.optionalDependencies, ...platformPackages() },
  bundleDependencies: [...own, ...carried],
}));
cpSync("README.md", join(drs, "README.md"));

const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", target, `./${drs}`, `./${client}`], {
  encoding: "utf8",
});
for (const file of packed.trim().split("\n")) console.log(`built ${join(target, file)}`);

/** Manifest, licence and the files that are not compiled. */
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
