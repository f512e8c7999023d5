import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

test("the client bundles for browsers without a module of Node", async () => {
  const warnings: string[] = [];
  const bundle = await rolldown({
    input: fileURLToPath(new URL("index.ts", import.meta.url)),
    platform: "browser",
    onLog: (_, log) => warnings.push(log.message),
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  expect(warnings).toEqual([]);
  expect(output).toHaveLength(1);
  const [entry] = output;
  expect(entry.imports).toEqual([]);
  expect(entry.dynamicImports).toEqual([]);
  expect(entry.code).not.toMatch(/["']node:|\brequire\(/);
  expect(entry.code).toContain("there are no paths in a browser");
});
