import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { parseExportLine } from './parseExportLine.ts'

/** An event as its row says it, or why it cannot be read. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly position: number; readonly stored: StoredEvent }
  | DamagedEvent

export interface DamagedEvent {
  readonly kind: 'damaged'
  readonly position: number
  readonly reason: string
}

/** Reads the event that stands at a position from its line of an export. */
export function readStoredEvent(position: number, line: string): ReadEvent {
  try {
    const parsed = parseExportLine(line, 0)
    if (parsed.kind === 'event') return { kind: 'event', position, stored: parsed.stored }
    return { kind: 'damaged', position, reason: 'it is no event' }
  } catch (error) {
    if (!(error instanceof ExportDamagedError)) throw error
    return { kind: 'damaged', position, reason: error.message.replace('line 0 of the export', 'its row') }
  }
}
