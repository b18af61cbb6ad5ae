/**
 * The address of a module in the same folder, to start it as a thread or process. It has the same extension: `.ts` in
 * the repository, `.js` in the package.
 */
export function moduleBeside(importer: string, path: string): URL {
  return new URL(`${path}${importer.slice(importer.lastIndexOf('.'))}`, importer)
}
