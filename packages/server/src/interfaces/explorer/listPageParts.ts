import { pageNames, pages, type PageName } from './pages.ts'

/** The members of Vite's `manifest.json` that are read here. */
export interface BuiltPart {
  readonly file: string
  /** Keys of other parts. */
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/**
 * The files of each page beside the common ones, as elements for its head. A browser that finds all files in the head
 * requests them at once, instead of one after the other.
 * @param html the built page, which names the common files.
 */
export function listPageParts(
  manifest: Readonly<Record<string, BuiltPart>>,
  html: string,
): ReadonlyMap<PageName, string> {
  return new Map(pageNames.map((name) => [name, elementsOf(manifest, pages[name].source, html)]))
}

function elementsOf(manifest: Readonly<Record<string, BuiltPart>>, source: string, html: string): string {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const visited = new Set<string>()
  const visit = (key: string): void => {
    const part = manifest[key]
    if (part === undefined || visited.has(key)) return
    visited.add(key)
    for (const other of part.imports ?? []) visit(other)
    scripts.add(part.file)
    for (const style of part.css ?? []) styles.add(style)
  }
  visit(source)
  const isNew = (file: string) => !html.includes(`"/${file}"`)
  return [
    ...[...styles].filter(isNew).map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
    ...[...scripts]
      .filter(isNew)
      .map((file) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`),
  ].join('')
}
