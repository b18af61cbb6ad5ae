import { formatCompositeId, type LocalId } from '../../../model/compositeId.ts'
import type { Difference } from '../../indexAudit.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { decodeText } from '../textColumn.ts'
import { indexedText } from '../writeSchema.ts'
import { rowDifference } from '../../audit/differences.ts'

/**
 * Whether the index of schemas' text holds exactly the trigrams of their names and descriptions. The index keeps no text, so
 * what it holds of a schema is summed up: how many trigrams, and a checksum of each with its place.
 */
export function* findTextContradictions(connection: Connection): Generator<Difference> {
  const held = sumHeldText(connection)
  const rows = connection
    .statement<[number, number, string, SqlValue, SqlValue]>(
      'SELECT id, chain_id, local_id, name, description FROM schema WHERE registered = 1',
    )
    .iterate()
  for (const [id, chainId, localId, name, description] of rows) {
    const expected = sumText(0, decodeText(name)) + sumText(1, decodeText(description))
    const stored = held.get(id) ?? 0
    held.delete(id)
    if (stored === expected) continue
    const subject = formatCompositeId({ chainId, localId: `0x${localId}` as LocalId })
    const values = {
      stored: stored === 0 ? null : 'other text',
      expected: 'the text of name and description',
    }
    yield rowDifference('derived', subject, values, 'rebuild', 'schema_text')
  }
  for (const id of held.keys()) {
    yield rowDifference('orphan', `schema_text (${id})`, { stored: 'a row', expected: null }, 'rebuild')
  }
}

/** What the index holds, by the schema's row id. */
function sumHeldText(connection: Connection): Map<number, number> {
  connection.exec("CREATE VIRTUAL TABLE temp.schema_terms USING fts5vocab(main, schema_text, 'instance')")
  try {
    const sums = new Map<number, number>()
    const rows = connection
      .statement<[string, number, string, number]>('SELECT term, doc, col, offset FROM temp.schema_terms')
      .iterate()
    for (const [term, doc, column, offset] of rows) {
      sums.set(doc, (sums.get(doc) ?? 0) + sumTerm(column === 'name' ? 0 : 1, offset, term))
    }
    return sums
  } finally {
    connection.exec('DROP TABLE temp.schema_terms')
  }
}

function sumText(column: number, text: string): number {
  const characters = [...indexedText(text)]
  let sum = 0
  for (let offset = 0; offset + 3 <= characters.length; offset++) {
    sum += sumTerm(column, offset, characters.slice(offset, offset + 3).join(''))
  }
  return sum
}

/** A number below 2^32 for a trigram at its place (FNV-1a): sums of them are exact, and do not depend on the order. */
function sumTerm(column: number, offset: number, term: string): number {
  let hash = 0x811c9dc5 ^ column
  const mix = (value: number) => {
    hash = Math.imul(hash ^ value, 0x01000193)
  }
  mix(offset)
  for (let i = 0; i < term.length; i++) mix(term.charCodeAt(i))
  return (hash >>> 0) + 1
}
