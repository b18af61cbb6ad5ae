import { parseLocalId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import { detailOf, recipientsOf } from '@attestry/core/model/recordJson.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { StoredOffchain } from '@attestry/trust/offchainStore/offchainStore.ts'
import { isEverything, type Condition } from '../engine/condition.ts'
import { fieldsOf } from '../engine/matchCondition.ts'
import { openAttestationArms, planReads } from '../engine/planReads.ts'
import { bool, hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { placeAttestations, readAttestations, sizeOf } from '../engine/readByIds.ts'
import { mapBatches, type PlacedRow } from '../engine/rowSource.ts'
import { walkArms, type ReadArm } from '../engine/walkArms.ts'
import { countGroups, countUnion } from './counts.ts'
import { formatOf, type EasContext } from './easContext.ts'
import { countOffchain, findOffchainRow, offchainArms, type OffchainRow } from './offchainArms.ts'
import { easAttestations, intMax } from './planAttestations.ts'
import { schemaFields } from './schemas.ts'
import { skipTo } from './skipTo.ts'

/** An attestation of the index in the form of easscan. */
export interface AttestationRow extends PlacedRow {
  readonly stored: StoredAttestation
  /** The entry of the store of off-chain attestations that the row is of. */
  readonly offchain?: StoredOffchain
  /** undefined if it was not asked for; null if the schema is not indexed. */
  schema?: StoredSchema | null
  /** `decodedDataJson`, once it was made. */
  decoded?: string
}

const fields: PrismaEntity<AttestationRow, EasContext>['fields'] = {
  id: hex(({ stored }) => stored.key.localId),
  data: hex(({ stored }) => detailOf(stored.detail).data),
  decodedDataJson: text((row, context) => (row.decoded ??= decodedDataJson(context, row))),
  recipient: hex(({ stored }) => recipientOf(stored)),
  attester: hex(({ stored }) => stored.attester),
  time: int(({ stored }) => stored.attestTimestamp),
  timeCreated: int(({ stored }) => stored.attestTimestamp),
  expirationTime: int(({ stored }) => clampTime(detailOf(stored.detail).validUntil)),
  revocationTime: int(({ stored }) => clampTime(stored.revocation?.timestamp ?? '0')),
  refUID: hex(({ stored }) => detailOf(stored.detail).linkedAttestation ?? zeroHash),
  revocable: bool(({ stored, schema }) => stored.revocable ?? schema?.revocable ?? false),
  revoked: bool(({ stored }) => stored.revocation !== null),
  txid: hex(({ stored }) => detailOf(stored.detail).transactionHash),
  schemaId: hex(({ stored }) => stored.schemaId),
  ipfsHash: text(({ offchain }) => offchain?.contentId ?? ''),
  isOffchain: bool(({ offchain }) => offchain !== undefined),
}

/** The fields by which attestations are ordered beside their own. */
const schemaOrders = Object.entries(schemaFields)
  .filter(([name]) => name !== 'schema' && name !== 'index')
  .map(([name, { kind, value }]) => {
    const ofSchema = ({ schema }: AttestationRow, context: EasContext) =>
      schema == null ? '' : value({ stored: schema }, context)
    return [`schema.${name}`, { kind, value: ofSchema }] as const
  })

export const attestationEntity: PrismaEntity<AttestationRow, EasContext> = {
  name: 'Attestation',
  many: 'attestations',
  takeDefault: 100,
  fields,
  relatedTo: { schema: { entity: 'Schema', isList: false, local: 'schemaId', foreign: 'id' } },
  walkedFields: ['time', 'timeCreated'],
  furtherOrders: schemaOrders.map(([name]) => name),
  valueOf: valuesOf({ ...fields, ...Object.fromEntries(schemaOrders) }),

  async open(context, { condition, order, after, fields: selected, expected }) {
    const plan = await planReads(easAttestations, context, condition)
    const offchain = await offchainArms(context, condition)
    // Lists of off-chain attestations say less of a condition than those of the index.
    const rest = offchain.length > 0 ? condition : plan.rest
    const read = partsFor([...selected, ...fieldsOf(rest)])
    const needsPlaces = after !== null || offchain.length > 0
    const arms: ReadArm<ListedAttestation>[] = await openAttestationArms(context, plan, read, needsPlaces)
    arms.push(...offchain)
    return {
      rest,
      read: (needed) =>
        mapBatches(walkArms(arms, { order, after, expected }, context.budget, sizeOf), async (batch) => {
          const rows = batch.map(toRow)
          if (needsSchema(needed)) await attachSchemas(context, rows)
          return rows
        }),
    }
  },

  async skipTo(context, condition, skip) {
    const filter = await findSoleFilter(context, condition)
    return filter == null ? null : await skipTo(context, filter, skip)
  },

  async find(context, id, selected, needsPlace) {
    const localId = parseLocalId(id)
    if (localId === null) return null
    const found = await readAttestations(context, [localId], partsFor([...selected, 'txid']))
    const [onchain] = await placeAttestations(context, found, needsPlace)
    const stored = onchain ?? (await findOffchainRow(context, localId))
    if (stored === null) return null
    const row = toRow(stored)
    if (needsSchema(selected)) await attachSchemas(context, [row])
    return row
  },

  async count(context, condition) {
    const { filters, rest } = await planReads(easAttestations, context, condition)
    if (!isEverything(rest)) return null
    const offchain = await countOffchain(context, condition)
    if (offchain === null) return null
    const onchain = await countUnion(filters, (filter) =>
      context.countRows(() => context.reader.countAttestations(filter)),
    )
    return onchain === null ? null : onchain + offchain
  },

  async countGroups(context, condition, field, wanted) {
    const filter = await findSoleFilter(context, condition)
    if (filter === null) return null
    return filter === undefined ? [] : await countGroups(context, filter, field, wanted)
  },
}

/** The filter that all rows which match pass, and no others; undefined if no row matches, null if no filter is that. */
async function findSoleFilter(
  context: EasContext,
  condition: Condition,
): Promise<AttestationFilter | undefined | null> {
  const { filters, rest } = await planReads(easAttestations, context, condition)
  if (!isEverything(rest) || filters.length > 1) return null
  return (await countOffchain(context, condition)) === 0 ? filters[0] : null
}

/** The fields that need more than a summary. */
const detailFields = ['data', 'decodedDataJson', 'expirationTime', 'refUID', 'txid']

function partsFor(needed: readonly string[]) {
  return { detail: needed.some((field) => detailFields.includes(field)), schema: false }
}

/** Whether the value of a field is made of the schema. */
function needsSchema(needed: Iterable<string>): boolean {
  return [...needed].some(
    (field) => field === 'decodedDataJson' || field === 'revocable' || field.startsWith('schema.'),
  )
}

/** An attestation of the index, or of the store. */
type ListedAttestation = StoredAttestation & Partial<Pick<OffchainRow, 'offchain'>>

function toRow(stored: ListedAttestation & PlacedRow): AttestationRow {
  const { offchain, place } = stored
  return { stored, place, ...(offchain === undefined ? {} : { offchain }) }
}

async function attachSchemas({ schemas }: EasContext, rows: readonly AttestationRow[]): Promise<void> {
  await Promise.all(
    rows.map(async (row) => {
      row.schema = await schemas.load(row.stored.schemaId)
    }),
  )
}

/** Recipients on EAS are one address, or none. */
function recipientOf(stored: StoredAttestation): string {
  return recipientsOf(stored)[0] ?? zeroAddress
}

function clampTime(digits: string): number {
  return Math.min(Number(digits), intMax)
}

function decodedDataJson(context: EasContext, { stored, schema }: AttestationRow): string {
  if (schema == null) return ''
  const json = formatOf(context, stored.schemaId, schema)(detailOf(stored.detail).data)
  context.budget.write(json.length)
  return json
}
