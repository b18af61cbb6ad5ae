import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { positionBlock, positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { Difference, DifferenceKind, Remedy } from '@attestry/core/index/indexAudit.ts'
import type { DamagedEvent } from '../transfer/readStoredEvent.ts'

/** Longest text of a value that a difference shows. */
const shownMax = 200

/** The text of a value as a difference shows it. */
export function shown(value: null | number | string | bigint | boolean | Uint8Array): string | null {
  if (value === null) return null
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/** Something about a row that belongs to no block. */
export function rowDifference(
  what: DifferenceKind,
  subject: string,
  values: { readonly stored: string | null; readonly expected: string | null },
  remedy: Remedy,
  field: string | null = null,
): Difference {
  return { what, chainId: null, blockNumber: null, subject, field, ...values, remedy }
}

/** Something about an event that stands at a position of a chain. */
export function eventDifference(
  what: DifferenceKind,
  chainId: ChainId,
  position: number,
  subject: string,
  values: { readonly field: string | null; readonly stored: string | null; readonly expected: string | null },
  remedy: Remedy,
): Difference {
  return { what, chainId, blockNumber: positionBlock(position as Position), subject, ...values, remedy }
}

/** The difference that is reported for an event that cannot be read. */
export function damagedDifference(chainId: ChainId, { position, reason }: DamagedEvent): Difference {
  const subject = `event ${positionBlock(position as Position)}:${positionIndex(position as Position)}`
  const values = { field: null, stored: reason, expected: null }
  return eventDifference('rendered', chainId, position, subject, values, 'reindex')
}
