import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The pack that comes with drs, and where others are pulled from. */
const models = ["builtin", "ready"].map((name) => [`models/${name}`, `models/${name}`] as const);

/**
 * `npm run build`: publishable packages in `dist/`. Relative imports are rewritten from `.ts` to `.js` by the compiler;
 * across packages imports have no ending, and the `exports` of the built packages lead them to `.js`.
 */
const packages: readonly { from: string; to: string; assets: readonly (readonly [from: string, to: string])[] }[] = [
  {
    from: "clients/typescript",
    to: "dist/clients/typescript",
    assets: [["clients/typescript/gen/openapi.json", "gen/openapi.json"]],
  },
  { from: "server", to: "dist/server", assets: models },
  { from: "cli", to: "dist/cli", assets: [["cli/bin", "bin"]] },
];

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["--project", "tsconfig.build.json"], { stdio: "inherit" });

for (const { from, to, assets } of packages) {
  mkdirSync(to, { recursive: true });
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(built(manifest), undefined, 2)}\n`);
  for (const [source, target] of [...assets, ["LICENSE", "LICENSE"], [join(from, "README.md"), "README.md"]] as const) {
    if (existsSync(source)) cpSync(source, join(to, target), { recursive: true });
  }
  console.log(`built ${to}`);
}

function built(manifest: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...manifest };
  for (const field of ["exports", "imports"]) {
    const sources = manifest[field];
    if (typeof sources !== "object" || sources === null) continue;
    result[field] = Object.fromEntries(Object.entries(sources).flatMap(([name, target]) => builtExports(name, target)));
  }
  delete result["devDependencies"];
  return result;
}

function builtExports(name: string, target: unknown): [string, unknown][] {
  if (typeof target === "object" && target !== null) {
    const conditions = Object.entries(target).map(([condition, value]): [string, unknown] => [
      condition,
      compiled(value),
    ]);
    return [[name, Object.fromEntries(conditions)]];
  }
  return [[name, compiled(target)]];
}

function compiled(target: unknown): unknown {
  return typeof target === "string" ? target.replace(/\.ts$/, ".js") : target;
}
