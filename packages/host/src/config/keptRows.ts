import { Type, type Static } from 'typebox'
import { journalDefault, type JournalLimits } from '@attestry/store/layout/journal.ts'
import { block, wholeNumber } from './schemaKeys.ts'

const hourMs = 3_600_000

/** A block that says how much of a table of changes is kept. */
export function keptRows(description: string, hours: string, rows: string) {
  return Type.Optional(
    block(description, {
      hours: wholeNumber(1, 8_760, journalDefault.ageMaxMs / hourMs, hours),
      rows: wholeNumber(1_000, 1_000_000_000, journalDefault.rowsMax, rows),
    }),
  )
}

export function resolveKeptRows({ rows, hours }: Static<ReturnType<typeof keptRows>> = {}): JournalLimits {
  return {
    rowsMax: rows ?? journalDefault.rowsMax,
    ageMaxMs: hours === undefined ? journalDefault.ageMaxMs : hours * hourMs,
  }
}
