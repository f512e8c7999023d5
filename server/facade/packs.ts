/** Model packs as files: listing, pulling and testing them. No pack is loaded until it is tested. */
export { verifyPack } from "../embedding/files.ts";
export { manifestName, type Manifest, parseManifest, readManifest } from "../embedding/manifest.ts";
export { loadOnnxruntime } from "../embedding/onnxruntime.ts";
export { installedPacks, resolvePackDir } from "../embedding/packs.ts";
export { completeManifest, catalogNames, catalogPack } from "../embedding/catalog.ts";
export { aboutOf, openPackRegistry, packId } from "../embedding/registry.ts";
export { checkPack } from "../embedding/self-test.ts";
