import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { carriedPackages, platformPackages } from "./bundle.ts";

const carried = carriedPackages(["cli", "server", "clients/typescript"], ["@drs/server", "@drs/client"]);

test("bundled packages have no scripts, are not for one platform, and are used", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const ofOnePlatform = carried.filter((path) => packages[path].cpu !== undefined);
  // LanceDB lists the platforms that it has packages for.
  expect(ofOnePlatform).toEqual(["node_modules/@lancedb/lancedb"]);
  const scripted = carried.filter((path) => packages[path].hasInstallScript === true);
  // Its script is left out.
  expect(scripted).toEqual(["node_modules/onnxruntime-node"]);
  expect(carried).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/transformers|openai|scarf|adm-zip|@types/)]),
  );
});

test("machine code is bundled for the platforms of onnxruntime, and not for musl", () => {
  const names = Object.keys(platformPackages());
  expect(names).toEqual(
    expect.arrayContaining([
      "@lancedb/lancedb-linux-x64-gnu",
      "@lancedb/lancedb-darwin-arm64",
      "@napi-rs/canvas-linux-arm64-gnu",
      "@napi-rs/canvas-win32-x64-msvc",
      "@img/sharp-linux-x64",
      "@img/sharp-libvips-linux-x64",
    ]),
  );
  expect(names.filter((name) => /musl|wasm|riscv/.test(name))).toEqual([]);
});

test("a clone shows its console without development dependencies", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  expect(packages["node_modules/rolldown"]).not.toHaveProperty("dev");
});
