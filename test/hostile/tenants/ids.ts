/** The ids of one workspace: what calls from another must not reach. */
export interface Ids {
  readonly dataset: string;
  readonly job: string;
  readonly upload: string;
  readonly item: string;
  readonly keyId: string;
  readonly workspace: string;
  readonly organisation: string;
  readonly member: string;
  readonly invitation: string;
  readonly session: string;
  readonly webhook: string;
  /** A message to that. */
  readonly message: string;
}

/** Ids as they are made, of nothing that there is. */
export const nobody: Ids = {
  dataset: "ds_01jzzzzzzzzzzzzzzzzzzzzzzz",
  job: "dsj_01jzzzzzzzzzzzzzzzzzzzzzzz",
  upload: "tmp_01jzzzzzzzzzzzzzzzzzzzzzzz",
  item: "dsx_01jzzzzzzzzzzzzzzzzzzzzzzz00001j",
  keyId: "01jzzzzzzzzzzzzzzzzzzzzzzz",
  workspace: "ws_01jzzzzzzzzzzzzzzzzzzzzzzz",
  organisation: "org_01jzzzzzzzzzzzzzzzzzzzzzzz",
  member: "mem_01jzzzzzzzzzzzzzzzzzzzzzzz",
  invitation: "inv_01jzzzzzzzzzzzzzzzzzzzzzzz",
  session: "ses_01jzzzzzzzzzzzzzzzzzzzzzzz",
  webhook: "wh_01jzzzzzzzzzzzzzzzzzzzzzzz",
  message: "dsj_01jzzzzzzzzzzzzzzzzzzzzzzz-0",
};
