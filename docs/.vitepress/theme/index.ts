// The theme without its own font: the fonts of the system are used.
export { default } from "vitepress/theme-without-fonts";
