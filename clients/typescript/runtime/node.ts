import { createHash } from "node:crypto";
import { readPieces } from "../uploads/bytes.ts";
import type { Runtime } from "../uploads/form.ts";
import { postOverFetch } from "./fetch.ts";
import { openFile } from "./files.ts";
import { postOverHttp } from "./http.ts";
import { multipartBody } from "./multipart.ts";

export const runtime: Runtime = {
  openPath: openFile,

  async sendForm(connection, path, form, options) {
    const body = multipartBody(form, options.onSent);
    const post = connection.customFetch === undefined ? postOverHttp : postOverFetch;
    const answer = await post(connection, path, body, options);
    return { answer, sha256: body.sha256() };
  },

  async sha256(bytes) {
    const hash = createHash("sha256");
    for await (const piece of readPieces(bytes)) hash.update(piece);
    return hash.digest("hex");
  },
};
