/** The examples of the document that stand for what a caller has: as they are, they name what does not exist. */
export const placeholders = {
  dataset: "ds_01example00000000000000000",
  job: "dsj_01example00000000000000000",
  item: "dsx_01example0000000000000000000017",
  linkToken: "example-token",
  upload: "tmp_01example00000000000000000",
  workspace: "ws_01example00000000000000000",
  organisation: "org_01example00000000000000000",
  member: "mem_01example00000000000000000",
  invitation: "inv_01example00000000000000000",
  invitationToken: "drsi_01example00000000000000000_examplesecret",
  session: "ses_01example00000000000000000",
  deviceCode: "drsd_01example00000000000000000_examplesecret",
  userCode: "WDJB-MJHT",
  signInCode: "drsc_01example00000000000000000_9w2v…",
  webhook: "wh_01example00000000000000000",
  /** A message to that. */
  message: "dsj_01example00000000000000000-0",
  key: "01example00000000000000000",
  /** Checksums of a whole document, and of a part. */
  documentSum: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  partSum: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
  /** The size of the part in the example of a list of parts. */
  partSize: "52428800",
  /** Where documents are fetched from. */
  site: "https://example.com",
  /** Values that can be used once. */
  idempotencyKey: "import-2026-11-21-0001",
  workspaceName: "reports",
} as const;

export type Placeholder = keyof typeof placeholders;
export type Own = Partial<Record<Placeholder, string>>;

/** A key's id stands in other ids and tokens too, so the longest is looked for first. */
const byLength = (Object.keys(placeholders) as Placeholder[]).toSorted(
  (one, other) => placeholders[other].length - placeholders[one].length,
);

/** Puts a caller's own in the place of the placeholders. */
export function placing(own: Own): (text: string) => string {
  return (text) =>
    byLength.reduce((so, name) => so.replaceAll(placeholders[name], own[name] ?? placeholders[name]), text);
}

/** Whether a request names something that does not exist on a fresh server. */
export function namesNothing(path: string, body: string | FormData | undefined): boolean {
  const text = [path, ...(typeof body === "string" ? [body] : body === undefined ? [] : body.values())].join("\n");
  return /(?<!https?:\/\/)example0|example-token/.test(text);
}
