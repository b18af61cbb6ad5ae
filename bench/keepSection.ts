/** The section of `bench/figures.md` that `npm run lighthouse` writes. */
export const explorerTitle = '## The explorer'

/** The section that `npm run bench -- head --write` writes. */
export const headTitle = '## From a block to its answer'

/** The section that `npm run bench -- replay --write` writes. */
export const replayTitle = '## From published chunks'

/** The section that `npm run bench -- waits --write` writes. */
export const waitsTitle = '## From an endpoint far away'

/** The section that `npm run bench:peers -- --write` writes. */
export const peersTitle = '## Beside Ponder and Envio'

/** The section that `npm run bench:world` writes; the others are those of `npm run bench`. */
export const worldTitle = '## The world as it is'

/** The section of a Markdown document with this title, up to the next section of its level; null when absent. */
export function findSection(document: string, title: string): string | null {
  const start = `\n${document}`.indexOf(`\n${title}\n`)
  if (start < 0) return null
  const rest = document.slice(start)
  const end = rest.indexOf('\n## ', title.length)
  return (end < 0 ? rest : rest.slice(0, end)).trimEnd()
}

/** The document with a section that replaces the one of the same title, or is appended. */
export function putSection(document: string, title: string, section: string): string {
  const earlier = findSection(document, title)
  if (earlier === null) return `${document.trimEnd()}\n\n${section}\n`
  return document.replace(earlier, () => section)
}

/** The document with the introduction and the sections of a report; the document's other sections stay. */
export function putReport(document: string, report: string): string {
  const [introduction = '', ...sections] = report.trimEnd().split(/\n+(?=## )/)
  const first = document.search(/^## /m)
  const kept = first < 0 ? '' : document.slice(first)
  return sections.reduce((written, section) => {
    const [title = ''] = section.split('\n', 1)
    return putSection(written, title, section)
  }, `${introduction}\n\n${kept}`)
}
