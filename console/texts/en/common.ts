export const common = {
  cancel: "Cancel",
  close: "Close",
  loading: "Loading",
  tryAgain: "Try again",
  copy: "Copy",
  copyFailed: "The browser does not let pages copy. It is selected: press Ctrl+C.",
  copied: "Copied",
  never: "never",
};
