import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { ContentReads } from '../../model/contentReads.ts'
import type { KnownContent } from '../../model/knownContent.ts'
import { namedPointers } from '../../model/namedPointers.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'

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

/** The content of each of `attestations`; null for a record that names none. */
export async function findContent(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
  content: Pick<ContentReads, 'find'> | null,
): Promise<readonly (ShownContent | null)[]> {
  const named = attestations.map((attestation) => namedPointers(attestation, decodePayload)[0] ?? null)
  const keys = named.flatMap((one) => one?.pointer?.key ?? [])
  const found = (await content?.find([...new Set(keys)])) ?? new Map<string, KnownContent>()
  const missing = content === null ? notConfigured : notFetched
  return named.map((one) => {
    if (one === null) return null
    const { pointer, text } = one
    const known = pointer === null ? unreadable : (found.get(pointer.key) ?? missing)
    return { ...known, pointer: text }
  })
}

/** The member that `include=content` adds to a row, for each of `attestations`; null for a record that names none. */
export async function presentContent(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
  content: Pick<ContentReads, 'find'> | null,
): Promise<readonly string[]> {
  const found = await findContent(attestations, decodePayload, content)
  let length = 0
  return found.map((one) => {
    const isBeyond = length > contentLengthMax
    length += one?.json?.length ?? 0
    return contentMember(
      one !== null && isBeyond && one.json !== null ? { ...one, sentence: usedUp, json: null } : one,
    )
  })
}

const usedUp = 'The rows before this one used up the content of one answer.'

/** Content as a member of JSON text. */
export function contentMember(content: ShownContent | null): string {
  if (content === null) return '"content":null'
  const { state, sentence, pointer, json } = content
  const head = `"state":"${state}","sentence":${JSON.stringify(sentence)},"pointer":${JSON.stringify(pointer)}`
  return `"content":{${head},"json":${json ?? 'null'}}`
}
