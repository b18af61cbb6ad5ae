import type { Address } from '@attestry/core/model/hex.ts'
import type { DataLocation } from '@attestry/core/model/records.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { RevertSummary } from '@attestry/core/index/indexWriter.ts'
import {
  type Changes,
  countAnchor,
  countAttestation,
  countRevocation,
  countSchema,
  createChanges,
  schemaChanges,
} from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { fieldState } from '../layout/fieldState.ts'
import { bytesHex } from '../layout/hexColumn.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { RowOf } from '../layout/tables.ts'
import { splitValueKeys } from '../layout/valueKey.ts'
import { journalClaims, journalRevert } from './changeJournal.ts'
import { dropFields } from './dropFields.ts'
import { markDefect, readDefect } from './openChain.ts'
import { takeBackDigest } from './moveDigest.ts'
import { revertRevocations, settleClaims, unsettleClaims } from './revocations.ts'
import { revertNames, updateNames } from './schemaNames.ts'
import { noteProgress } from './projectionProgress.ts'
import { writeChanges } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import { loadAddressesById, loadSchemasById, type WriterState } from './writerState.ts'
import { clearRegistrations } from './writeSchema.ts'

/**
 * Reverts everything above a block within the running transaction, through the same counters that applying moves, with
 * the opposite sign. Updates `chain` to the row to be written. The steps have the numbers of the steps of `applyBlocks`
 * that they revert.
 */
export async function revertBlocks(
  state: WriterState,
  chain: ChainRow,
  toBlock: number,
  revertedAt: UnixMilliseconds,
): Promise<{ readonly summary: RevertSummary; readonly changes: Changes }> {
  const { tables } = state
  const changes = createChanges(-1, chain, revertedAt)
  // 7. The journal lists what goes: first, since the rows are gone afterwards.
  await journalRevert(state, chain, toBlock)
  // 1.4 Projections: first, since they need the rows that are about to go.
  await revertProjections(state, chain, toBlock)
  // 1.3 Rows: revocations of older records, names, the records, their schemas, the other logs.
  const revocations = await revertRevocations(tables, changes, toBlock)
  await revertNames(tables, changes, toBlock)
  const attestations = await revertAttestations(state, changes, toBlock)
  const schemas = await revertSchemas(state, changes, toBlock)
  await revertLogs(state, changes, toBlock)
  // 1.5 Counters, lists and trees: after all rows, of which trees are built.
  await writeChanges(state, changes)
  // 2. The digest: before the checkpoint moves back, since a digest is never ahead of the checkpoint.
  await takeBackDigest(tables, chain, toBlock)
  // 3. The checkpoint: its time decides which claims are still settled.
  await moveCheckpoint(state, chain, toBlock)
  await noteProgress(state, chain)
  // 4. Claims: those that the older checkpoint does not settle, then those that it does settle.
  await unsettleClaims(tables, changes)
  await settleClaims(tables, changes)
  // 5. Names of schemas: after everything that reverts revocations.
  await updateNames(tables, changes)
  // 6. Counts of protocols: after the claims, which count as revocations.
  await writeProtocolCounts(tables, changes)
  // 7. The claims in the journal: once it is known which ones moved.
  await journalClaims(state, changes)
  return { summary: { schemas, attestations, revocations }, changes }
}

/** With all blocks go all rows, so that tables which lacked events begin anew. */
async function revertProjections(
  { tables, memory }: WriterState,
  chain: ChainRow,
  toBlock: number,
): Promise<void> {
  for (const projection of memory.projections) {
    if (toBlock >= 0) await projection.revert(tables, chain, toBlock)
    else
      for (const { name } of projection.tables)
        await tables.run(`DELETE FROM ${name} WHERE chain_id = ?`, chain.chainId)
  }
}

async function revertAttestations(state: WriterState, changes: Changes, toBlock: number): Promise<number> {
  const { tables } = state
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = await tables.takeRange('attestation', takenColumns, first, last)
  await tables.remove('received', receivedKey, rows.flatMap(receivedOf))
  await tables.remove('value_posting', postingKey, rows.flatMap(postingsOf))
  await tables.takeRange('revocation_claim', [], first, last)
  const schemas = await loadSchemasById(
    state,
    rows.map((row) => row.schema_id),
  )
  const addresses = await loadAddressesById(
    state,
    rows.flatMap((row) => [row.attester_id, ...row.recipient_ids]),
  )
  for (const row of rows) {
    countAttestation(changes, {
      id: row.id,
      protocol: row.protocol,
      timestamp: row.attest_timestamp,
      schema: entryOf(schemas, row.schema_id),
      attester: entryOf(addresses, row.attester_id),
      recipients: row.recipient_ids.map((id) => entryOf(addresses, id)),
      data: bytesHex(row.data),
      dataLocation: row.data_location as DataLocation,
    })
    if (row.revoke_timestamp !== null) countRevocation(changes, row.protocol, -1)
  }
  return rows.length
}

const takenColumns = [
  'id',
  'chain_id',
  'schema_id',
  'attester_id',
  'attest_timestamp',
  'recipient_ids',
  'value_keys',
  'revoke_timestamp',
  'protocol',
  'data',
  'data_location',
] as const
const receivedKey = ['address_id', 'chain_id', 'schema_id', 'attest_timestamp', 'id', 'is_self'] as const
const postingKey = ['value_key', 'attest_timestamp', 'chain_id', 'id'] as const

type TakenAttestation = Pick<RowOf<'attestation'>, (typeof takenColumns)[number]>

function receivedOf(row: TakenAttestation): RowOf<'received'>[] {
  const { id, chain_id, schema_id, attest_timestamp } = row
  return row.recipient_ids.map((address_id) => {
    return { address_id, chain_id, schema_id, attest_timestamp, id, is_self: address_id === row.attester_id }
  })
}

function postingsOf({ id, chain_id, attest_timestamp, value_keys }: TakenAttestation) {
  const keys = value_keys === null ? [] : splitValueKeys(value_keys)
  return keys.map((value_key) => ({ value_key, attest_timestamp, chain_id, id }))
}

async function revertSchemas(state: WriterState, changes: Changes, toBlock: number): Promise<number> {
  const { tables } = state
  const { chain } = changes
  const { first } = rowIdsAbove(0, toBlock)
  const rows = await tables.all<[number, number, number, string]>(
    `SELECT id, registrant_id, register_timestamp, protocol FROM schema WHERE ${tables.dialect.flag('registered', true)} ` +
      'AND chain_id = ? AND position >= ?',
    chain.chainId,
    first,
  )
  if (rows.length === 0) return 0
  const schemas = await loadSchemasById(
    state,
    rows.map(([id]) => id),
  )
  const registrants = await loadAddressesById(
    state,
    rows.map(([, registrantId]) => registrantId),
  )
  for (const [id, registrantId, registerTimestamp, protocol] of rows) {
    const entry = entryOf(schemas, id)
    schemaChanges(changes, entry)
    entry.registered = false
    if (entry.fieldState !== fieldState.none) await dropFields(tables, id, Number.POSITIVE_INFINITY)
    // The fields of what remains of its attestations are not known any more.
    entry.fieldState = fieldState.none
    countSchema(changes, protocol, entryOf(registrants, registrantId), registerTimestamp)
  }
  await clearRegistrations(
    tables,
    rows.map(([id]) => id),
  )
  await tables.remove(
    'field_build',
    ['schema_id'],
    rows.map(([schema_id]) => ({ schema_id })),
  )
  return rows.length
}

async function revertLogs({ tables }: WriterState, changes: Changes, toBlock: number): Promise<void> {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const anchors = await tables.takeRange('anchor', ['kind', 'account'], first, last)
  for (const { kind, account } of anchors) countAnchor(changes, kind, account as Address | null)
  const metadata = await tables.takeRange('metadata', [], first, last)
  if (metadata.length > 0) changes.touched = true
  const undecodable = await tables.takeRange('undecodable', [], first, last)
  if (undecodable.length === 0) return
  changes.chain.undecodableCount -= undecodable.length
  changes.touched = true
}

async function moveCheckpoint({ tables }: WriterState, chain: ChainRow, toBlock: number): Promise<void> {
  await tables.run('DELETE FROM recent_block WHERE chain_id = ? AND number > ?', chain.chainId, toBlock)
  const defect = await readDefect(tables, chain.chainId)
  if (defect !== null && (defect.fromBlock ?? 0) > toBlock) await markDefect(tables, chain.chainId, null)
  const remembered = await tables.get<[number]>(
    'SELECT timestamp FROM recent_block WHERE chain_id = ? AND number = ?',
    chain.chainId,
    toBlock,
  )
  chain.checkpointBlock = toBlock === -1 ? null : toBlock
  chain.checkpointTimestamp = remembered?.[0] ?? null
  if (chain.rewindTo !== null && toBlock <= chain.rewindTo) chain.rewindTo = null
}

function entryOf<Entry>(entries: ReadonlyMap<number, Entry>, id: number): Entry {
  const entry = entries.get(id)
  if (entry === undefined) throw new Error(`the dictionary has no row ${id}`)
  return entry
}
