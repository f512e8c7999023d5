export const common = {
  cancel: "Cancel",
  close: "Close",
  loading: "Loading",
  tryAgain: "Try again",
  copied: "Copied",
  never: "never",
};
