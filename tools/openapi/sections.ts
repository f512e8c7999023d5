import type { DescMethod } from "@bufbuild/protobuf";

/** The introduction of the reference, in Markdown. */
export const guide = `Large documents (pdf, docx, pptx, xlsx) go in, single pages come out: as pictures, as one-page PDFs and as
embeddings. Pages are found by number or by meaning, and shared as links that expire.

### Authorise

Every request except that for a share link carries an API key in the header \`x-api-key\`. The first start of a server makes
one with every scope, and stores it as \`apiKey\` in \`credentials.json\` in the data folder, which is \`~/.local/share/drs\`
unless another one is configured. Choose **Authorize**, enter the key under \`apiKey\`, and try out any request on this page.
More keys come from \`drs keys create\` or [through the API](#/Workspaces%20and%20keys/createKey).

### In order of use

1. [Upload](#/Upload/vectorize) a document with \`POST /v1/vectorize\`. The response is a job with the id of the new dataset.
2. [Watch the job](#/Jobs/watchJob) until its status is \`SUCCESS\` or \`ERROR\`, or [ask for it](#/Jobs/getJob) repeatedly.
3. [List the pages](#/Datasets%20and%20pages/listItems) of the dataset by number.
4. [Search](#/Search/search) all datasets by meaning.
5. Fetch a page by its [share link](#/Share%20links/readShare), which needs no key.
6. Upload documents over 100 MB in parts, in an [upload session](#/Upload%20sessions/startUpload).

### Conventions

- Examples can be sent as they are. Ids and tokens with \`example\` in them are placeholders: the service answers such an id
  with 404 and such a token with 403, until you replace it with one of yours.
- Times are milliseconds since the epoch, UTC; sizes are bytes; pages count from 1.
- Unknown fields and parameters of a request are rejected with 400. Only share links ignore unknown parameters.
- Every response has a header \`x-request-id\`, which identifies the request in the log of the server.
`;

/** A group of operations. */
interface Section {
  readonly name: string;
  readonly description: string;
  /** Services, and methods that are not in the section of their service, in order. */
  readonly members: readonly string[];
}

/** Sections in order of use; administration comes last. */
export const sections: readonly Section[] = [
  {
    name: "Upload",
    description: "Uploads documents. The response is a job that splits the document into pages.",
    members: [
      "DatasetService.Vectorize",
      "DatasetService.Extract",
      "DatasetService.VectorizeDataset",
      "DatasetService.ReplaceFile",
    ],
  },
  {
    name: "Jobs",
    description: "Shows the progress of the work on a document.",
    members: ["JobService.WatchJob", "JobService.GetJob", "JobService"],
  },
  {
    name: "Datasets and pages",
    description: "A dataset is a stored document; its items are the renditions of its pages.",
    members: ["ItemService", "DatasetService"],
  },
  { name: "Search", description: "Finds pages by meaning.", members: ["SearchService"] },
  {
    name: "Share links",
    description: "Serves the bytes of pages and documents to everyone who has a link.",
    members: ["ShareService"],
  },
  {
    name: "Upload sessions",
    description: "Uploads large documents in parts. An interrupted upload continues where it stopped.",
    members: ["UploadService.StartUpload", "UploadService.AppendPart", "UploadService.EndUpload", "UploadService"],
  },
  {
    name: "Account",
    description: "Shows who calls and what the workspace uses; signs members in and out.",
    members: [
      "MemberService.WhoAmI",
      "UsageService",
      "MemberService.ShowInvitation",
      "MemberService.AcceptInvitation",
      "MemberService.SignOut",
      "MemberService.ListTokens",
      "MemberService.EndToken",
      "SessionService",
      "DeviceService",
    ],
  },
  {
    name: "Workspaces and keys",
    description: "Administration: workspaces are isolated from each other; each has its own API keys.",
    members: ["WorkspaceService"],
  },
  {
    name: "Members",
    description: "Administration: the people of an organisation and their roles.",
    members: ["MemberService"],
  },
  {
    name: "Organisations and plans",
    description: "Administration: organisations, the plans that limit them, and the audit log.",
    members: ["OrganisationService"],
  },
  {
    name: "Model packs",
    description: "Administration: the models that pages are embedded with.",
    members: ["ModelService"],
  },
  {
    name: "Webhooks",
    description: "Administration: addresses that receive events, and the messages to them.",
    members: ["WebhookService"],
  },
  { name: "Link keys", description: "Administration: the keys that sign share links.", members: ["LinkService"] },
];

/** Returns the section of a method, and its index among all members. Throws if the method is in none. */
export function placeOf({ name, parent }: DescMethod): { readonly section: string; readonly place: number } {
  const members = sections.flatMap((section) => section.members.map((member) => ({ section: section.name, member })));
  const own = members.findIndex(({ member }) => member === `${parent.name}.${name}`);
  const place = own < 0 ? members.findIndex(({ member }) => member === parent.name) : own;
  const found = members[place];
  if (found === undefined) throw new Error(`${parent.name}.${name} is in no section of the reference`);
  return { section: found.section, place };
}
