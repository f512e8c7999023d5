/** An answer over REST. */
export interface RestAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly data: Record<string, unknown>;
}

export interface RestRequest {
  readonly apiKey: string;
  /** Sends a form. */
  readonly form?: Readonly<Record<string, string | Uint8Array>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request, without another try. `path` is relative to `/v1/`. */
export async function rest(url: string, path: string, { apiKey, form, headers }: RestRequest): Promise<RestAnswer> {
  const response = await fetch(`${url}/v1/${path}`, {
    headers: { ...headers, "x-api-key": apiKey },
    ...(form && { method: "POST", body: formOf(form) }),
  });
  const body: { data?: Record<string, unknown> } = JSON.parse(await response.text());
  return { status: response.status, retryAfter: response.headers.get("retry-after"), data: body.data ?? {} };
}

function formOf(fields: Readonly<Record<string, string | Uint8Array>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value)]), "document.pdf");
  }
  return form;
}
