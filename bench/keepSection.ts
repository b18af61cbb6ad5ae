/** The section of `docs/performance.md` that `npm run lighthouse` writes. */
export const explorerTitle = '## The explorer'

/** The section that `npm run bench:scale` writes; the others are those of `npm run bench`. */
export const scaleTitle = '## Size'

/** The section of a Markdown document with a title, up to the next of its level, without line ends at its end; null where it has none. */
export function findSection(document: string, title: string): string | null {
  const start = `\n${document}`.indexOf(`\n${title}\n`)
  if (start < 0) return null
  const rest = document.slice(start)
  const end = rest.indexOf('\n## ', title.length)
  return (end < 0 ? rest : rest.slice(0, end)).trimEnd()
}

/** The document with a section, in the place of the one with its title or at the end. */
export function putSection(document: string, title: string, section: string): string {
  const earlier = findSection(document, title)
  if (earlier === null) return `${document.trimEnd()}\n\n${section}\n`
  return document.replace(earlier, () => section)
}
