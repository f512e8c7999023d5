/** Finds the engines that convert Office documents on this machine. */
export { type ConverterChoice, createConverters } from "../pipeline/convert/select.ts";
