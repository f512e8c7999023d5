import { expect, test } from "vitest";
import { invalid, unavailable } from "../../domain/errors.ts";
import { reasons, sentences } from "../errors.ts";
import { jobReason, pageReason } from "./failures.ts";

test("every failed job gets one of a few reasons, whatever its sentence says", () => {
  expect(jobReason(sentences.encrypted())).toBe("encrypted");
  expect(jobReason(sentences.time(90_000))).toBe("too-heavy");
  expect(jobReason(unavailable("the host db.example answered 503"))).toBe("unavailable");
  expect(jobReason(invalid("no"))).toBe("invalid");
  expect(jobReason(Object.assign(new Error("write failed"), { code: "ENOSPC" }))).toBe("storage-full");
  expect(jobReason(new TypeError("x is not a function"))).toBe("internal");
});

test("every failure sentence of a page has a reason of its own", () => {
  const words = Object.values(reasons).map((reason) =>
    pageReason(typeof reason === "string" ? reason : reason(123_456)),
  );
  expect(new Set(words).size).toBe(Object.keys(reasons).length);
  expect(words).not.toContain("other");
  expect(pageReason("page 7 cannot be shown: the page has no size")).toBe("no-size");
  expect(pageReason("a sentence of /home/someone")).toBe("other");
});
