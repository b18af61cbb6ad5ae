/**
 * The address of a module in the folder of another one, to start it as a thread or a process. Its ending is that of the
 * other: `.ts` in the repository, `.js` in the package.
 */
export function moduleBeside(importer: string, path: string): URL {
  return new URL(`${path}${importer.slice(importer.lastIndexOf('.'))}`, importer)
}
