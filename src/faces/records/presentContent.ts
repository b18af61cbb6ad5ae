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

/** The member that `include=content` adds to a row, for each of `attestations`; null for a record that names none. */
export async function presentContent(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
  content: Pick<ContentReads, 'find'> | null,
): Promise<readonly string[]> {
  const named = attestations.map((attestation) => namedPointers(attestation, decodePayload)[0] ?? null)
  const keys = named.flatMap((one) => one?.pointer?.key ?? [])
  const found = (await content?.find([...new Set(keys)])) ?? new Map<string, KnownContent>()
  let length = 0
  return named.map((one) => {
    if (one === null) return '"content":null'
    const { pointer, text } = one
    const missing = content === null ? notConfigured : notFetched
    const { state, sentence, json } = pointer === null ? unreadable : (found.get(pointer.key) ?? missing)
    const isBeyond = length > contentLengthMax
    length += json?.length ?? 0
    const told =
      isBeyond && json !== null ? 'The rows before this one used up the content of one answer.' : sentence
    const head = `"state":"${state}","sentence":${JSON.stringify(told)},"pointer":${JSON.stringify(text)}`
    return `"content":{${head},"json":${isBeyond ? 'null' : (json ?? 'null')}}`
  })
}
