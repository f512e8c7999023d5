import { expect, test } from "vitest";
import { buildConsole } from "../../console/build.ts";

/** The maximum compressed size that a person has to wait for before the first view. */
const maxFirstBytes = 200_000;

test("the first view is small, what few come for is apart, and nothing names another origin", async () => {
  const files = await buildConsole();
  const page = files.find(({ name }) => name === "index.html");
  const text = Buffer.from(page?.bytes ?? []).toString();
  const named = [...text.matchAll(/console\/([\w.-]+)/g)].map(([, name]) => name);
  const first = files.filter(({ name }) => name.endsWith(".js") && named.includes(name));
  expect(first.some(({ name }) => name.startsWith("main-"))).toBe(true);
  // All that these import is among them.
  for (const { bytes } of first) {
    const imported = [
      ...Buffer.from(bytes)
        .toString()
        .matchAll(/(?:from|import)\s*["`']\.\/([\w.-]+)["`']/g),
    ];
    expect(named).toEqual(expect.arrayContaining(imported.map(([, name]) => name)));
  }
  expect(first.reduce((sum, { gzip }) => sum + gzip.byteLength, 0)).toBeLessThan(maxFirstBytes);
  const scripts = files.filter(({ name }) => name.endsWith(".js"));
  expect(scripts.map(({ name }) => name.replace(/-[\w-]{8}\.js$/, ""))).toEqual(
    expect.arrayContaining(["main", "viewer-page", "account-page", "design-page"]),
  );
  for (const { bytes } of files.filter(({ name }) => /\.(?:css|html)$/.test(name))) {
    expect(Buffer.from(bytes).toString()).not.toMatch(/https?:|@import|url\(/);
  }
});
