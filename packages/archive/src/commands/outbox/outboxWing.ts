import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { keptRows, resolveKeptRows } from '@attestry/host/config/keptRows.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { JournalLimits } from '@attestry/store/layout/journal.ts'

const keys = {
  outbox: keptRows(
    'A table of changes for programs of change data capture (docs/sql.md); PostgreSQL alone.',
    'How long rows are kept, in hours.',
    'Rows that are kept, one for each change.',
  ),
}

/** The table of changes for programs of change data capture, with its limits; null without one. */
export const outboxWing: Wing<JournalLimits | null, typeof keys, NoKeys> = {
  name: 'outbox',
  keys,
  resolve: ({ file: { outbox }, database }) => {
    if (outbox === undefined) return null
    if (database().kind === 'postgres') return resolveKeptRows(outbox)
    throw MistakeFound.at(['outbox'], 'needs a database of PostgreSQL; a SQLite file has no outbox')
  },
  index: async ({ database, reader, stop, ...host }, limits) => {
    const outbox = limits === null ? null : (await openDatabase(database)).openOutbox(limits)
    if (outbox === null) return { ended: Promise.resolve() }
    const { fillOutbox } = await import('./fillOutbox.ts')
    return { ended: fillOutbox({ ...host, outbox, journal: reader }, stop) }
  },
}
