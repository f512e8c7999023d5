/** Input of `search_pages`. */
export interface SearchPagesInput {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly datasetIds?: readonly string[] | undefined;
}

/** Input of `get_pages`. */
export interface GetPagesInput {
  readonly datasetId: string;
  /** Page numbers: `7`, `5:10`, or several with commas. */
  readonly pages: string;
}

/** A JSON Schema (draft 7) with a matching check. */
export interface InputSchema<Input> {
  readonly jsonSchema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, object>>;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  /** Returns the value if it conforms to the schema, otherwise an error message for the model. */
  check(value: unknown): { readonly value: Input } | { readonly wrong: string };
}

const pagesPattern = "^\\d+(:\\d+)?(,\\d+(:\\d+)?)*$";

export const searchPagesInput: InputSchema<SearchPagesInput> = {
  jsonSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        description: "What the page says or shows, in words or as a question. Quoted phrases must be on the page.",
      },
      limit: { type: "integer", minimum: 1, maximum: 20, description: "How many pages." },
      datasetIds: {
        type: "array",
        items: { type: "string" },
        description: "Only pages of these documents, by their ids (ds_…). Leave out for all.",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  check(value) {
    if (!isObject(value)) return { wrong: "the input must be an object" };
    const { query, limit, datasetIds } = value;
    if (typeof query !== "string" || query.trim() === "") return { wrong: "query must be words" };
    if (limit !== undefined && limit !== null && (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1))
      return { wrong: "limit must be a whole number from 1 to 20" };
    if (datasetIds !== undefined && datasetIds !== null && !isTexts(datasetIds))
      return { wrong: "datasetIds must be a list of ids" };
    // Some models send null for fields that they leave out.
    return { value: { query, limit: limit ?? undefined, datasetIds: datasetIds ?? undefined } };
  },
};

export const getPagesInput: InputSchema<GetPagesInput> = {
  jsonSchema: {
    type: "object",
    properties: {
      datasetId: { type: "string", description: "The document's id (ds_…), as search_pages gives it." },
      pages: {
        type: "string",
        pattern: pagesPattern,
        description: "Page numbers: 7, 5:10 or 1,4:6. At most 20 pages.",
      },
    },
    required: ["datasetId", "pages"],
    additionalProperties: false,
  },
  check(value) {
    if (!isObject(value)) return { wrong: "the input must be an object" };
    const { datasetId, pages } = value;
    if (typeof datasetId !== "string" || datasetId === "") return { wrong: "datasetId must be the id of a document" };
    const numbers = typeof pages === "number" ? String(pages) : pages;
    if (typeof numbers !== "string" || !new RegExp(pagesPattern).test(numbers))
      return { wrong: "pages must be page numbers such as 7, 5:10 or 1,4:6" };
    return { value: { datasetId, pages: numbers } };
  },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
