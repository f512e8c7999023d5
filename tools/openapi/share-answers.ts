import type { Json } from "./json.ts";

const bytes: Json = { type: "string", format: "binary" };

const openXml = "application/vnd.openxmlformats-officedocument";

const embedding: Json = {
  type: "object",
  description: "The embedding of a page.",
  required: ["model", "dimensions", "values"],
  properties: {
    model: { type: "string", description: "The model pack that made it.", examples: ["builtin@1.0.0"] },
    dimensions: { type: "integer", minimum: 1, description: "How many values it has.", examples: [3] },
    values: {
      type: "array",
      items: { type: "number" },
      description: "The values.",
      examples: [[0.0421, -0.0132, 0.0871]],
    },
  },
};

const kinds: Json = {
  "image/jpeg": { schema: bytes },
  "application/pdf": { schema: bytes },
  [`${openXml}.wordprocessingml.document`]: { schema: bytes },
  [`${openXml}.presentationml.presentation`]: { schema: bytes },
  [`${openXml}.spreadsheetml.sheet`]: { schema: bytes },
  "application/json": { schema: { $ref: "#/components/schemas/Embedding" } },
  "application/octet-stream": { schema: bytes },
};

/** A range of the JSON of an embedding is not JSON itself. */
const parts: Json = { ...kinds, "application/json": { schema: bytes } };

const header = (description: string, example: string): Json => ({
  description,
  schema: { type: "string", examples: [example] },
});

const validators: Json = {
  ETag: header("Changes when the bytes change.", '"9f86d081884c7d65-44-jpg"'),
  "Last-Modified": header("When the bytes came to be.", "Sat, 21 Nov 2026 10:37:45 GMT"),
  "Accept-Ranges": header("The unit of ranges.", "bytes"),
};

const sent: Json = {
  ...validators,
  "Content-Disposition": header(
    "The name to save the bytes under.",
    "inline; filename=\"octave-page-44.jpg\"; filename*=UTF-8''octave-page-44.jpg",
  ),
};

export const shareSchemas: Json = { Embedding: embedding };

/** Answers with the bytes of an item or of an uploaded document, in its media type. */
export const shareAnswers: Json = {
  200: {
    description:
      "All bytes. Items: `jpg` is image/jpeg, `pdf` is application/pdf, `embedding_image` is JSON, or, where the Accept header prefers application/octet-stream, 32-bit floats in little-endian order. Datasets: the uploaded document with its own media type.",
    headers: sent,
    content: kinds,
  },
  206: {
    description: "The range of bytes that was asked for.",
    headers: { ...sent, "Content-Range": header("Which bytes of how many.", "bytes 0-1023/218344") },
    content: parts,
  },
  304: { description: "The bytes have not changed; there is no body.", headers: validators },
  412: { $ref: "#/components/responses/412" },
  416: { $ref: "#/components/responses/416" },
};
