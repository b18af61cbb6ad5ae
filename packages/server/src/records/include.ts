import { formatCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { KnownNames } from '@attestry/core/model/knownNames.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { choiceParameter } from '../pipeline/parameters/choiceParameter.ts'
import { includesNames } from '../pipeline/parameters/includesNames.ts'
import type { Parameter } from '../pipeline/parameters/parameter.ts'
import type { ApiContext } from '../apiContext.ts'
import type { Includes } from './furtherIncludes.ts'
import { contentBytes, pointersOf, presentContent } from './presentContent.ts'
import { encodedLengthMax, presentDecodedData } from './presentDecodedData.ts'
import { withMembers } from './presentAttestation.ts'

/** The words of `include` for attestations, with commas between them. */
export type Included = string

/** What `include` adds to records without payloads. */
export type IncludedBeside = 'protocol' | 'names' | 'protocol,names'

const aboutNames =
  '`names`: each carries in `names` what the operator and ENS call its addresses and its schema.'

/** @param further the includes of other packages, by their words. */
export function createIncludeParameter(further: Includes): Parameter<Included | null> {
  const words = ['decoded', 'protocol', 'content', ...Object.keys(further)]
  const aboutFurther = Object.entries(further).map(
    ([word, { description }]) => `\`${word}\`: ${description} `,
  )
  const choices = choicesOf(words)
  return choiceParameter<Included>({
    name: 'include',
    description:
      '`decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with ' +
      'the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. ' +
      '`protocol`: each carries its `protocol`, which tells records of one id apart. `content`: each carries the content behind its pointer, with its state. ' +
      `${aboutFurther.join('')}${aboutNames} Several stand in this order, with commas.`,
    choices: [...choices, 'names', ...choices.map((choice) => `${choice},names`)],
    told: `${words.join(', ')}, names, or several of them in this order with commas`,
  })
}

/** One word, two of them, and so on, each in the order of `words`. */
function choicesOf(words: readonly string[]): readonly string[] {
  let sized: readonly (readonly number[])[] = words.map((_, index) => [index])
  const choices: string[] = []
  while (sized.length > 0) {
    choices.push(...sized.map((indexes) => indexes.map((index) => words[index]).join(',')))
    sized = sized.flatMap((indexes) =>
      words.flatMap((_, index) => (index > (indexes.at(-1) ?? -1) ? [[...indexes, index]] : [])),
    )
  }
  return choices
}

/** The `include` of attestations, without what other packages add. */
export const includeParameter = createIncludeParameter({})

/** `include` of answers without payloads. */
export const includeProtocolParameter = choiceParameter({
  name: 'include',
  description: `\`protocol\`: each schema and attestation carries its \`protocol\`, which tells records of one id apart. ${aboutNames}`,
  choices: ['protocol', 'names', 'protocol,names'],
})

/** `include` of answers without schemas and attestations. */
export const includeNamesParameter = choiceParameter({
  name: 'include',
  description: aboutNames,
  choices: ['names'],
})

/** A schema, or an attestation, which has its schema on its own chain. */
interface PresentedRow {
  readonly key: RecordKey & { readonly protocol: ProtocolName }
  readonly schemaId?: RecordKey['localId']
}

/** `presentRow` with what `include` asks for. */
export function presentWith<Row extends PresentedRow>(
  include: IncludedBeside | null,
  { names }: Pick<ApiContext, 'names'>,
  presentRow: (row: Row) => string,
): (row: Row) => string {
  if (include === null) return presentRow
  return (row) => {
    const text = presentRow(row)
    const full = includesProtocol(include) ? withMembers(text, protocolMember(row.key)) : text
    return withNames(include, full, names, [schemaIdOf(row)])
  }
}

function schemaIdOf({ key, schemaId = key.localId }: PresentedRow): string {
  return formatCompositeId({ chainId: key.chainId, localId: schemaId })
}

/** `presentRow` of a row that is no record, with the names that `include` asks for. */
export function presentNamed<Row>(
  include: IncludedBeside | null,
  { names }: Pick<ApiContext, 'names'>,
  presentRow: (row: Row) => string,
  idOf: (row: Row) => readonly string[] = () => [],
): (row: Row) => string {
  return (row) => withNames(include, presentRow(row), names, idOf(row))
}

/**
 * The text of a row, with the member `names` where `include` asks for it: the names of all addresses that stand in it as
 * a whole text, and of `further` ids, by the text that stands there.
 */
export function withNames(
  include: string | null,
  rowJson: string,
  names: KnownNames,
  further: readonly string[],
): string {
  if (!includesNames(include)) return rowJson
  const ids = new Set(further)
  for (const [, address = ''] of rowJson.matchAll(/"(0x[0-9a-fA-F]{40})"/g)) ids.add(address)
  const found = [...ids].flatMap((id) => {
    const name = names.find(id)
    return name === undefined ? [] : [[id, name] as const]
  })
  return withMembers(rowJson, `"names":${JSON.stringify(Object.fromEntries(found))}`)
}

/** The protocol of a record as a member of JSON text; null where it was not kept. */
export function protocolMember({ protocol }: { readonly protocol: ProtocolName | null }): string {
  return `"protocol":${JSON.stringify(protocol)}`
}

export function includesDecoded(include: Included | null): boolean {
  return asksFor(include, 'decoded')
}

export function includesProtocol(include: Included | null): boolean {
  return asksFor(include, 'protocol')
}

/** Content arrives while the index stays as it is: answers with it are not kept. */
export function includesContent(include: Included | null): boolean {
  return asksFor(include, 'content')
}

/** Whether the rows are needed with their payloads: all words but these two may read them. */
export function readsPayloads(include: Included | null): boolean {
  return include?.split(',').some((word) => word !== 'protocol' && word !== 'names') === true
}

/** Whether the members can change while the index stays as it is. */
export function includedFollowsClock(include: Included | null, further: Includes): boolean {
  if (includesContent(include)) return true
  return Object.entries(further).some(([word, each]) => each.followsClock && asksFor(include, word))
}

function asksFor(include: Included | null, word: string): boolean {
  return include?.split(',').includes(word) === true
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
 * @throws OverloadedError where other answers hold as much as there is memory for.
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
 * The JSON text of each of `attestations`, with the members that `include` adds.
 * @throws OverloadedError where other answers hold as much content as there is memory for.
 */
export async function presentIncluded(
  attestations: readonly StoredAttestation[],
  include: Included | null,
  context: Presenting,
  present: (attestation: StoredAttestation) => string,
): Promise<readonly string[]> {
  if (include === null) return attestations.map(present)
  if (!includesContent(include)) return await presentMembers(attestations, include, context, present)
  const named = pointersOf(attestations, context.decodePayload)
  const bytes = await contentBytes(named, context.content)
  return await context.embedding.run(bytes, async () => {
    const contents = await presentContent(named, context.content)
    return await presentMembers(attestations, include, context, present, contents)
  })
}

async function presentMembers(
  attestations: readonly StoredAttestation[],
  include: Included,
  { decodePayload, names, includes }: Presenting,
  present: (attestation: StoredAttestation) => string,
  contents: readonly string[] = [],
): Promise<readonly string[]> {
  const decoded = includesDecoded(include) ? await presentDecodedData(attestations, decodePayload) : []
  const asked = Object.entries(includes).filter(([word]) => asksFor(include, word))
  const further = await Promise.all(asked.map(([, each]) => each.present(attestations)))
  return attestations.map((attestation, index) => {
    const { key } = attestation
    const protocol = includesProtocol(include) ? protocolMember(key) : undefined
    const others = further.map((each) => each[index])
    const members = [decoded[index], protocol, contents[index], ...others].filter(
      (member) => member !== undefined,
    )
    const text = present(attestation)
    const full = members.length === 0 ? text : withMembers(text, members.join(','))
    return withNames(include, full, names, [schemaIdOf(attestation)])
  })
}
