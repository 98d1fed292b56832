import { locateState } from "../../src/config/place.ts";
import { imageEnvironment } from "./files.ts";

const image = imageEnvironment();

/** Where the program finds its state with the image's environment and a sample's, when that file of secrets holds this. */
export function stateOf(environment: Readonly<Record<string, unknown>>, files: Record<string, string>) {
  const texts = Object.entries({ ...image, ...environment }).map(([name, value]) => [name, String(value)]);
  const readText = (name: string): string => {
    const text = files[name];
    if (text === undefined) throw Object.assign(new Error(name), { code: "ENOENT" });
    return text;
  };
  return locateState({ file: undefined, environment: Object.fromEntries(texts), cwd: "/", readText });
}
