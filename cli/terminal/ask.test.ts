import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../command-io.ts";
import { answerIn, askTerminal } from "./ask.ts";

/** A fake terminal: records questions and the mode of its keys, and answers. */
function terminal(answers: (question: string) => string | undefined) {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  stdout.on("data", (question: Buffer) => {
    const answer = answers(question.toString());
    if (answer !== undefined) stdin.write(answer, "latin1");
  });
  const stop = new AbortController();
  return { io: { stdin, stdout, env: { TERM: "xterm-256color" }, signal: stop.signal }, modes, stop };
}

const all = "\u001b_Gi=31;OK\u001b\\\u001bP>|WezTerm 2026\u001b\\\u001b[6;22;11t\u001b[?65;4;6;18;22c";

describe("asking the terminal", () => {
  test.each([
    [all, { kitty: true, sixel: true, name: "WezTerm 2026", cell: { width: 11, height: 22 } }],
    ["\u001b[?1;2c", { kitty: false, sixel: false, name: "", cell: undefined }],
    ["\u001b_Gi=31;ENOENT:x\u001b\\\u001b[?62;22c", { kitty: false, sixel: false, name: "", cell: undefined }],
    // The terminal type 4 is not the attribute 4 of sixels.
    ["\u001b[?4;6c", { kitty: false, sixel: false, name: "", cell: undefined }],
    ["\u001b[6;0;0t\u001b[?62c", { kitty: false, sixel: false, name: "", cell: undefined }],
    ["\u001b_Gi=31;OK\u001b\\", undefined],
    ["typed ahead", undefined],
  ])("%j means %j", (text, answer) => {
    expect(answerIn(text)).toEqual(answer);
  });

  test("answers may come in pieces; keys are read as before afterwards", async () => {
    const { io, modes } = terminal(() => undefined);
    const asked = askTerminal(io);
    for (const piece of all.match(/.{1,7}/gs) ?? []) {
      io.stdin.write(piece, "latin1");
      await new Promise(setImmediate);
    }
    expect(await asked).toMatchObject({ kitty: true, sixel: true });
    expect(modes).toEqual([true, false]);
    expect(io.stdin.listenerCount("data")).toBe(0);
  });

  test("a terminal that says nothing is left as it was", async () => {
    const { io, modes } = terminal(() => undefined);
    expect(await askTerminal(io, 20)).toBeUndefined();
    expect(modes).toEqual([true, false]);
  });

  test("Ctrl-C while it is asked is an interruption, and so is a signal", async () => {
    const pressed = terminal(() => "\u0003");
    await expect(askTerminal(pressed.io)).rejects.toBeInstanceOf(Interrupted);
    expect(pressed.modes).toEqual([true, false]);
    const signalled = terminal(() => undefined);
    const asked = askTerminal(signalled.io);
    signalled.stop.abort(new Interrupted("SIGTERM"));
    await expect(asked).rejects.toBeInstanceOf(Interrupted);
    expect(signalled.modes).toEqual([true, false]);
  });

  test("endless noise ends the wait", async () => {
    const { io, modes } = terminal(() => "x".repeat(10_000));
    expect(await askTerminal(io)).toBeUndefined();
    expect(modes).toEqual([true, false]);
  });

  test("in tmux kitty's question, which would become a title, is left out", async () => {
    const questions: string[] = [];
    const { io } = terminal((question) => {
      questions.push(question);
      return "\u001b[?1;2c";
    });
    await askTerminal({ ...io, env: { TERM: "tmux-256color" } });
    await askTerminal(io);
    expect(questions.map((question) => question.includes("\u001b_G"))).toEqual([false, true]);
  });

  test.each(["dumb", "linux", "eterm-color", ""])("a terminal of the kind %j is not asked", async (term) => {
    const { io, modes } = terminal(() => all);
    expect(await askTerminal({ ...io, env: { TERM: term } })).toBeUndefined();
    expect(modes).toEqual([]);
  });
});
