/** The headers that a browser sends with what a page of the console asks for. */
export const ofConsole = { "x-drs-console": "1", "sec-fetch-site": "same-origin" };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** One request over REST, with a body of JSON or none. */
export async function askRest(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  json?: object,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
    body: json === undefined ? null : JSON.stringify(json),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** Signs a browser in; resolves with the headers that it sends from then on. Throws if the credential is refused. */
export async function beginSession(url: string, credential: string): Promise<Record<string, string>> {
  const { status, headers, body } = await askRest(url, "POST", "/v1/sessions", ofConsole, { credential });
  if (status !== 200) throw new Error(`the sign-in was answered with ${status} ${JSON.stringify(body)}`);
  const [cookie = ""] = headers.getSetCookie();
  const pageSecret = String(Object(body["data"])["pageSecret"]);
  return { ...ofConsole, "x-drs-console": pageSecret, cookie: cookie.split(";", 1)[0] ?? "" };
}
