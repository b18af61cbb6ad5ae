import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { DomainEvent, SchemaRegistered } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { checkBatch } from './checkBatch.ts'
import type { ApplySummary, BlockBatch } from '@attestry/core/index/indexWriter.ts'
import {
  countAnchor,
  countAttestation,
  countRevocation,
  countSchema,
  createChanges,
  schemaChanges,
  type Changes,
} from '../layout/changes.ts'
import type { AddressEntry, ChainRow, SchemaEntry } from '../layout/entries.ts'
import { fieldState } from '../layout/fieldState.ts'
import { rowId } from '../layout/rowId.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import { attestationValues } from '../layout/valueKey.ts'
import type { Following } from '../port/projection.ts'
import type { Tables } from '../port/tables.ts'
import { indexStored } from './buildFields.ts'
import { journalBlocks, journalClaims } from './changeJournal.ts'
import { extendSchemas } from './extendSchemas.ts'
import { createNewRows, insertReceived, insertRows, type NewRows } from './newRows.ts'
import {
  applyRevocation,
  loadTargets,
  markRenamed,
  revocationAtBirth,
  settleClaims,
  targetKey,
  targetOf,
  type RevocationTargets,
} from './revocations.ts'
import { addToChainDigest } from './moveDigest.ts'
import { updateNames } from './schemaNames.ts'
import { undecodableBody } from './undecodable.ts'
import { noteProgress } from './projectionProgress.ts'
import { writeChanges, writeEntries } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import {
  addressEntry,
  loadAddresses,
  loadSchemas,
  schemaEntry,
  type SchemaKey,
  type WriterState,
} from './writerState.ts'

/**
 * Applies a batch within the running transaction. Reads the rows that its events refer to, applies the events in
 * memory, and writes all rows of a table with one call, however many events there are. Updates `chain` to the row to be
 * written. The caller then writes that row, and after it what chains share (`writeShared`).
 */
export async function applyBlocks(
  state: WriterState,
  chain: ChainRow,
  batch: BlockBatch,
): Promise<{ readonly summary: ApplySummary; readonly changes: Changes }> {
  const { tables } = state
  checkBatch(chain, batch)
  const changes = createChanges(1, chain, batch.storedAt)
  const events = batch.events.map((event) => ({ event, storedAt: batch.storedAt }))
  // 1. Rows, counters, lists and trees: every later step reads rows of the batch.
  const summary = await applyEvents(state, changes, events)
  // 2. The digest: before the checkpoint moves, since the old one shows whether the digest is up to date.
  if (chain.digest.block === chain.checkpointBlock) {
    await addToChainDigest(tables, chain, batch.events, batch.checkpoint.blockNumber)
  }
  // 3. The checkpoint: its time settles claims.
  await rememberBlocks(tables, chain, batch.recentBlocks)
  await forgetBlocks(tables, chain.chainId, batch.forgetBlocksBelow)
  chain.checkpointBlock = batch.checkpoint.blockNumber
  chain.checkpointTimestamp = batch.checkpoint.timestamp
  await noteProgress(state, chain)
  // 4. Claims that the checkpoint settles: after the checkpoint, and after the rows, since some of them are claims.
  await settleClaims(tables, changes)
  // 5. Names of schemas: after everything that revokes, since a revoked record names no schema.
  await updateNames(tables, changes)
  // 6. Counts of protocols: after the claims, which count as revocations.
  await writeProtocolCounts(tables, changes)
  // 7. The journal: the batch first, then the claims that it settled, which is the order in which readers get them.
  journalBlocks(state, chain, batch, summary)
  await journalClaims(state, changes)
  return { summary, changes }
}

export interface TimedEvent {
  readonly event: DomainEvent
  /** The `syncAt` or `lastSyncAt` of the rows that the event writes. */
  readonly storedAt: Changes['storedAt']
}

/**
 * Step 1: writes the rows of the events, and moves counters, lists and rank trees. If `changes` counts nothing, it writes
 * only what needs the event itself: its row, the postings of its values, dictionaries without counts, and projections.
 */
export async function applyEvents(
  state: WriterState,
  changes: Changes,
  given: readonly TimedEvent[],
): Promise<ApplySummary> {
  const { chain } = changes
  const { chainId } = chain
  // 1.1 What rows need of what is stored: the fields of parents, what projections add, row ids, records to be revoked.
  const extended = await extendSchemas(state.tables, chainId, given)
  const { following, events } = await followEvents(state, chain, extended)
  const bare = events.map(({ event }) => event)
  const addresses = await loadAddresses(state, chain, addressesOf(bare))
  const schemas = await loadSchemas(state, chain, schemasOf(bare))
  const batch: Batch = {
    state,
    changes,
    rows: createNewRows(),
    late: [],
    targets: await loadTargets(state.tables, changes, bare),
  }
  // 1.2 The events in their order, in memory: a revocation finds a record of the same batch.
  const summary = { schemas: 0, attestations: 0, revocations: 0, anchors: 0, undecodable: 0 }
  for (const { event, storedAt } of events) {
    changes.storedAt = storedAt
    const counted = applyEvent(batch, event)
    if (counted !== null) summary[counted] += 1
  }
  // 1.3 Rows: the steps below read them.
  await insertRows(state.tables, chainId, batch.rows)
  // 1.4 Projections: the rows show which revocations were applied.
  for (const each of following) await each.write(batch.rows)
  if (!changes.counts) {
    await writeEntries(state, changes, addresses, schemas)
    return summary
  }
  // 1.5 Counters, values of fields, lists and trees, which are built from rows.
  await insertReceived(state.tables, chainId, batch.rows)
  await writeChanges(state, changes)
  // 1.6 Fields of older records of schemas that were registered late: the rows of these schemas are written by now.
  await indexStored(state, changes, batch.late, batch.rows.attestations[0]?.id ?? null)
  // 1.7 Schemas that lose a name with a revoked record, for step 5.
  await markRenamed(
    state.tables,
    changes,
    batch.rows.revocations.map(({ id }) => id),
  )
  return summary
}

/** Lets the projections follow the events. Resolves to those that do, and to the events with what they add. */
async function followEvents(
  { tables, memory }: WriterState,
  chain: ChainRow,
  given: readonly TimedEvent[],
): Promise<{ readonly following: readonly Following[]; readonly events: readonly TimedEvent[] }> {
  const following: Following[] = []
  let events = given.map(({ event }) => event)
  for (const projection of memory.projections) {
    const begun = await projection.begin(tables, chain, events)
    if (begun === null) continue
    following.push(begun)
    events = [...begun.events]
  }
  if (following.length === 0) return { following, events: given }
  return {
    following,
    events: given.map((timed, index) => ({ ...timed, event: events[index] ?? timed.event })),
  }
}

interface Batch {
  readonly state: WriterState
  readonly changes: Changes
  readonly rows: NewRows
  readonly targets: RevocationTargets
  /** Schemas that are registered after some of their attestations. */
  readonly late: SchemaEntry[]
}

/**
 * Notes the rows of one event and the counts they move. Returns the total that counts the event; null for a name or
 * metadata.
 */
function applyEvent(batch: Batch, event: DomainEvent): keyof ApplySummary | null {
  const { changes, rows, targets } = batch
  const id = rowId(changes.chain.ordinal, event.position)
  switch (event.kind) {
    case 'schemaRegistered':
      applyRegistration(batch, event)
      return 'schemas'
    case 'attestationMade':
      applyAttestation(batch, event.attestation, id)
      return 'attestations'
    case 'attestationRevoked':
      return applyRevocation(changes, rows, targets, event) ? 'revocations' : 'undecodable'
    case 'schemaNamed':
      rows.names.push({ id, schema_local_id: event.schemaLocalId.slice(2), name: event.name })
      changes.renamed.add(event.schemaLocalId)
      return null
    case 'metadataSet':
      rows.metadata.push({
        id,
        chain_id: changes.chain.chainId,
        protocol: event.protocol,
        kind: event.of,
        subject: event.subject.slice(2),
        body: event.body,
      })
      changes.touched = true
      return null
    case 'anchorMade':
      rows.anchors.push({ id, event })
      countAnchor(changes, event.anchor, event.account)
      return 'anchors'
    case 'undecodableLog':
      rows.undecodable.push({ id, body_json: undecodableBody(event) })
      changes.chain.undecodableCount += 1
      changes.touched = true
      return 'undecodable'
  }
}

function applyRegistration(batch: Batch, event: SchemaRegistered): void {
  const { state, changes } = batch
  const { schema } = event
  const { protocol, key } = schema
  const entry = schemaEntry(state, { ...key, protocol })
  if (entry.registered) throw takenIdError('schema', key.localId)
  entry.registered = true
  const { includes } = state.indexing
  if (includes !== null) {
    entry.fieldState = includes(entry) ? fieldState.complete : fieldState.none
  }
  const moved = schemaChanges(changes, entry)
  moved.registration = { event, syncAt: changes.storedAt }
  if (moved.attestationCountBefore > 0) batch.late.push(entry)
  countSchema(changes, protocol, addressEntry(state, schema.registrant), schema.registerTimestamp)
  if (schema.resolver !== zeroAddress) changes.addresses.add(addressEntry(state, schema.resolver))
  changes.renamed.add(key.localId)
}

function applyAttestation(
  { state, changes, rows, targets }: Batch,
  attestation: Attestation,
  id: bigint,
): void {
  const { chainId } = changes.chain
  const { protocol, key, schemaLocalId } = attestation
  const target = targetKey(protocol, key.localId)
  if (targets.has(target)) throw takenIdError('attestation', key.localId)
  const schema = schemaEntry(state, { chainId, protocol, localId: schemaLocalId })
  const attester = addressEntry(state, attestation.attester)
  const recipients = distinctRecipients(state, attestation)
  const row = {
    id,
    attestation,
    schemaId: schema.id,
    attesterId: attester.id,
    recipientIds: recipients.map((recipient) => recipient.id),
    values: attestationValues(attestation),
    syncAt: changes.storedAt,
    ...revocationAtBirth(id, attestation, changes.storedAt),
  }
  rows.attestations.push(row)
  targets.set(target, targetOf(row))
  countAttestation(changes, {
    id,
    protocol,
    timestamp: attestation.attestTimestamp,
    schema,
    attester,
    recipients,
    data: attestation.data,
    dataLocation: attestation.dataLocation,
  })
  if (row.revocation !== null) countRevocation(changes, protocol, 1)
}

/** An address that is named twice counts once. */
function distinctRecipients(state: WriterState, attestation: Attestation): readonly AddressEntry[] {
  const entries: AddressEntry[] = []
  for (const recipient of attestation.recipients) {
    if (recipient.kind === 'address') entries.push(addressEntry(state, recipient.address))
  }
  return entries.length > 1 ? [...new Set(entries)] : entries
}

/** The addresses that events name, some of them several times. */
export function addressesOf(events: readonly DomainEvent[]): Address[] {
  const addresses: Address[] = []
  for (const event of events) {
    if (event.kind === 'schemaRegistered') {
      const { registrant, resolver } = event.schema
      addresses.push(registrant)
      if (resolver !== zeroAddress) addresses.push(resolver)
    } else if (event.kind === 'attestationMade') {
      addresses.push(event.attestation.attester)
      for (const recipient of event.attestation.recipients) {
        if (recipient.kind === 'address') addresses.push(recipient.address)
      }
    }
  }
  return addresses
}

function schemasOf(events: readonly DomainEvent[]): SchemaKey[] {
  const keys: SchemaKey[] = []
  for (const event of events) {
    if (event.kind === 'schemaRegistered') {
      const { key, protocol } = event.schema
      keys.push({ ...key, protocol })
    } else if (event.kind === 'attestationMade') {
      const { key, protocol, schemaLocalId } = event.attestation
      keys.push({ chainId: key.chainId, protocol, localId: schemaLocalId })
    }
  }
  return keys
}

/** Remembers blocks for the detection of reorganisations, in the place of the blocks remembered under their numbers. */
export function rememberBlocks(
  tables: Tables,
  { chainId }: ChainRow,
  blocks: readonly RememberedBlock[],
): Promise<void> {
  const rows = blocks.map(({ number, hash, parentHash, timestamp, logsSeal = null }) => {
    return { chain_id: chainId, number, hash, parent_hash: parentHash, timestamp, logs_seal: logsSeal }
  })
  return tables.put('recent_block', rows)
}

/** Forgets the remembered blocks below a number. */
export async function forgetBlocks(
  tables: Pick<WriterState['tables'], 'run'>,
  chainId: number,
  below: number,
): Promise<void> {
  await tables.run('DELETE FROM recent_block WHERE chain_id = ? AND number < ?', chainId, below)
}
