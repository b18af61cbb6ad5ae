import { writeAccountAnchors } from './accountAnchors.ts'
import type { Changes } from '../layout/changes.ts'
import { countClass } from '../layout/countClass.ts'
import type { AddressChanges, AddressEntry, ListMove, SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { type AddressRole, type ListKind, addressRoles, kindsOfRole, listKind } from '../layout/listKinds.ts'
import type { Connection } from './connection.ts'
import { updateDayCounts } from './dayCounts.ts'
import { listWalks } from './rankLists.ts'
import { updateRankTree } from './rankTree.ts'
import { writeAttesters } from './writeAttesters.ts'
import type { WriterState } from './writerState.ts'
import { writeRegistration } from './writeSchema.ts'

/**
 * Writes the counters of a transaction and the rank trees of the lists that it moved. Its rows are written already;
 * entries keep their counters and lose their changes.
 */
export function writeChanges(state: WriterState, changes: Changes): void {
  for (const entry of changes.addresses) writeAddress(state.connection, entry)
  for (const entry of changes.schemas) writeSchemaCounters(state, entry, changes.sign)
  // Trees are built from rows, so that every row of the transaction must be there before the first of them.
  for (const entry of changes.addresses) updateAddressLists(state, entry, changes.sign)
  for (const entry of changes.schemas) updateSchemaList(state, entry, changes.sign)
  updateWholeLists(state, changes)
  writeHours(state.connection, changes)
  writeAnchorCounts(state.connection, changes)
  writeAccountAnchors(state.connection, changes)
  for (const entry of changes.addresses) entry.changes = null
  for (const entry of changes.schemas) entry.changes = null
}

function writeAddress(connection: Connection, entry: AddressEntry): void {
  const { id, schemasCreated, created, receivedOther, receivedSelf } = entry
  if (entry.isNew) {
    connection
      .statement(
        'INSERT INTO address (id, bytes, schemas_created, created, received_other, received_self) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, hexBytes(entry.address), schemasCreated, created, receivedOther, receivedSelf)
    entry.isNew = false
  } else {
    connection
      .statement(
        'UPDATE address SET schemas_created = ?, created = ?, received_other = ?, received_self = ? WHERE id = ?',
      )
      .run(schemasCreated, created, receivedOther, receivedSelf, id)
  }
}

function writeSchemaCounters(state: WriterState, entry: SchemaEntry, sign: 1 | -1): void {
  const { connection } = state
  entry.attesterCount += writeAttesters(connection, entry, sign)
  if (!entry.registered && entry.attestationCount === 0) {
    connection.statement('DELETE FROM schema WHERE id = ?').run(entry.id)
    return
  }
  const { id, attestationCount, attesterCount } = entry
  const countClassNow = countClass(attestationCount)
  if (entry.isNew) {
    connection
      .statement(
        'INSERT INTO schema (id, chain_id, local_id, registered, attestation_count, attester_count, count_class) ' +
          'VALUES (?, ?, ?, 0, ?, ?, ?)',
      )
      .run(id, entry.chainId, entry.localId.slice(2), attestationCount, attesterCount, countClassNow)
    entry.isNew = false
  } else {
    connection
      .statement('UPDATE schema SET attestation_count = ?, attester_count = ? WHERE id = ?')
      .run(attestationCount, attesterCount, id)
    // Apart, since SQLite writes an index anew wherever a column of it is assigned, if only to the value that it has.
    if (countClassNow !== countClass(entry.changes?.attestationCountBefore ?? 0)) {
      connection.statement('UPDATE schema SET count_class = ? WHERE id = ?').run(countClassNow, id)
    }
  }
  const registration = entry.changes?.registration ?? null
  if (registration !== null) writeRegistration(state, entry, registration.event.schema, registration.syncAt)
}

function updateAddressLists(state: WriterState, entry: AddressEntry, sign: 1 | -1): void {
  const { connection, rankThreshold } = state
  if (entry.changes === null) return
  updateWholeList(
    connection,
    rankThreshold,
    { kind: listKind.schemasOfRegistrant, ownerId: entry.id, scopeId: 0 },
    entry.changes.schemasCreatedBefore,
    entry.schemasCreated,
    entry.changes.schemaTimestamps,
    sign,
  )
  for (const role of addressRoles) updateRole(state, entry, entry.changes, role, sign)
}

function updateRole(
  state: WriterState,
  entry: AddressEntry,
  changes: AddressChanges,
  role: AddressRole,
  sign: 1 | -1,
): void {
  const { connection, rankThreshold } = state
  const before = changes.countsBefore[role]
  const after = entry[role]
  const moves = changes.moves[role]
  const { all, onChain, underSchema } = kindsOfRole[role]
  if (before <= rankThreshold && after <= rankThreshold) return
  const list = { kind: all, ownerId: entry.id, scopeId: 0 }
  updateWholeList(connection, rankThreshold, list, before, after, moves.map(timestampOf), sign)

  // The parts of a list are counted by walking it while it is small, and have counters of their own beyond that.
  if (after <= rankThreshold) {
    for (const kind of [onChain, underSchema]) deleteParts(connection, kind, entry.id)
  } else if (before <= rankThreshold) {
    buildParts(state, onChain, entry.id, 'chain_id')
    buildParts(state, underSchema, entry.id, 'schema_id')
  } else {
    moveParts(state, onChain, entry.id, moves, (move) => move.chainId, sign)
    moveParts(state, underSchema, entry.id, moves, (move) => move.schemaId, sign)
  }
}

function deleteParts(connection: Connection, kind: ListKind, ownerId: number): void {
  connection.statement('DELETE FROM list_count WHERE kind = ? AND owner_id = ?').run(kind, ownerId)
  connection.statement('DELETE FROM rank_node WHERE kind = ? AND owner_id = ?').run(kind, ownerId)
}

/** Counts the parts of an address's list anew, and gives each that is large its tree; there is nothing of them yet. */
export function buildParts(
  state: Pick<WriterState, 'connection' | 'rankThreshold'>,
  kind: ListKind,
  ownerId: number,
  scope: 'chain_id' | 'schema_id',
): void {
  const { connection, rankThreshold } = state
  const from = listWalks[kind].from.replace(`${scope} = ?2`, '?2 = 0')
  const parts = connection
    .statement<[number, number]>(`SELECT ${scope}, count(*) ${from} GROUP BY ${scope}`)
    .all(ownerId, 0)
  for (const [scopeId, count] of parts) {
    writePartCount(connection, kind, ownerId, scopeId, count)
    updateRankTree(connection, rankThreshold, { kind, ownerId, scopeId }, 0, count, [], 1)
  }
}

function moveParts(
  state: WriterState,
  kind: ListKind,
  ownerId: number,
  moves: readonly ListMove[],
  scopeOf: (move: ListMove) => number,
  sign: 1 | -1,
): void {
  const { connection, rankThreshold } = state
  for (const [scopeId, part] of Map.groupBy(moves, scopeOf)) {
    const before =
      connection
        .statement<[number]>('SELECT count FROM list_count WHERE kind = ? AND owner_id = ? AND scope_id = ?')
        .get(kind, ownerId, scopeId)?.[0] ?? 0
    const after = before + sign * part.length
    writePartCount(connection, kind, ownerId, scopeId, after)
    const list = { kind, ownerId, scopeId }
    updateRankTree(connection, rankThreshold, list, before, after, part.map(timestampOf), sign)
  }
}

function writePartCount(
  connection: Connection,
  kind: ListKind,
  ownerId: number,
  scopeId: number,
  count: number,
): void {
  if (count === 0) {
    connection
      .statement('DELETE FROM list_count WHERE kind = ? AND owner_id = ? AND scope_id = ?')
      .run(kind, ownerId, scopeId)
    return
  }
  connection
    .statement(
      'INSERT INTO list_count (kind, owner_id, scope_id, count) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET count = excluded.count',
    )
    .run(kind, ownerId, scopeId, count)
}

function updateSchemaList(state: WriterState, entry: SchemaEntry, sign: 1 | -1): void {
  if (entry.changes === null) return
  updateWholeList(
    state.connection,
    state.rankThreshold,
    { kind: listKind.attestationsOfSchema, ownerId: entry.id, scopeId: 0 },
    entry.changes.attestationCountBefore,
    entry.attestationCount,
    entry.changes.timestamps,
    sign,
  )
}

function updateWholeLists(state: WriterState, changes: Changes): void {
  const { connection, rankThreshold } = state
  const { sign, attestationTimestamps, schemaTimestamps } = changes
  const row = connection
    .statement<[number, number]>('SELECT attestation_count, schema_count FROM index_state')
    .get() ?? [0, 0]
  const attestationCount = row[0] + sign * attestationTimestamps.length
  const schemaCount = row[1] + sign * schemaTimestamps.length
  connection
    .statement('UPDATE index_state SET attestation_count = ?, schema_count = ?')
    .run(attestationCount, schemaCount)
  const attestations = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
  updateWholeList(
    connection,
    rankThreshold,
    attestations,
    row[0],
    attestationCount,
    attestationTimestamps,
    sign,
  )
  const schemas = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
  updateWholeList(connection, rankThreshold, schemas, row[1], schemaCount, schemaTimestamps, sign)
}

/** Brings everything that is kept of a list that is no part of another up to date. */
function updateWholeList(...update: Parameters<typeof updateRankTree>): void {
  updateRankTree(...update)
  updateDayCounts(...update)
}

function writeHours(connection: Connection, changes: Changes): void {
  for (const [hour, schemas] of changes.hours) {
    for (const [schemaId, count] of schemas) {
      connection
        .statement(
          'INSERT INTO schema_hour (hour, schema_id, count) VALUES (?, ?, ?) ' +
            'ON CONFLICT DO UPDATE SET count = count + excluded.count',
        )
        .run(hour, schemaId, count)
    }
    if (changes.sign < 0)
      connection.statement('DELETE FROM schema_hour WHERE hour = ? AND count = 0').run(hour)
    // The version moves at the end of the transaction, by one.
    connection
      .statement(
        'INSERT INTO hour_version (hour, version) SELECT ?, version + 1 FROM index_state WHERE true ' +
          'ON CONFLICT DO UPDATE SET version = excluded.version',
      )
      .run(hour)
  }
}

function writeAnchorCounts(connection: Connection, changes: Changes): void {
  const { chainId } = changes.chain
  for (const [kind, count] of changes.anchors) {
    connection
      .statement(
        'INSERT INTO anchor_count (chain_id, kind, count) VALUES (?, ?, ?) ' +
          'ON CONFLICT DO UPDATE SET count = count + excluded.count',
      )
      .run(chainId, kind, count)
  }
  if (changes.sign < 0) {
    connection.statement('DELETE FROM anchor_count WHERE chain_id = ? AND count = 0').run(chainId)
  }
}

function timestampOf(move: ListMove): number {
  return move.timestamp
}
