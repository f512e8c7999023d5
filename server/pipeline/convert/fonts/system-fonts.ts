import { execFile } from "node:child_process";

/** Longer than a look into the cache of fonts takes. */
const timeoutMs = 10_000;

/** Whether a font of the system has the letter, as fontconfig knows; true as well where fontconfig cannot be asked. */
export function hasSystemFont(letter: string): Promise<boolean> {
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  return new Promise((resolve) => {
    execFile("fc-list", [`:charset=${code}`, "file"], { timeout: timeoutMs }, (error, stdout) =>
      resolve(error !== null || stdout.trim() !== ""),
    );
  });
}
