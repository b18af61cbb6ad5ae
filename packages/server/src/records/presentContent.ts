import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ContentLimits, ContentReads } from '@attestry/core/model/contentReads.ts'
import type { KnownContent } from '@attestry/core/model/knownContent.ts'
import { namedPointers, type NamedPointer } from '@attestry/core/model/namedPointers.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'

/** Most characters of content in one answer, before the last one. */
const contentLengthMax = 2 * 1024 * 1024

const notFetched: KnownContent = { state: 'pending', sentence: 'It was not fetched yet.', json: null }
const notConfigured: KnownContent = {
  state: 'pending',
  sentence: 'This server fetches no content.',
  json: null,
}
const unreadable: KnownContent = {
  state: 'refused',
  sentence: 'The record names nothing that can be fetched: neither a CID over SHA-256 nor an id of Arweave.',
  json: null,
}

/** The content behind the pointer of a record. */
export interface ShownContent extends KnownContent {
  /** The text of the record that leads there. */
  readonly pointer: string
}

/** The pointer of a record whose payload was not read. */
const unread: NamedPointer = { pathText: '', text: '', pointer: null }

/** What each of `attestations` names; null for a record that names no content. */
export function pointersOf(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
): readonly (NamedPointer | null)[] {
  return attestations.map((attestation) =>
    attestation.unreadBytes === undefined ? (namedPointers(attestation, decodePayload)[0] ?? null) : unread,
  )
}

/**
 * The content of each record, by what the records name.
 * @param limits how much of it is read; all by default.
 */
export async function findContent(
  named: readonly (NamedPointer | null)[],
  content: Pick<ContentReads, 'find'> | null,
  limits: ContentLimits = {},
): Promise<readonly (ShownContent | null)[]> {
  const found = (await content?.find(keysOf(named), limits)) ?? new Map<string, KnownContent>()
  const missing = content === null ? notConfigured : notFetched
  return named.map((one) => {
    if (one === null) return null
    if (one === unread) return { state: 'pending', sentence: usedUp, json: null, pointer: '' }
    const { pointer, text } = one
    const known = pointer === null ? unreadable : (found.get(pointer.key) ?? missing)
    return { ...known, pointer: text }
  })
}

function keysOf(named: readonly (NamedPointer | null)[]): readonly string[] {
  return [...new Set(named.flatMap((one) => one?.pointer?.key ?? []))]
}

/** The member that `include=content` adds to each row, by what the rows name. */
export async function presentContent(
  named: readonly (NamedPointer | null)[],
  content: Pick<ContentReads, 'find'> | null,
): Promise<readonly string[]> {
  const found = await findContent(named, content, { total: contentLengthMax })
  let length = 0
  return found.map((one) => {
    const isBeyond = one?.isLeftOut === true || (length > contentLengthMax && one?.json != null)
    length += one?.json?.length ?? 0
    return contentMember(one !== null && isBeyond ? { ...one, sentence: usedUp, json: null } : one)
  })
}

/** About how many bytes an answer holds with content: as it was read, in the text of the rows, and as it is sent. */
export async function contentBytes(
  named: readonly (NamedPointer | null)[],
  content: Pick<ContentReads, 'measure'> | null,
): Promise<number> {
  const lengths = await content?.measure(keysOf(named))
  let shown = 0
  for (const one of named) {
    if (shown > contentLengthMax) break
    shown += lengths?.get(one?.pointer?.key ?? '') ?? 0
  }
  return shown * 3
}

const usedUp = 'The rows before this one used up the content of one answer.'

/** Content as a member of JSON text. */
export function contentMember(content: ShownContent | null): string {
  if (content === null) return '"content":null'
  const { state, sentence, pointer, json } = content
  const head = `"state":"${state}","sentence":${JSON.stringify(sentence)},"pointer":${JSON.stringify(pointer)}`
  return `"content":{${head},"json":${json ?? 'null'}}`
}
