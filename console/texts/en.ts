import { account, device, join, signIn } from "./en/account.ts";
import { common, design, errors, shell } from "./en/common.ts";
import { documents, jobs, upload, viewer } from "./en/documents.ts";
import { search } from "./en/search.ts";

export const en = {
  account,
  common,
  design,
  device,
  documents,
  errors,
  jobs,
  join,
  search,
  shell,
  signIn,
  upload,
  viewer,
};

/** The texts that each language must have. */
export type Texts = typeof en;
