import { describe, expect, it } from "vitest";
import { mayBeDamage, retryConflicts, retryVanished } from "./conflicts.ts";

function failing(times: number, message: string): { calls: number; run(): Promise<string> } {
  return {
    calls: 0,
    async run() {
      this.calls += 1;
      if (this.calls <= times) throw new Error(message);
      return "done";
    },
  };
}

describe("retryConflicts", () => {
  it("repeats a write that lost a race", async () => {
    const write = failing(2, "Retryable commit conflict for version 7: concurrent transaction");
    await expect(retryConflicts(() => write.run())).resolves.toBe("done");
    expect(write.calls).toBe(3);
  });

  it("repeats nothing else", async () => {
    const write = failing(1, "No space left on device");
    await expect(retryConflicts(() => write.run())).rejects.toThrow("No space left");
    expect(write.calls).toBe(1);
  });
});

describe("retryVanished", () => {
  it("repeats a read once", async () => {
    const once = failing(1, "Object at location x/data/1.lance not found: No such file or directory");
    await expect(retryVanished(() => once.run())).resolves.toBe("done");
    const twice = failing(2, "not found");
    await expect(retryVanished(() => twice.run())).rejects.toThrow("not found");
    expect(twice.calls).toBe(2);
  });
});

describe("mayBeDamage", () => {
  it("tells what a damaged table can say from what has another reason", () => {
    const damage = [
      "lance error: LanceError(IO): Generic memory error: Invalid range 0..0 for object of size 0 bytes",
      "Failed to get next batch from stream: lance error: Not found: x.lance/_deletions/5-13-1.arrow",
      "Table 'dense2.p.text' was not found",
    ];
    const others = [
      "lance error: No space left on device (os error 28)",
      "lance error: Too many open files (os error 24)",
      "lance error: Retryable commit conflict for version 7",
      "no words",
    ];
    for (const message of damage)
      expect({ message, is: mayBeDamage(new Error(message)) }).toEqual({ message, is: true });
    for (const message of others)
      expect({ message, is: mayBeDamage(new Error(message)) }).toEqual({ message, is: false });
  });
});
