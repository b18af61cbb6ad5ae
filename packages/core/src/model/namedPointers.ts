import { agentProtocol } from './agents.ts'
import {
  parseContentPointer,
  parseFilePointer,
  parsePublicPointer,
  withKeccak,
  type ContentPointer,
} from './contentPointer.ts'
import type { DecodePayload } from './decodedPayload.ts'
import { leavesOf, type StoredPayload } from './decodeStoredPayload.ts'
import { contentIdName, fieldPathText, type FieldLeaf } from './fieldValues.ts'
import { parseHash, zeroHash, type Hash } from './hex.ts'
import { detailOf } from './recordJson.ts'

/** A text of a payload that names content, or should. */
export interface NamedPointer {
  readonly pathText: string
  readonly text: string
  /** Null where the text names nothing that can be fetched. */
  readonly pointer: ContentPointer | null
}

/**
 * The pointers in a payload. A payload that is stored elsewhere (Sign Protocol) has one. A payload on chain has one for
 * each text that is a pointer (fields of EAS, Verax and ERC-8004). The first is the content of the record.
 */
export function namedPointers(
  attestation: StoredPayload,
  decodePayload: DecodePayload,
): readonly NamedPointer[] {
  const { dataLocation } = detailOf(attestation.detail)
  const isElsewhere = dataLocation !== 'ONCHAIN'
  if (!isElsewhere && !mayNameContent(attestation)) return []
  const leaves = leavesOf(attestation, decodePayload)
  const texts = leaves.filter(({ kind }) => kind === 'text')
  const named = texts.map(({ path, value }): NamedPointer => {
    const pathText = fieldPathText(path)
    const parse = isFileField(attestation, path) ? parseFilePointer : parsePublicPointer
    const pointer = isElsewhere ? parseContentPointer(dataLocation, value) : parse(value)
    const hash = attestation.key.protocol === agentProtocol ? hashBeside(pathText, leaves) : null
    return { pathText, text: value, pointer: pointer && hash ? withKeccak(pointer, hash) : pointer }
  })
  if (!isElsewhere) return named.filter(({ pointer }) => pointer !== null)
  return [named[0] ?? { pathText: contentIdName, text: '', pointer: null }]
}

/** The hash of the file of `feedbackURI` is `feedbackHash`, zero if there is no hash. */
function hashBeside(pathText: string, leaves: readonly FieldLeaf[]): Hash | null {
  const name = pathText.replace(/URI$/, 'Hash')
  const hash = parseHash(
    leaves.find(({ path, kind }) => kind === 'bytes' && path.join('.') === name)?.value ?? '',
  )
  return hash === zeroHash ? null : hash
}

/** Protocols whose records say on chain where content is. */
const protocolsNamingContent = ['eas', 'verax', agentProtocol] as const

/** Whether a field says where a file is; an `https://` URL of any other field is not there to be fetched. */
function isFileField({ key }: StoredPayload, [name = '']: readonly string[]): boolean {
  return key.protocol === agentProtocol && (name === 'feedbackURI' || name === 'responseURI')
}

/** Most schemas have no text: their payloads are not decoded. */
function mayNameContent({ key, schema }: StoredPayload): boolean {
  return (
    protocolsNamingContent.some((protocol) => protocol === key.protocol) &&
    schema?.payloadFieldsJson.includes('string') === true
  )
}
