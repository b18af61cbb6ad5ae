import type { ReceivedMessage } from './startReceiver.ts'

/** A record, and whether it is revoked. */
export type KnownRecord = readonly [name: string, isRevoked: boolean]

/** The records that a receiver knows once it has followed the messages. */
export function followMessages(messages: readonly Pick<ReceivedMessage, 'type' | 'data'>[]): KnownRecord[] {
  const known = new Map<string, boolean>()
  for (const { type, data } of messages) {
    const id = `${String(data['protocol'])} ${String(data['id'])}`
    if (type === 'schema.registered') known.set(`schema ${id}`, false)
    else if (type === 'anchor.made') known.set(anchorName(data), false)
    else if (data['record'] === 'anchor') known.delete(anchorName(data))
    else if (type === 'attestation.made' || type === 'attestation.revoked') {
      known.set(`attestation ${id}`, data['revoked'] === true)
    } else if (data['record'] === 'revocation') known.set(`attestation ${id}`, false)
    else known.delete(`${String(data['record'])} ${id}`)
  }
  return [...known].toSorted(byName)
}

/** The records of an export. */
export function exportedRecords(lines: readonly string[]): KnownRecord[] {
  const records = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === 'schema' || type === 'attestation' || type === 'anchor')
    .map((line): KnownRecord => {
      const { type, protocol, id, revoked } = line
      return type === 'anchor'
        ? [anchorName(line), false]
        : [`${String(type)} ${String(protocol)} ${String(id)}`, revoked === true]
    })
  // A transaction may anchor a value twice, and for a receiver both are one.
  return [...new Map(records)].toSorted(byName)
}

/** Key of an anchor, made of the members that its messages carry. */
function anchorName({ chainId, blockNumber, transactionHash, value }: ReceivedMessage['data']): string {
  return JSON.stringify(['anchor', chainId, blockNumber, transactionHash, value])
}

function byName([a]: KnownRecord, [b]: KnownRecord): number {
  return a < b ? -1 : a > b ? 1 : 0
}
