export const search = {
  area: "Search",
  placeholder: "Ask, or describe a page",
  submit: "Search",
  begin: "What are you looking for?",
  beginNext: "Ask in your own words. The answer is the pages themselves, whatever they are made of.",
  nothing: "No page fits",
  nothingNext: "Use other words, or fewer. Documents are found once they are vectorized.",
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
};
