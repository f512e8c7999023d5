import type { Texts } from "./en.ts";
import { account, device, join, signIn } from "./de/account.ts";
import { common, design, shell } from "./de/common.ts";
import { documents, jobs, upload, viewer } from "./de/documents.ts";
import { errors } from "./de/errors.ts";
import { search } from "./de/search.ts";

export const de: Texts = {
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
