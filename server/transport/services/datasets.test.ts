import { expect, test } from "vitest";
import { announcedBytes } from "./datasets.ts";

const form = "multipart/form-data; boundary=x";

test.each([
  [{ "content-type": form, "content-length": "1000000" }, 934_464],
  [{ "content-type": "Multipart/Form-Data;boundary=x", "content-length": "1000000" }, 934_464],
  // All bytes may be names and delimiters.
  [{ "content-type": form, "content-length": "65536" }, 0],
  [{ "content-type": form, "content-length": "12" }, 0],
  [{ "content-type": form }, 0],
  [{ "content-type": form, "content-length": "many" }, 0],
  [{ "content-type": form, "content-length": "1e300" }, 0],
  [{ "content-type": "application/connect+json", "content-length": "1000000" }, 0],
  [{ "content-length": "1000000" }, 0],
])("a request with the head %j has a file of at least %d bytes", (headers, bytes) => {
  expect(announcedBytes({ requestHeader: new Headers(Object.entries(headers)) })).toBe(bytes);
});
