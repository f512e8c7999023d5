import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { argumentsOf, parseDockerfile, settingsOf } from "./dockerfile.ts";

test("the Dockerfile is understood whole", async () => {
  const text = await readFile(join(import.meta.dirname, "../../../deploy/image/Dockerfile"), "utf8");
  const [build, image, ...others] = parseDockerfile(text);
  if (build === undefined || image === undefined) throw new Error("the Dockerfile has two stages");
  expect(others).toEqual([]);
  expect(build).toMatchObject({
    name: "build",
    instructions: [{ name: "WORKDIR" }, { name: "COPY" }, { name: "RUN" }],
  });
  expect(build.base).toBe(image.base);
  expect(image.instructions.filter(({ name }) => name === "RUN")).toHaveLength(1);
  expect(argumentsOf(image)).toEqual({ PACKAGES: "" });
  expect(settingsOf(image)).toMatchObject({
    env: { PATH: expect.stringMatching(/^\/opt\/drs\/bin:\/usr\/local\/sbin:/), DRS_DATA_DIR: "/data", HOME: "/data" },
    user: "10001:10001",
    volume: "/data",
    stopSignal: "SIGTERM",
    healthCheck: ["node", "-e", expect.stringContaining("/readyz")],
    command: ["drs", "serve"],
  });
  expect(() => parseDockerfile("FROM a\nSHELL b")).toThrow(/SHELL/);
});
