import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ContentLimits, ContentReads } from '@attestry/core/model/contentReads.ts'
import type { KnownContent, ShownContent } from '@attestry/core/model/knownContent.ts'
import { namedPointers, type NamedPointer } from '@attestry/core/model/namedPointers.ts'
import { jsonText } from '../pipeline/answers/writeJson.ts'
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

/** The pointer of a record whose payload was not read. */
const unread: NamedPointer = { pathText: '', text: '', pointer: null }

/** The content that each of `attestations` names; null for a record that names none. */
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

/** Presents the content that rows name: the member that `include=content` adds to each. */
export async function presentContent(
  named: readonly (NamedPointer | null)[],
  content: Pick<ContentReads, 'find'> | null,
): Promise<readonly ContentMembers[]> {
  const found = await findContent(named, content, { total: contentLengthMax })
  let length = 0
  return found.map((one) => {
    const isBeyond = one?.isLeftOut === true || (length > contentLengthMax && one?.json != null)
    length += one?.json?.length ?? 0
    return contentMembers(one !== null && isBeyond ? { ...one, sentence: usedUp, json: null } : one)
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

/** The content of a record as a member of it. */
export interface ContentMembers {
  readonly content: (Omit<ShownContent, 'json' | 'isLeftOut'> & { readonly json: unknown }) | null
}

export function contentMembers(content: ShownContent | null): ContentMembers {
  if (content === null) return { content }
  const { state, sentence, pointer, json } = content
  return { content: { state, sentence, pointer, json: json === null ? null : jsonText(json) } }
}
