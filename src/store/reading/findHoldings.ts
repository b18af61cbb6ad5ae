import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { LocalId, RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { HoldingsRequest } from '../indexQueries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { Dialect } from '../port/dialect.ts'
import type { KeyColumns, Reads } from '../port/reads.ts'
import { findAddress } from './addressLists.ts'
import { findSchemaRow } from './storedSchema.ts'
import type { Effort } from './tallyRows.ts'
import { isValid, madeUpTo } from './validity.ts'

/** How much one request may look at. */
export interface HoldingLimits {
  /** How many of the newest attestations of each address are looked at first: most holders hold one of them. */
  readonly firstStep: number
  /** Attestations that may be looked at behind the first step, of all addresses together. */
  readonly rowsMax: number
}

const limitsDefault: HoldingLimits = { firstStep: 8, rowsMax: 400_000 }

/**
 * By how much a step is longer than the one before; it is made for the addresses alone that the one before left open.
 */
const stepGrowth = 8

/** About how many attestations one statement looks at where no other read waits for it. */
const statementRowsMax = 80_000

/** What a step finds of an address: the newest attestation, one that counts before all others. */
type HoldingRow = [localId: string, counts: boolean | number, passed: number]

/** The key columns that every address of a request shares. */
interface Shared {
  readonly schemaId: number
  readonly attesterId: number | null
  readonly at: number
  readonly madeUpTo: number
}

/**
 * The newest attestation by which each address is a holder, in the order of the addresses; null where the effort does
 * not suffice.
 * @throws StoreTooMuchWorkError
 */
export async function findHoldings(
  reads: Reads,
  request: HoldingsRequest,
  effort: Effort,
  { firstStep, rowsMax } = limitsDefault,
): Promise<readonly (RecordKey | null)[] | null> {
  const { addresses, schema, attester, valid } = request
  const found = addresses.map((): RecordKey | null => null)
  const [schemaRow, attesterRow] = await Promise.all([
    findSchemaRow(reads, schema),
    attester === null ? null : findAddress(reads, attester),
  ])
  if (schemaRow === null || (attester !== null && attesterRow === null)) return found
  const shared = {
    schemaId: schemaRow.id,
    attesterId: attesterRow?.id ?? null,
    at: valid.at,
    madeUpTo: madeUpTo(valid),
  }
  const holding = { chainId: schema.chainId, protocol: schemaRow.protocol }
  const { dialect } = reads
  if (effort.pace === null && addresses.length * firstStep > effort.rowsMax) return null
  const ids = await findAddressIds(reads, addresses, effort)
  let open = [...ids.entries()].flatMap(([index, row]) => (row === undefined ? [] : [{ index, id: row[0] }]))
  let left = rowsMax
  for (let step = firstStep; open.length > 0; step *= stepGrowth) {
    const sql = holdingSql(dialect, shared, valid.kind, step)
    const longer: typeof open = []
    for (let start = 0; start < open.length;) {
      const part = open.slice(start, start + Math.ceil((await statementRows(effort)) / step))
      start += part.length
      const rows = await reads.firstOf<HoldingRow>(
        sql,
        keysOf(
          part.map(({ id }) => id),
          shared,
        ),
      )
      for (const [order, { index, id }] of part.entries()) {
        const [localId, counts, passed] = rows[order] ?? ['', false, 0]
        if (step > firstStep) left -= passed
        if (counts) found[index] = { ...holding, localId: `0x${localId}` as LocalId }
        else if (passed >= step) longer.push({ index, id })
      }
      if (effort.pace === null && rowsMax - left > effort.rowsMax) return null
      if (left < 0) throw tooMuchWork(addresses[longer[0]?.index ?? part[0]?.index ?? 0], rowsMax)
    }
    open = longer
  }
  return found
}

function tooMuchWork(address: string | undefined, rowsMax: number): StoreTooMuchWorkError {
  const message = 'more attestations would have to be looked at for holders than one answer may cost'
  return new StoreTooMuchWorkError(message, { facts: { address, rowsMax } })
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

function keysOf(ids: readonly number[], { schemaId, attesterId, at, madeUpTo: upTo }: Shared): KeyColumns {
  const constant = (value: number) => ({ type: 'int53' as const, values: ids.map(() => value) })
  return {
    address_id: { type: 'int53', values: ids },
    schema_id: constant(schemaId),
    at: constant(at),
    made_up_to: constant(upTo),
    ...(attesterId === null ? {} : { attester_id: constant(attesterId) }),
  }
}

/**
 * A select of a `HoldingRow` from the `step` newest attestations that an address made for itself, and as many that
 * others made for it, under a schema. All are of one chain.
 */
function holdingSql(
  dialect: Dialect,
  { attesterId }: Shared,
  kind: HoldingsRequest['valid']['kind'],
  step: number,
): string {
  const newest = (isSelf: boolean) =>
    'SELECT * FROM (SELECT r.attest_timestamp AS t, r.id AS id ' +
    `FROM ${dialect.received('schema')} r WHERE r.address_id = k.address_id ` +
    `AND ${dialect.flag('r.is_self', isSelf)} AND r.schema_id = k.schema_id ` +
    `AND r.attest_timestamp <= k.made_up_to ORDER BY r.attest_timestamp DESC, r.id DESC LIMIT ${step}) AS n`
  const byAttester =
    attesterId === null ? '' : ` AND ${dialect.hidden('a.attester_id', 'integer')} = k.attester_id`
  return (
    'SELECT c.local_id, c.counts, c.passed FROM (' +
    `SELECT m.t, m.id, a.local_id, (${isValid(dialect, 'a', kind, 'k.at')}${byAttester}) AS counts, ` +
    'count(*) OVER () AS passed ' +
    `FROM (${newest(false)} UNION ALL ${newest(true)}) AS m ${dialect.drivenJoin} attestation a ON a.id = m.id` +
    ') AS c ORDER BY c.counts DESC, c.t DESC, c.id DESC'
  )
}
