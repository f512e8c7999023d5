import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settingDefinitions } from "../../server/settings/settings.ts";

const deploy = join(import.meta.dirname, "../../deploy");
const tools = process.env["DRS_TEST_DEPLOY"];
const reason = tools === undefined ? " (skipped: DRS_TEST_DEPLOY names no folder made by .ci/deploy-tools)" : "";

function run(tool: string, args: readonly string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(join(tools ?? "", tool), args, { encoding: "utf8" });
  return { status, said: stdout + stderr };
}

const chart = join(deploy, "helm/drs");
const kubernetes = "1.33";
const template = (...sets: readonly string[]) =>
  run("helm", ["template", "test", chart, "--kube-version", kubernetes, ...sets.flatMap((set) => ["--set", set])]);

describe.skipIf(tools === undefined)(`manifests${reason}`, () => {
  test("Helm finds nothing wrong with the chart", () => {
    expect(run("helm", ["lint", "--strict", chart])).toMatchObject({ status: 0 });
  });

  test.each([
    ["as it comes", [], 6],
    [
      "with everything on",
      ["worker.autoscaling.enabled=true", "ingress.enabled=true", "stores.endpointUrl=http://s3"],
      8,
    ],
    ["with settings of its own", ["settings.DRS_LOG=debug", "scrape=false", "api.podAnnotations.a=b"], 6],
  ])("the chart %s makes what Kubernetes accepts", async (_, sets, count) => {
    const { status, said } = template(...sets);
    expect(status).toBe(0);
    const folder = await mkdtemp(join(tmpdir(), "drs-chart-"));
    const file = join(folder, "manifests.yaml");
    await writeFile(file, said);
    const checked = run("python/bin/kubernetes-validate", ["--strict", "--kubernetes-version", kubernetes, file]);
    await rm(folder, { recursive: true });
    expect(checked.status).toBe(0);
    expect(checked.said.match(/ passed /g)).toHaveLength(count);
  });

  test("workers are scaled by the age of the queue, or not at all", () => {
    expect(template().said).not.toContain("HorizontalPodAutoscaler");
    expect(template("worker.replicas=3").said).toContain("replicas: 3");
    const scaled = template("worker.autoscaling.enabled=true", "worker.replicas=3").said;
    expect(scaled).toContain("name: drs_queue_oldest_age_seconds");
    expect(scaled).not.toContain("replicas: 3");
  });

  test("the compose file is one", () => {
    const file = join(deploy, "compose/compose.yaml");
    const { status, said } = run("python/bin/check-jsonschema", ["--builtin-schema", "vendor.compose-spec", file]);
    expect({ status, said: said.trim() }).toEqual({ status: 0, said: "ok -- validation done" });
  });
});

/** Settings of the commands that are no part of the table of settings. */
const ofCommands = ["DRS_NO_WORKER", "DRS_HEALTH_PORT"];
/** Names of images and of passwords in the files themselves. */
const ofFiles = ["DRS_IMAGE", "DRS_IMAGE_PACKAGES"];

test("manifests name settings that there are", async () => {
  const files = ["compose/compose.yaml", "helm/drs/values.yaml", "helm/drs/templates/_helpers.tpl", "image/Dockerfile"];
  const known = [...settingDefinitions.map(({ variable }) => variable), ...ofCommands, ...ofFiles];
  for (const file of files) {
    const named = (await readFile(join(deploy, file), "utf8")).match(/\bDRS_[A-Z]\w*/g) ?? [];
    expect([file, [...new Set(named)].filter((name) => !known.includes(name))]).toEqual([file, []]);
  }
});
