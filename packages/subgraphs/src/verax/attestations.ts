import { parseCompositeId, parseLocalId } from '@attestry/core/model/compositeId.ts'
import { noBytes, parseHex, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import type { PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import { detailOf, formatRecipient, recipientsOf, parseFields } from '@attestry/core/model/recordJson.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type {
  AttestationOrigin,
  StoredAttestation,
  StoredSchema,
} from '@attestry/core/index/storedRecords.ts'
import type { FieldCondition } from '../engine/condition.ts'
import { comparedValues, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import {
  addressPart,
  attestationRules,
  flagPart,
  openAttestations,
  schemaPart,
  type ReadRules,
} from '../engine/planReads.ts'
import { loadAll, readAttestations } from '../engine/readByIds.ts'
import { mapBatches } from '../engine/rowSource.ts'
import { field, idOf } from './fields.ts'
import { portalEntity, type PortalNode } from './registrations.ts'
import { schemaEntity } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

/** An attestation of the index, for an interface in the form of Verax's subgraph. */
export interface AttestationRow {
  readonly stored: StoredAttestation
  /** undefined if it was not asked for; null if the attestation is no longer indexed. */
  origin?: AttestationOrigin | null
  /** undefined if it was not asked for; aliases of one field ask for it again. */
  decoded?: Promise<readonly string[] | null>
}

const fields: GraphNodeEntity<AttestationRow, VeraxContext>['fields'] = {
  id: field('ID!', ({ stored }) => stored.key.localId),
  schema: idOf(({ stored }) => stored.schemaId),
  schemaId: field('Bytes!', ({ stored }) => stored.schemaId),
  replacedBy: field('Bytes!', ({ stored }) => replacedBy(stored), {
    description: 'The attestation that replaced it; zeros where none did.',
  }),
  attester: field('Bytes!', ({ stored }) => stored.attester.toLowerCase()),
  portal: idOf(({ stored }) => stored.portal ?? zeroAddress),
  attestedDate: field('BigInt!', ({ stored }) => stored.attestTimestamp),
  expirationDate: field('BigInt!', ({ stored }) => detailOf(stored.detail).validUntil, { kind: 'uint' }),
  revocationDate: field('BigInt!', ({ stored }) => Number(stored.revocation?.timestamp ?? 0)),
  version: field('BigInt!', versionOf, {
    description: 'That of the registry when it made the attestation; zero where it is not known.',
    resolve: async (row, _values, context) => String(versionOf(await withOrigin(context, row))),
  }),
  revoked: field('Boolean!', ({ stored }) => stored.revocation !== null),
  subject: field('Bytes!', ({ stored }) => subjectOf(stored), {
    description: 'An address, or the bytes of any other subject.',
  }),
  encodedSubject: field('Bytes!', encodedSubject, {
    description: 'The bytes as they were attested.',
    resolve: async (row, _values, context) => encodedSubject(await withOrigin(context, row)),
  }),
  attestationData: field('Bytes!', ({ stored }) => detailOf(stored.detail).data),
}

/** Ids count the attestations of a registry, so that two orders are the order of listings. */
export const attestationEntity: GraphNodeEntity<AttestationRow, VeraxContext> = {
  name: 'Attestation',
  fields,
  related: { schema: 'Schema', portal: 'Portal' },
  relations: {
    schema: {
      load: async (context, rows) => {
        const ids = rows.map(({ stored }) => stored.schemaId)
        const found = await loadAll(context.schemas, ids)
        return ids.map((id, at) => {
          const stored = found[at] ?? null
          return stored && ((name) => schemaEntity.valueOf(context, { id, stored }, name))
        })
      },
    },
    portal: {
      load: (context, rows) =>
        Promise.resolve(rows.map((row) => (name) => portalEntity.valueOf(context, portalNode(row), name))),
    },
  },
  walkedFields: ['id', 'attestedDate'],
  valueOf: comparedValues(fields),
  async open(context, request) {
    const opened = await openAttestations(veraxAttestations, context, request, read, (stored) => ({ stored }))
    return {
      ...opened,
      read: (needed) =>
        mapBatches(opened.read(needed), async (rows: readonly AttestationRow[]) =>
          needed.has('version') || needed.has('encodedSubject')
            ? await Promise.all(rows.map((row) => withOrigin(context, row)))
            : rows,
        ),
    }
  },
  async find(context, id) {
    const localId = parseLocalId(id)
    const [stored] = localId === null ? [] : await readAttestations(context, [localId], read)
    return stored === undefined ? null : { stored }
  },
}

/** Rows with their details, which hold data and portal; schemas are loaded where they are asked for. */
const read = { detail: true, schema: false }

/** The portal of an attestation in a query. */
export function portalNode({ stored }: AttestationRow): PortalNode {
  return { address: stored.portal ?? zeroAddress, portalBody: stored.portalBody }
}

async function withOrigin({ origins }: VeraxContext, row: AttestationRow): Promise<AttestationRow> {
  if (row.origin === undefined) row.origin = await origins.load(row.stored.key.localId)
  return row
}

function versionOf({ origin }: AttestationRow): number {
  return origin?.contractVersion ?? 0
}

function encodedSubject({ stored, origin }: AttestationRow): string {
  return origin?.subject ?? subjectOf(stored)
}

/** Narrows reads by the fields of attestations. */
const veraxAttestations: ReadRules<VeraxContext, AttestationFilter> = {
  ...attestationRules,
  fields: {
    schema: schemaPart,
    schemaId: schemaPart,
    portal: addressPart('portal'),
    attester: addressPart('attester'),
    subject: (context, value) => subjectFilter(context, String(value)),
    revoked: flagPart('revoked'),
  },
  absent: { portal: zeroAddress },
  loose: ['subject'],
  times: [
    { fields: ['attestedDate'], from: 'attestedFrom', before: 'attestedBefore' },
    { fields: ['revocationDate'], from: 'revokedFrom', before: 'revokedBefore', none: 0 },
  ],
  narrow: narrowByIds,
}

/** Only imported records have no bytes as their subject, and no index lists these. */
function subjectFilter({ protocol }: VeraxContext, value: string): Partial<AttestationFilter> | null {
  const bytes = parseHex(value)
  if (bytes === null) return null
  const subject = protocol.decodeSubject(bytes)
  if (subject === null) return {}
  return {
    recipient: subject.kind === 'address' ? subject : { kind: 'value', value: formatRecipient(subject) },
  }
}

/** Narrows the times by bounds of ids, which grow with time: the time of a known attestation is a bound. */
async function narrowByIds(
  context: VeraxContext,
  tests: readonly FieldCondition[],
  filters: readonly AttestationFilter[],
): Promise<readonly AttestationFilter[]> {
  let from = 0
  let before = Infinity
  for (const { field, test } of tests) {
    if (field !== 'id' || test.kind === 'in' || test.kind === 'like' || test.kind === 'bytes') continue
    const found = (await attestationEntity.find?.(context, String(test.value))) ?? null
    if (found === null) continue
    if (test.kind === 'gt' || test.kind === 'gte') from = Math.max(from, found.stored.attestTimestamp)
    else before = Math.min(before, found.stored.attestTimestamp + 1)
  }
  return filters.map((filter) => {
    const attestedFrom = Math.max(filter.attestedFrom ?? 0, from) || null
    const attestedBefore = Math.min(filter.attestedBefore ?? Infinity, before)
    return { ...filter, attestedFrom, attestedBefore: attestedBefore === Infinity ? null : attestedBefore }
  })
}

/** The reason of a replacement is made by the adapter; revocations on Verax have no reason of their own. */
function replacedBy({ revocation }: StoredAttestation): string {
  const [, id = ''] = /^replaced by (\S+)$/.exec(revocation?.reason ?? '') ?? []
  const parsed = parseCompositeId(id)
  return parsed.kind === 'record' ? parsed.key.localId : zeroHash
}

/** An address or other bytes as they are, the bytes of a text; no bytes where there is no subject. */
function subjectOf(stored: StoredAttestation): string {
  const [recipient] = recipientsOf(stored)
  if (recipient === undefined) return noBytes
  if (/^0x(?:[0-9a-f]{2})+$/i.test(recipient)) return recipient.toLowerCase()
  return `0x${Buffer.from(recipient, 'utf8').toString('hex')}`
}

/** The values of the payload as the subgraph prints them; null if the schema does not decode the payload. */
export function decodedDataOf(context: VeraxContext, row: AttestationRow): Promise<readonly string[] | null> {
  return (row.decoded ??= decodeRow(context, row))
}

async function decodeRow(context: VeraxContext, row: AttestationRow): Promise<readonly string[] | null> {
  const schema = await context.schemas.load(row.stored.schemaId)
  await context.budget.pause()
  return schema && decodeTexts(context, row.stored, schema)
}

function decodeTexts(
  { decodePayload, protocol, budget }: VeraxContext,
  { detail }: StoredAttestation,
  { fieldsJson }: StoredSchema,
): readonly string[] | null {
  const decoded = decodePayload({
    protocol: protocol.name,
    // The store made the text of such fields.
    fields: parseFields(fieldsJson),
    data: detailOf(detail).data,
    dataLocation: 'ONCHAIN',
  })
  if (decoded.kind === 'undecodable') return null
  const texts = decoded.values.map(({ type, value }) => printValue(type, value))
  budget.write(texts.reduce((sum, text) => sum + text.length, 0))
  return texts
}

/** Integers in hexadecimal, addresses in lower case, the elements of lists and tuples joined by commas. */
function printValue(type: string, value: PayloadValue): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    return value
      .map((part) =>
        typeof part === 'object' && 'value' in part
          ? printValue(part.type, part.value)
          : printValue(type, part),
      )
      .join(',')
  }
  if (/^u?int/.test(type)) {
    const integer = BigInt(value)
    return integer < 0n ? `-0x${(-integer).toString(16)}` : `0x${integer.toString(16)}`
  }
  return type.startsWith('address') ? value.toLowerCase() : value
}
