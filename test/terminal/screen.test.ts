import { describe, expect, test } from "vitest";
import { hasTerminal, open, terminalReason } from "./screen.ts";

describe.skipIf(!hasTerminal)(`a screen${terminalReason}`, () => {
  test("shows what a program writes, takes keys, changes its size and tells how the program ended", async () => {
    const program = `printf '\\033[31mred\\033[0m %s\\n' "$GREETING"; read -r line; stty size; echo "got $line"; exit 7`;
    await using screen = await open(["sh", "-c", program], { columns: 60, rows: 15, env: { GREETING: "it's 年" } });
    await screen.waitFor(/red it's 年/);
    expect(screen.styled()).toContain("\u001b[31mred");
    screen.resize(100, 20);
    screen.type("C-c is text");
    screen.press("Enter");
    expect(await screen.exitCode()).toBe(7);
    expect(screen.history()).toContain("20 100\ngot C-c is text");
    expect(await screen.written()).toContain("\u001b[31mred\u001b[0m it's 年\r\n");
    await expect(screen.waitFor(/never/)).rejects.toThrow("the program ended without /never/");
  });

  test("the program sees a terminal of its own, not the one that runs the tests", async () => {
    await using screen = await open(["sh", "-c", 'echo "[$TERM|$TMUX|$NO_COLOR|$CI|$DRS_API_KEY]"'], {
      env: { NO_COLOR: "1" },
    });
    expect(await screen.waitFor(/\]/)).toBe("[xterm-256color||1||]");
  });
});
