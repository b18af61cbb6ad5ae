import { formatCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { KnownName, KnownNames } from '@attestry/core/model/knownNames.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { JsonText } from '../pipeline/answers/writeJson.ts'
import { createIncludeParameter, type Included } from '../pipeline/parameters/includeParameter.ts'
import type { Parameter } from '../pipeline/parameters/parameter.ts'
import type { ApiContext } from '../apiContext.ts'
import type { Includes } from './furtherIncludes.ts'
import { contentBytes, pointersOf, presentContent, type ContentMembers } from './presentContent.ts'
import { encodedLengthMax, presentDecodedData, type DecodedMembers } from './presentDecodedData.ts'

const aboutProtocol =
  'each schema and attestation carries its `protocol`, which tells records of one id apart.'
const aboutNames = 'each carries in `names` what the operator and ENS call its addresses and its schema.'

/**
 * The `include` of attestations.
 * @param further the includes of other packages, by their words.
 */
export function attestationInclude(further: Includes): Parameter<Included> {
  return createIncludeParameter({
    decoded:
      'each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with ' +
      'the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so.',
    protocol: 'each carries its `protocol`, which tells records of one id apart.',
    content: 'each carries the content behind its pointer, with its state.',
    ...Object.fromEntries(Object.entries(further).map(([word, { description }]) => [word, description])),
    names: aboutNames,
  })
}

/** `include` of answers without payloads. */
export const includeProtocolParameter = createIncludeParameter({ protocol: aboutProtocol, names: aboutNames })

/** `include` of answers without schemas and attestations. */
export const includeNamesParameter = createIncludeParameter({ names: aboutNames })

/** A schema, or an attestation, which has its schema on its own chain. */
interface PresentedRow {
  readonly key: RecordKey & { readonly protocol: ProtocolName }
  readonly schemaId?: RecordKey['localId']
}

/** The members that `include` adds to any record. */
interface MembersBeside {
  readonly protocol?: string
  readonly names?: Names
}

type Names = Readonly<Record<string, KnownName>>

/** `presentRow` with what `include` asks for. */
export function presentWith<Row extends PresentedRow, Shown extends object>(
  include: Included,
  { names }: Pick<ApiContext, 'names'>,
  presentRow: (row: Row) => Shown,
): (row: Row) => Shown & MembersBeside {
  if (include.size === 0) return presentRow
  return (row) => {
    const shown = presentRow(row)
    const { protocol } = row.key
    const full = include.has('protocol') ? { ...shown, protocol } : shown
    return withNames(include, full, names, [schemaIdOf(row)])
  }
}

function schemaIdOf({ key, schemaId = key.localId }: PresentedRow): string {
  return formatCompositeId({ chainId: key.chainId, localId: schemaId })
}

/** `presentRow` of a row that is no record, with the names that `include` asks for. */
export function presentNamed<Row, Shown extends object>(
  include: Included,
  { names }: Pick<ApiContext, 'names'>,
  presentRow: (row: Row) => Shown,
  idsOf: (row: Row) => readonly string[] = () => [],
): (row: Row) => Shown & Pick<MembersBeside, 'names'> {
  return (row) => withNames(include, presentRow(row), names, idsOf(row))
}

/**
 * A row, with the member `names` where `include` asks for it: the names of all addresses that are a text in it, and of
 * `further` ids.
 */
export function withNames<Shown extends object>(
  include: Included,
  row: Shown,
  names: KnownNames,
  further: readonly string[],
): Shown & Pick<MembersBeside, 'names'> {
  if (!include.has('names')) return row
  const ids = new Set(further)
  for (const text of textsOf(row)) if (isAddress(text)) ids.add(text)
  const found = [...ids].flatMap((id) => {
    const name = names.find(id)
    return name === undefined ? [] : [[id, name] as const]
  })
  return { ...row, names: Object.fromEntries(found) }
}

/** All texts in a value, the names of members too. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value instanceof JsonText) yield* textsOf(JSON.parse(value.text))
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield name
      yield* textsOf(member)
    }
  }
}

function isAddress(text: string): boolean {
  return text.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(text)
}

/** Whether the rows are needed with their payloads: all words but these two may read them. */
export function readsPayloads(include: Included): boolean {
  return [...include].some((word) => word !== 'protocol' && word !== 'names')
}

/** Whether the members can change while the index stays as it is: content arrives, for example. */
export function includedFollowsClock(include: Included, further: Includes): boolean {
  return [...include].some((word) => word === 'content' || further[word]?.followsClock === true)
}

/**
 * Bytes of long payloads that are read for rows of which only decoded fields and content are shown: more are not decoded
 * in one answer.
 */
export const shownPayloadBytesMax = encodedLengthMax / 2

/** The first read of rows whose payloads are shown. Long payloads follow by `presentWhole`. */
export const wholeRow = { detail: true, schema: true, payloadBytesMax: shownPayloadBytesMax }

/** Of a payload, its hexadecimal digits are held as they were read, in the text of its row, and as they are sent. */
const heldPerByte = 6

/**
 * Presents rows with their payloads, the long ones of which are read one after the other; a row that left the index
 * meanwhile is null.
 * @throws OverloadedError if other answers hold as much as there is memory for.
 */
export async function presentWhole<Result>(
  reader: PastReader,
  rows: readonly StoredAttestation[],
  { embedding }: Pick<ApiContext, 'embedding'>,
  present: (rows: readonly (StoredAttestation | null)[]) => Promise<Result>,
): Promise<Result> {
  const bytes = rows.reduce((sum, { unreadBytes = 0 }) => sum + unreadBytes, 0)
  if (bytes === 0) return await present(rows)
  return await embedding.run(bytes * heldPerByte, async () => {
    const whole: (StoredAttestation | null)[] = []
    for (const row of rows) {
      whole.push(row.unreadBytes === undefined ? row : await reader.findAttestation(row.key))
      if (row.unreadBytes !== undefined) await takeTurn()
    }
    return await present(whole)
  })
}

type Presenting = Pick<ApiContext, 'decodePayload' | 'content' | 'names' | 'embedding' | 'includes'>

/**
 * Each of `attestations`, with the members that `include` adds.
 * @throws OverloadedError if other answers hold as much content as there is memory for.
 */
export async function presentIncluded<Shown extends object>(
  attestations: readonly StoredAttestation[],
  include: Included,
  context: Presenting,
  present: (attestation: StoredAttestation) => Shown,
): Promise<readonly (Shown & IncludedMembers)[]> {
  if (include.size === 0) return attestations.map(present)
  if (!include.has('content')) return await presentMembers(attestations, include, context, present)
  const named = pointersOf(attestations, context.decodePayload)
  const bytes = await contentBytes(named, context.content)
  return await context.embedding.run(bytes, async () => {
    const contents = await presentContent(named, context.content)
    return await presentMembers(attestations, include, context, present, contents)
  })
}

/** The members that `include` adds to an attestation. */
type IncludedMembers = MembersBeside & Partial<DecodedMembers & ContentMembers>

async function presentMembers<Shown extends object>(
  attestations: readonly StoredAttestation[],
  include: Included,
  { decodePayload, names, includes }: Presenting,
  present: (attestation: StoredAttestation) => Shown,
  contents: readonly ContentMembers[] = [],
): Promise<readonly (Shown & IncludedMembers)[]> {
  const decoded = include.has('decoded') ? await presentDecodedData(attestations, decodePayload) : []
  const asked = Object.entries(includes).filter(([word]) => include.has(word))
  const further = await Promise.all(asked.map(([, each]) => each.present(attestations)))
  return attestations.map((attestation, index) => {
    const { protocol } = attestation.key
    const row: Shown & IncludedMembers = {
      ...present(attestation),
      ...decoded[index],
      ...(include.has('protocol') ? { protocol } : {}),
      ...contents[index],
    }
    const full = Object.assign(row, ...further.map((each) => each[index])) as typeof row
    return withNames(include, full, names, [schemaIdOf(attestation)])
  })
}
