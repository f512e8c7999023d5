import { account } from "./en/account.ts";
import { common } from "./en/common.ts";
import { design } from "./en/design.ts";
import { device } from "./en/device.ts";
import { documents } from "./en/documents.ts";
import { errors } from "./en/errors.ts";
import { jobs } from "./en/jobs.ts";
import { join } from "./en/join.ts";
import { search } from "./en/search.ts";
import { shell } from "./en/shell.ts";
import { signIn } from "./en/sign-in.ts";
import { upload } from "./en/upload.ts";
import { viewer } from "./en/viewer.ts";

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
