import { parseContentPointer, parsePublicPointer, type ContentPointer } from './contentPointer.ts'
import type { DecodePayload } from './decodedPayload.ts'
import { leavesOf, type StoredPayload } from './decodeStoredPayload.ts'
import { contentIdName, fieldPathText } from './fieldValues.ts'
import { detailOf } from './recordJson.ts'

/** A text of a payload that names content, or should. */
export interface NamedPointer {
  readonly pathText: string
  readonly text: string
  /** Null where the text names nothing that can be fetched. */
  readonly pointer: ContentPointer | null
}

/**
 * What a payload names: one content where it is stored elsewhere (Sign Protocol), on chain each text that is a pointer
 * (fields of EAS, Verax and ERC-8004). The first is the content of the record.
 */
export function namedPointers(
  attestation: StoredPayload,
  decodePayload: DecodePayload,
): readonly NamedPointer[] {
  const { dataLocation } = detailOf(attestation.detail)
  const isElsewhere = dataLocation !== 'ONCHAIN'
  if (!isElsewhere && !mayNameContent(attestation)) return []
  const texts = leavesOf(attestation, decodePayload).filter(({ kind }) => kind === 'text')
  const named = texts.map(({ path, value }): NamedPointer => {
    const pointer = isElsewhere ? parseContentPointer(dataLocation, value) : parsePublicPointer(value)
    return { pathText: fieldPathText(path), text: value, pointer }
  })
  if (!isElsewhere) return named.filter(({ pointer }) => pointer !== null)
  return [named[0] ?? { pathText: contentIdName, text: '', pointer: null }]
}

/** Protocols whose records say on chain where content is. */
const protocolsNamingContent = ['eas', 'verax', 'erc8004'] as const

/** Most schemas have no text: their payloads are not decoded. */
function mayNameContent({ key, schema }: StoredPayload): boolean {
  return (
    protocolsNamingContent.some((protocol) => protocol === key.protocol) &&
    schema?.payloadFieldsJson.includes('string') === true
  )
}
