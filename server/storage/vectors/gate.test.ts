import { describe, expect, it } from "vitest";
import { createGate } from "./gate.ts";

describe("gate", () => {
  it("runs shared tasks together, an exclusive one alone, and keeps their order", async () => {
    const gate = createGate();
    const running = new Set<string>();
    const log: string[] = [];
    const task = (name: string) => async () => {
      running.add(name);
      log.push([...running].join("+"));
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(name);
    };
    await Promise.all([
      gate.shared(task("a")),
      gate.shared(task("b")),
      gate.exclusive(task("x")),
      gate.shared(task("c")),
      gate.exclusive(task("y")),
    ]);
    expect(log).toEqual(["a", "a+b", "x", "c", "y"]);
  });

  it("goes on after a task that fails, and passes the failure on", async () => {
    const gate = createGate();
    const failing = gate.exclusive(async () => {
      throw new Error("broken");
    });
    await expect(failing).rejects.toThrow("broken");
    await expect(gate.shared(async () => "fine")).resolves.toBe("fine");
  });
});
