import { execFile } from "node:child_process";

/** Longer than a query of the font cache takes. */
const timeoutMs = 10_000;

/** Whether a system font has the letter according to fontconfig; also true if fontconfig is not available. */
export function hasSystemFont(letter: string): Promise<boolean> {
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  return new Promise((resolve) => {
    execFile("fc-list", [`:charset=${code}`, "file"], { timeout: timeoutMs }, (error, stdout) =>
      resolve(error !== null || stdout.trim() !== ""),
    );
  });
}
