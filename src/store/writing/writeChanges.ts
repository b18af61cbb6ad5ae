import type { Changes } from '../layout/changes.ts'
import type { AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { Tables } from '../port/tables.ts'
import { updateLists } from './updateLists.ts'
import { writeFields } from './writeFields.ts'
import type { WriterState } from './writerState.ts'
import { appendSchemas, writeRegistrations } from './writeSchema.ts'

/**
 * Writes the counters of a transaction and the rank trees of the lists that it moved, with one call a table. The rows
 * of the events are written already; entries keep their counters and lose their changes.
 */
export async function writeChanges(state: WriterState, changes: Changes): Promise<void> {
  const { tables, stored } = state
  await writeAddresses(tables, sortById(changes.addresses))
  await writeSchemas(state, sortById(changes.schemas), changes.sign)
  await writeFields(state, changes, changes.fielded)
  // Trees are built from rows: every row of the transaction must be there before the first of them.
  await updateLists(state, changes)
  stored.attestationCount += changes.sign * changes.attestationTimestamps.length
  stored.schemaCount += changes.sign * changes.schemaTimestamps.length
  await writeHours(state, changes)
  await writeAnchorCounts(tables, changes)
  for (const entry of changes.addresses) entry.changes = null
  for (const entry of changes.schemas) entry.changes = null
}

/** In the order of the rows on their pages. */
function sortById<Entry extends { readonly id: number }>(entries: Iterable<Entry>): Entry[] {
  return [...entries].sort((one, other) => one.id - other.id)
}

/** New rows are appended, which costs a fraction of an insert that first looks for a row of the same key. */
async function writeAddresses(tables: Tables, entries: readonly AddressEntry[]): Promise<void> {
  const known = entries.filter(({ isNew }) => !isNew)
  await tables.append(
    'address',
    entries
      .filter(({ isNew }) => isNew)
      .map((entry) => ({ bytes: hexBytes(entry.address), ...addressCounts(entry) })),
  )
  await tables.update(
    'address',
    ['schemas_created', 'created', 'received_other', 'received_self'],
    known.map(addressCounts),
  )
  for (const entry of entries) entry.isNew = false
}

function addressCounts({ id, schemasCreated, created, receivedOther, receivedSelf }: AddressEntry) {
  return {
    id,
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

async function writeHours({ tables, stored }: WriterState, { hours }: Changes): Promise<void> {
  const rows = [...hours].flatMap(([hour, schemas]) =>
    [...schemas].map(([schemaId, count]) => ({ hour, schema_id: schemaId, count })),
  )
  await tables.add('schema_hour', rows)
  // The version moves at the end of the transaction, by one.
  const version = stored.version + 1
  await tables.put(
    'hour_version',
    Array.from(hours.keys(), (hour) => ({ hour, version })),
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
