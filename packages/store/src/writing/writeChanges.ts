import type { Changes } from '../layout/changes.ts'
import type { AddressCounts, AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { RowOf } from '../layout/tables.ts'
import type { Tables } from '../port/tables.ts'
import { updateOwnLists, updateSharedLists } from './updateLists.ts'
import { writeFields } from './writeFields.ts'
import { lockState, type WriterState } from './writerState.ts'
import { appendSchemas, writeRegistrations } from './writeSchema.ts'

/**
 * Writes the counters of a transaction that belong only to its chain, and the rank trees of the moved lists of that
 * kind, with one call a table. The rows of the events are already written. Entries keep their counters and lose their
 * changes.
 */
export async function writeChanges(state: WriterState, changes: Changes): Promise<void> {
  const { tables } = state
  await writeSchemas(state, sortById(changes.schemas), changes.sign)
  await writeFields(state, changes, changes.fielded)
  // Trees are built from rows: every row of the transaction must be there before the first of them.
  await updateOwnLists(state, changes)
  await tables.add('schema_hour', hourCounts(changes))
  await writeAnchorCounts(tables, changes)
  for (const entry of changes.schemas) entry.changes = null
}

/**
 * Writes the rows that the transaction shares with those of other chains, after all its other rows. Addresses come
 * first, since their rows also lock their lists. The rest follows under the lock of the index's state.
 */
export async function writeShared(state: WriterState, changes: Changes): Promise<void> {
  const { tables } = state
  await writeAddresses(tables, changes)
  await updateSharedLists(state, changes)
  const stored = await lockState(state)
  stored.attestationCount += changes.sign * changes.attestationTimestamps.length
  stored.schemaCount += changes.sign * changes.schemaTimestamps.length
  // The version moves at the end of the transaction, by one.
  const version = stored.version + 1
  await tables.put(
    'hour_version',
    Array.from(changes.hours.keys(), (hour) => ({ hour, version })),
  )
  for (const entry of changes.addresses) entry.changes = null
}

/**
 * Writes the dictionary rows of events that are only loaded: those of new addresses and schemas, without counts, and
 * registrations of schemas that other events named before.
 */
export async function writeEntries(
  state: WriterState,
  changes: Changes,
  addresses: readonly AddressEntry[],
  schemas: readonly SchemaEntry[],
): Promise<void> {
  await state.tables.append(
    'address',
    addresses.map(({ id, address }) => ({ id, bytes: hexBytes(address), ...addressColumns(noCounts) })),
  )
  await appendSchemas(state, schemas)
  await writeRegistrations(
    state,
    [...changes.schemas].filter(({ isNew }) => !isNew),
  )
  for (const entry of addresses) entry.isNew = false
  for (const entry of schemas) entry.isNew = false
  for (const entry of changes.schemas) entry.changes = null
}

const noCounts: AddressCounts = { schemasCreated: 0, created: 0, receivedOther: 0, receivedSelf: 0 }

/** In the order of the rows on their pages. */
function sortById<Entry extends { readonly id: number }>(entries: Iterable<Entry>): Entry[] {
  return [...entries].sort((one, other) => one.id - other.id)
}

/** New rows are appended, which costs a fraction of an insert that first looks for a row of the same key. */
async function writeAddresses(tables: Tables, { addresses, sign }: Changes): Promise<void> {
  const moved = sortById(addresses).map((entry) => ({ entry, counts: addressCounts(entry, sign) }))
  const known = moved.filter(({ entry, counts }) => !entry.isNew && Object.values(counts).some(isMoved))
  const after = await tables.moveAddresses(
    known.map(({ entry: { id }, counts }) => ({ id, ...addressColumns(counts) })),
  )
  for (const [index, { entry }] of known.entries()) {
    if (entry.changes !== null) entry.changes.after = after[index] ?? null
  }
  const added = moved.filter(({ entry }) => entry.isNew)
  await tables.append(
    'address',
    added.map(({ entry: { id, address }, counts }) => {
      return { id, bytes: hexBytes(address), ...addressColumns(counts) }
    }),
  )
  for (const { entry, counts } of added) {
    entry.isNew = false
    if (entry.changes !== null) entry.changes.after = counts
  }
}

const isMoved = (count: number) => count !== 0

/** By how much the transaction moves the counters of an address. */
function addressCounts({ changes }: AddressEntry, sign: 1 | -1): AddressCounts {
  const countOf = (moves: readonly unknown[] = []) => sign * moves.length
  return {
    schemasCreated: countOf(changes?.schemaTimestamps),
    created: countOf(changes?.moves.created),
    receivedOther: countOf(changes?.moves.receivedOther),
    receivedSelf: countOf(changes?.moves.receivedSelf),
  }
}

function addressColumns({ schemasCreated, created, receivedOther, receivedSelf }: AddressCounts) {
  return {
    schemas_created: schemasCreated,
    created,
    received_other: receivedOther,
    received_self: receivedSelf,
  }
}

async function writeSchemas(
  state: WriterState,
  entries: readonly SchemaEntry[],
  sign: 1 | -1,
): Promise<void> {
  const { tables } = state
  if (entries.length === 0) return
  const attestersMoved = await writeAttesters(tables, entries, sign)
  for (const entry of entries) entry.attesterCount += attestersMoved.get(entry.id) ?? 0
  const isReferred = (entry: SchemaEntry) => entry.registered || entry.attestationCount > 0
  const gone = entries.filter((entry) => !isReferred(entry))
  await tables.remove(
    'schema',
    ['id'],
    gone.map(({ id }) => ({ id })),
  )
  const kept = entries.filter(isReferred)
  const known = kept.filter(({ isNew }) => !isNew)
  await appendSchemas(
    state,
    kept.filter(({ isNew }) => isNew),
  )
  const isCounted = ({ id, attestationCount, changes }: SchemaEntry) =>
    attestationCount !== changes?.attestationCountBefore || attestersMoved.has(id)
  await tables.update(
    'schema',
    ['attestation_count', 'attester_count'],
    known.filter(isCounted).map(({ id, attestationCount, attesterCount }) => {
      return { id, attestation_count: attestationCount, attester_count: attesterCount }
    }),
  )
  for (const entry of entries) entry.isNew = false
  await writeRegistrations(state, known)
}

/**
 * Writes how many attestations of each attester a transaction added under each schema, or took away. Resolves to the
 * difference in the number of attesters, by schema.
 */
async function writeAttesters(
  tables: Tables,
  entries: readonly SchemaEntry[],
  sign: 1 | -1,
): Promise<ReadonlyMap<number, number>> {
  const rows = entries.flatMap(({ id, changes }) =>
    [...(changes?.attesters ?? [])].map(([attester, count]) => {
      return { schema_id: id, attester: hexBytes(attester.address), count: sign * count }
    }),
  )
  const counts = await tables.addAndRead('schema_attester', rows)
  const moved = new Map<number, number>()
  for (const [index, { schema_id, count }] of rows.entries()) {
    // An attester that came has exactly the count that was added, one that went has none left.
    if (counts[index] === (sign > 0 ? count : 0)) moved.set(schema_id, (moved.get(schema_id) ?? 0) + sign)
  }
  return moved
}

function hourCounts({ hours }: Changes): RowOf<'schema_hour'>[] {
  return [...hours].flatMap(([hour, schemas]) =>
    [...schemas].map(([schemaId, count]) => ({ hour, schema_id: schemaId, count })),
  )
}

async function writeAnchorCounts(tables: Tables, changes: Changes): Promise<void> {
  const { chainId } = changes.chain
  await tables.add(
    'anchor_count',
    Array.from(changes.anchors, ([kind, count]) => ({ chain_id: chainId, kind, count })),
  )
  await tables.add(
    'account_anchor',
    [...changes.accountAnchors].flatMap(([account, kinds]) =>
      Array.from(kinds, ([kind, count]) => ({ account, chain_id: chainId, kind, count })),
    ),
  )
}
