import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countOomKills } from "./oom-kills.ts";

/** A fake file system, because a test cannot change the real counters. */
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "drs-oom-"));
});
afterEach(() => rm(root, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

test("the control group counts before the machine", async () => {
  await write("proc/self/cgroup", "0::/system.slice/drs.service\n");
  await write("proc/vmstat", "pgfault 5\noom_kill 7\n");
  expect(countOomKills(root)).toBe(7);
  await write("sys/fs/cgroup/system.slice/drs.service/memory.events", "oom 3\noom_kill 2\noom_group_kill 0\n");
  expect(countOomKills(root)).toBe(2);
});

test("control groups of version 1, also inside a container", async () => {
  await write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/docker/abc\n0::/\n");
  await write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  expect(countOomKills(root)).toBe(4);
  await write("sys/fs/cgroup/memory/docker/abc/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  expect(countOomKills(root)).toBe(5);
});

test("0 where the system does not tell", () => {
  expect(countOomKills(root)).toBe(0);
});
