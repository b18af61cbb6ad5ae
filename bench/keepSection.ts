/** The summary, which is written by hand and stands before all figures. */
export const summaryTitle = '## In short'

/** The section of `docs/performance.md` that `npm run lighthouse` writes. */
export const explorerTitle = '## The explorer'

/** The section with the figures of `npm run bench -- eas`. */
export const easTitle = "## EAS's clients"

/** The section that `npm run bench -- head --write` writes. */
export const headTitle = '## From a block to its answer'

/** The section that `npm run bench -- replay --write` writes. */
export const replayTitle = '## From published chunks'

/** The section that `npm run bench -- waits --write` writes. */
export const waitsTitle = '## From an endpoint far away'

/** The section that `npm run bench:peers -- --write` writes. */
export const peersTitle = '## Beside Ponder and Envio'

/** The section that `npm run bench:scale` writes; the others are those of `npm run bench`. */
export const scaleTitle = '## Size'

/** The section about filters by fields, whose figures come from several commands. */
export const fieldsTitle = '## Filters by fields'

/** The section with the stages of an event's way into the database, grouped by hand from CPU profiles. */
export const stagesTitle = '## An event from its socket to its commit'

/** The section about the stages of an answer, whose shares `npm run bench -- stages` prints. */
export const answerStagesTitle = '## Where a cold answer spends its time'

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

/** The document with a section that goes before all others. */
export function putFirst(document: string, section: string): string {
  return document.replace(/^## /m, () => `${section}\n\n## `)
}
