import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { HoldingsRequest } from '@attestry/core/index/indexQueries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { Dialect } from '../port/dialect.ts'
import type { KeyColumns, Reads } from '../port/reads.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { fieldState } from '../layout/fieldState.ts'
import { isLookedUp } from './fieldArms.ts'
import { resolveField, type FieldList } from './fieldLists.ts'
import { findAddress } from './addressLists.ts'
import { cutOf, type Cut } from './cut.ts'
import { checkedFields, checkedRowsMax, createPayloadCheck, type PayloadCheck } from './payloadCheck.ts'
import type { StatementSession } from './session.ts'
import { findAttestations } from './storedAttestation.ts'
import { findSchemaRow, type SchemaIdentity } from './storedSchema.ts'
import type { Effort } from './tallyRows.ts'
import { isValid, isValidAsOf, madeUpTo } from './validity.ts'

/** How much one request may look at. */
export interface HoldingLimits {
  /** How many of the newest attestations of each address are looked at first: most holders hold one of them. */
  readonly firstStep: number
  /**
   * Attestations that may be looked at after the first step, of all addresses together. Strangers decide how many one
   * address has: each may take an equal part, and some up to a quarter of what is left.
   */
  readonly rowsMax: number
}

const limitsDefault: HoldingLimits = { firstStep: 8, rowsMax: 400_000 }

/**
 * By how much a step is longer than the one before; it is made only for the addresses that the one before left open.
 */
const stepGrowth = 8

/** About how many attestations one statement looks at if no other read waits for it. */
const statementRowsMax = 80_000

/** The result of a step for an address: the newest attestation, preferring one that counts. */
type HoldingRow = [
  localId: string,
  counts: boolean | number,
  passed: number,
  timestamp: number,
  id: string,
  attesterId: number,
]

/** An address that has too few attestations yet. */
interface OpenAddress {
  readonly index: number
  readonly id: number
  /** Behind which place its attestations are still to be looked at. */
  readonly before: { readonly timestamp: number; readonly id: bigint }
  readonly attesters: readonly number[]
  /** How many attestations were looked at for it. */
  readonly cost: number
}

/** The values that all addresses of a request share. */
interface Shared {
  readonly schemaId: number
  readonly attesterIds: readonly number[] | null
  readonly at: number
  readonly madeUpTo: number
  readonly attestedFrom: number
  /** The greatest row id up to the last block that counts. */
  readonly upTo: bigint
  readonly role: HoldingsRequest['role']
  /** The time of the last block that counts. */
  readonly time: number
  readonly kind: HoldingsRequest['valid']['kind']
  /** The lists of the conditions on fields that the index of fields answers. */
  readonly lists: readonly (readonly FieldList[])[]
}

const idMax = 2n ** 63n - 1n

/**
 * The newest attestations by which each address is a holder, in the order of the addresses; null for an address with
 * more attestations that do not count than may be looked at. Null instead of the list if the effort does not suffice.
 */
export async function findHoldings(
  session: StatementSession,
  request: HoldingsRequest,
  decodePayload: DecodePayload,
  effort: Effort,
  { firstStep, rowsMax } = limitsDefault,
): Promise<readonly (readonly StoredKey[] | null)[] | null> {
  const reads = session.connection
  const { addresses, schema, attestersMin } = request
  const found = addresses.map((): StoredKey[] | null => [])
  const schemaRow = await findSchemaRow(session, schema)
  const fields = schemaRow === null ? noFields : await resolveFields(reads, request.fields, schemaRow)
  const shared = schemaRow === null ? null : await findShared(session, request, schemaRow.id, fields.lists)
  if (schemaRow === null || shared === null) return found
  const holding = { chainId: schema.chainId, protocol: schemaRow.protocol }
  if (effort.pace === null && addresses.length * firstStep > effort.rowsMax) return null
  const ids = await findAddressIds(reads, addresses, effort)
  const before = { timestamp: Number.MAX_SAFE_INTEGER, id: idMax }
  let open = [...ids.entries()].flatMap(([index, row]): OpenAddress[] =>
    row === undefined ? [] : [{ index, id: row[0], before, attesters: [], cost: 0 }],
  )
  const { whole = { addresses: addresses.length, rowsLeft: null } } = request
  const leftBefore = whole.rowsLeft ?? rowsMax
  let left = leftBefore
  const mayGoOn = (cost: number) => cost <= Math.max(rowsMax / whole.addresses, left / 4)
  const check = createPayloadCheck(fields.unindexed, decodePayload)
  // Each row that stands is looked up in the lists.
  const rowCost = 1 + shared.lists.reduce((sum, lists) => sum + lists.length, 0)
  for (let step = firstStep, isFirst = true; open.length > 0; isFirst = false) {
    const sql = holdingSql(reads.dialect, shared, step)
    const further: OpenAddress[] = []
    let isShort = false
    for (let start = 0; start < open.length;) {
      const part = open.slice(start, start + Math.ceil((await statementRows(effort)) / (step * rowCost)))
      start += part.length
      const rows = await reads.firstOf<HoldingRow>(sql, keysOf(part, shared))
      const passes = await checkPayloads(session, rows, { holding, check, costMax: left + rowsMax })
      for (const [order, address] of part.entries()) {
        const row = rows[order]
        if (row === undefined) continue
        const [localId, counts, passed, timestamp, id, attesterId] = row
        const { isRight, cost: payloadCost } = passes[order] ?? { isRight: true, cost: 0 }
        const added = (isFirst ? 0 : passed * rowCost) + (counts ? payloadCost : 0)
        left -= added
        const cost = address.cost + added
        if (!counts && passed < step) continue
        const isNew = counts && isRight && !address.attesters.includes(attesterId)
        if (isNew) found[address.index]?.push({ ...holding, localId: `0x${localId}` as LocalId })
        const attesters = isNew ? [...address.attesters, attesterId] : address.attesters
        if (attesters.length >= attestersMin) continue
        if (!mayGoOn(cost)) found[address.index] = null
        else if (counts) further.push({ ...address, attesters, cost, before: { timestamp, id: BigInt(id) } })
        else {
          further.push({ ...address, cost })
          isShort = true
        }
      }
      if (effort.pace === null && leftBefore - left > effort.rowsMax) return null
    }
    open = further
    if (isShort) step = Math.min(step * stepGrowth, rowsMax + 1)
  }
  whole.rowsLeft = left
  return found
}

/** Finds the values that the statements of a request need; null if no attestation can count. */
async function findShared(
  { connection: reads, cut }: StatementSession,
  { schema, attesters, attestedFrom, valid, role }: HoldingsRequest,
  schemaId: number,
  lists: Shared['lists'],
): Promise<Shared | null> {
  // No attestation has a value that fulfils the condition.
  if (lists.some(({ length }) => length === 0)) return null
  const attesterIds = attesters === null ? null : await findAttesterIds(reads, attesters)
  if (attesterIds?.length === 0) return null
  const end = await findEnd(reads, cut, schema.chainId, valid)
  if (end === null) return null
  return {
    schemaId,
    attesterIds,
    at: valid.at,
    madeUpTo: madeUpTo(valid),
    attestedFrom: attestedFrom ?? 0,
    role,
    lists,
    ...end,
  }
}

const noFields = { lists: [], unindexed: [] }

/** The conditions that the index of fields answers, as lists, and those for which payloads are looked at. */
async function resolveFields(
  reads: Reads,
  conditions: readonly FieldCondition[],
  schema: Pick<SchemaIdentity, 'id' | 'fieldState'>,
): Promise<{ readonly lists: Shared['lists']; readonly unindexed: readonly FieldCondition[] }> {
  if (schema.fieldState !== fieldState.complete) return { lists: [], unindexed: conditions }
  const resolved = await Promise.all(
    conditions.map((condition) => resolveField(reads, condition, schema.id, null)),
  )
  return {
    lists: resolved.map(({ lists }) => lists).filter(isLookedUp),
    unindexed: resolved.filter(({ lists }) => !isLookedUp(lists)).map(({ condition }) => condition),
  }
}

/** Finds the end of the attestations of a chain for a request; null if the chain has none. */
async function findEnd(
  reads: Reads,
  cut: Cut | null,
  chainId: ChainId,
  valid: HoldingsRequest['valid'],
): Promise<Pick<Shared, 'kind' | 'upTo' | 'time'> | null> {
  if (cut !== null) {
    const chain = cutOf(cut, chainId)
    return chain && { kind: 'block', upTo: chain.upTo, time: chain.claimTime }
  }
  if (valid.kind !== 'block') {
    return { kind: valid.kind, upTo: idMax, time: valid.at }
  }
  const chain = await reads.get<[number]>('SELECT ordinal FROM chain WHERE chain_id = ?', chainId)
  if (chain === undefined) return null
  const upTo = rowIdsAbove(chain[0], valid.block).first - 1n
  return { kind: 'block', upTo, time: valid.at }
}

async function findAttesterIds(reads: Reads, attesters: readonly Address[]): Promise<readonly number[]> {
  const rows = await Promise.all(attesters.map((attester) => findAddress(reads, attester)))
  return rows.flatMap((row) => (row === null ? [] : [row.id])).sort((a, b) => a - b)
}

interface PayloadWork {
  readonly holding: Omit<StoredKey, 'localId'>
  readonly check: PayloadCheck | null
  /** Beyond so much, payloads are not looked at. */
  readonly costMax: number
}

/**
 * Whether the payloads of the rows that count fulfil the conditions, and what looking cost, in rows; infinitely much
 * where it was not done.
 */
async function checkPayloads(
  session: StatementSession,
  rows: readonly (HoldingRow | undefined)[],
  { holding, check, costMax }: PayloadWork,
): Promise<readonly ({ readonly isRight: boolean; readonly cost: number } | undefined)[]> {
  if (check === null) return []
  const results: { readonly isRight: boolean; readonly cost: number }[] = []
  const candidates = rows.flatMap((row, order) =>
    row !== undefined && row[1] ? [{ order, localId: row[0] }] : [],
  )
  let left = costMax
  // Few payloads are in memory at the same time.
  for (let start = 0; start < candidates.length;) {
    const part = candidates.slice(start, start + checkedRowsMax)
    if (left < 0) {
      for (const { order } of part) results[order] = { isRight: false, cost: Infinity }
      start += part.length
      continue
    }
    const keys = part.map(({ localId }) => ({ ...holding, localId: `0x${localId}` as LocalId }))
    const attestations = await findAttestations(session, keys, checkedFields)
    for (const [index, { order }] of part.entries()) {
      const attestation = attestations[index] ?? null
      if (attestation?.unreadBytes !== undefined) break
      start += 1
      results[order] =
        attestation === null
          ? { isRight: false, cost: 1 }
          : { isRight: check.passes(attestation), cost: check.costOf(attestation) }
      left -= results[order].cost
    }
  }
  return results
}

/** About how many attestations the next statement may look at, once it may begin. */
async function statementRows({ pace }: Effort): Promise<number> {
  return pace?.isShared === true ? await pace.next() : statementRowsMax
}

/** The row ids of addresses; undefined for those that no record names. */
async function findAddressIds(
  reads: Reads,
  addresses: readonly Address[],
  effort: Effort,
): Promise<readonly ([number] | undefined)[]> {
  const ids: ([number] | undefined)[] = []
  while (ids.length < addresses.length) {
    const part = addresses.slice(ids.length, ids.length + (await statementRows(effort)))
    const found = await reads.firstOf<[number]>('SELECT d.id FROM address d WHERE d.bytes = k.bytes', {
      bytes: { type: 'bytes', values: part.map(hexBytes) },
    })
    for (const [index] of part.entries()) ids.push(found[index])
  }
  return ids
}

function keysOf(
  open: readonly OpenAddress[],
  { schemaId, attesterIds, at, madeUpTo: upToTime, attestedFrom, upTo, time, kind }: Shared,
): KeyColumns {
  const constant = (value: number) => ({ type: 'int53' as const, values: open.map(() => value) })
  const [attesterId, ...others] = attesterIds ?? []
  return {
    address_id: { type: 'int53', values: open.map(({ id }) => id) },
    schema_id: constant(schemaId),
    at: constant(at),
    made_up_to: constant(upToTime),
    made_from: constant(attestedFrom),
    before_time: { type: 'int53', values: open.map(({ before }) => before.timestamp) },
    before_id: { type: 'int64', values: open.map(({ before }) => before.id) },
    ...(kind === 'block'
      ? {
          up_to: { type: 'int64', values: open.map(() => upTo) },
          time: constant(time),
        }
      : {}),
    ...(attesterId === undefined || others.length > 0 ? {} : { attester_id: constant(attesterId) }),
  }
}

/**
 * A select of a `HoldingRow` from the `step` newest attestations of an address under a schema after a place. Those that
 * the address made for itself and those that others made for it are two lists.
 */
function holdingSql(dialect: Dialect, { attesterIds, role, kind, lists }: Shared, step: number): string {
  const range = (alias: string) =>
    `AND ${alias}.schema_id = k.schema_id AND ${alias}.attest_timestamp <= k.made_up_to ` +
    `AND ${alias}.attest_timestamp >= k.made_from ` +
    `AND (${alias}.attest_timestamp, ${alias}.id) < (k.before_time, k.before_id) ` +
    (kind === 'block' ? `AND ${alias}.id <= k.up_to ` : '') +
    `ORDER BY ${alias}.attest_timestamp DESC, ${alias}.id DESC LIMIT ${step}`
  const received = (isSelf: boolean) =>
    `SELECT * FROM (SELECT r.attest_timestamp AS t, r.id AS id FROM ${dialect.received('schema')} r ` +
    `WHERE r.address_id = k.address_id AND ${dialect.flag('r.is_self', isSelf)} ${range('r')}) AS n`
  const made =
    `SELECT * FROM (SELECT r.attest_timestamp AS t, r.id AS id ` +
    `FROM ${dialect.walked('attestation', 'r', 'attestation_by_attester_schema')} ` +
    `WHERE r.attester_id = k.address_id ${range('r')}) AS n`
  const newest = role === 'attester' ? made : `${received(false)} UNION ALL ${received(true)}`
  const isStanding =
    kind === 'block'
      ? isValidAsOf('a', 'k.at', { time: 'k.time', upTo: 'k.up_to' })
      : isValid(dialect, 'a', kind, 'k.at')
  const attester = dialect.hidden('a.attester_id', 'integer')
  const byAttester = attesterIds === null ? '' : ` AND ${attester} ${oneOf(attesterIds)}`
  // The numbers stand in the statement itself: they are row ids.
  const hasFields = lists
    .map((list) => {
      const values = list.map(({ valueId }) => valueId).join(', ')
      return (
        ` AND EXISTS (SELECT 1 FROM field_posting p WHERE p.value_id IN (${values}) ` +
        `AND p.attest_timestamp = m.t AND p.id = m.id${dialect.lookUp})`
      )
    })
    .join('')
  return (
    'SELECT c.local_id, c.counts, c.passed, c.t, CAST(c.id AS text), c.attester_id FROM (' +
    `SELECT m.t, m.id, a.local_id, a.attester_id, (${isStanding}${byAttester}${hasFields}) AS counts, ` +
    'count(*) OVER () AS passed ' +
    `FROM (${newest}) AS m ${dialect.drivenJoin} attestation a ON a.id = m.id` +
    ') AS c ORDER BY c.counts DESC, c.t DESC, c.id DESC'
  )
}

/** Several attesters stand in the statement itself: they are row ids. */
function oneOf(ids: readonly number[]): string {
  return ids.length === 1 ? '= k.attester_id' : `IN (${ids.join(', ')})`
}
