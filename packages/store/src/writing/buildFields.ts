import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DataLocation } from '@attestry/core/model/records.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { FieldProgress } from '@attestry/core/index/indexWriter.ts'
import { createChanges, type Changes } from '../layout/changes.ts'
import type { ChainRow, FieldedAttestation, SchemaEntry } from '../layout/entries.ts'
import { fieldState, type FieldState } from '../layout/fieldState.ts'
import { bytesHex } from '../layout/hexColumn.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { RowOf } from '../layout/tables.ts'
import type { SqlText } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'
import { dropFields } from './dropFields.ts'
import { isFieldWork, pendingFields } from '../reading/pendingFields.ts'
import { term } from '../reading/sqlTerms.ts'
import { updateOwnLists } from './updateLists.ts'
import { loadFieldSources, writeFields } from './writeFields.ts'
import { loadSchemasById, type WriterState } from './writerState.ts'

/** Indexes the attestations of schemas with ids below `belowId` from their rows; null: all of them. */
export async function indexStored(
  state: WriterState,
  { chain }: Changes,
  schemas: readonly SchemaEntry[],
  belowId: bigint | null,
): Promise<void> {
  for (const schema of schemas) {
    if (schema.fieldState === fieldState.none || schema.fieldState === fieldState.dropping) continue
    const part = belowId === null ? term('true') : term('a.id < ?', belowId)
    for await (const attestations of storedAttestations(
      state.tables,
      schema,
      part,
      Number.MAX_SAFE_INTEGER,
    )) {
      const changes = createChanges(1, chain, unixMilliseconds(0))
      await writeFields(state, changes, attestations)
      await updateOwnLists(state, changes)
    }
  }
}

/** The attestations `a` of a schema that fulfil a condition, some at a time, in the order of listings. */
async function* storedAttestations(
  tables: Tables,
  schema: SchemaEntry,
  { sql, parameters }: SqlText,
  limit: number,
): AsyncGenerator<FieldedAttestation[]> {
  const batches = tables.batches<[string, number, string, string, Uint8Array]>(
    'SELECT CAST(a.id AS text), a.attest_timestamp, a.protocol, a.data_location, a.data ' +
      `FROM ${tables.dialect.walked('attestation', 'a', 'attestation_by_schema')} ` +
      `WHERE a.schema_id = ? AND ${sql} ORDER BY a.attest_timestamp, a.id LIMIT ${tables.dialect.bound}`,
    schema.id,
    ...parameters,
    limit,
  )
  for await (const rows of batches) {
    yield rows.map(([id, timestamp, protocol, dataLocation, data]) => ({
      id: BigInt(id),
      timestamp,
      schema,
      protocol,
      data: bytesHex(data),
      dataLocation: dataLocation as DataLocation,
    }))
  }
}

/**
 * Compares the states of a chain's schemas with the setting, and notes which indexes are to be built or dropped.
 * Resolves to whether an index that was read so far no longer is.
 */
export async function reconcileFields(state: WriterState, chain: ChainRow): Promise<boolean> {
  const { tables } = state
  const states: SchemaFieldState[] = []
  const schemas = tables.batches<[number, string, FieldState, number]>(
    `SELECT id, local_id, field_state, attestation_count FROM schema WHERE ${tables.dialect.flag('registered', true)} ` +
      'AND chain_id = ?',
    chain.chainId,
  )
  for await (const rows of schemas) {
    for (const [id, digits, stored, attestationCount] of rows) {
      const localId = `0x${digits}` as LocalId
      const wanted = wantedState(state, stored, { chainId: chain.chainId, localId, attestationCount })
      if (wanted !== stored) states.push({ id, field_state: wanted })
    }
  }
  await writeStates(tables, chain, states)
  return states.some(({ field_state }) => field_state === fieldState.dropping)
}

type SchemaFieldState = Pick<RowOf<'schema'>, 'id'> & { readonly field_state: FieldState }

async function writeStates(
  tables: Tables,
  { ordinal, checkpointBlock }: ChainRow,
  states: readonly SchemaFieldState[],
): Promise<void> {
  await tables.update('schema', ['field_state'], states)
  const building = states.filter(({ field_state }) => field_state === fieldState.building)
  const others = states.filter(({ field_state }) => field_state !== fieldState.building)
  const until_id = rowIdsAbove(ordinal, checkpointBlock ?? -1).first - 1n
  await tables.put(
    'field_build',
    building.map(({ id }) => ({
      schema_id: id,
      done_timestamp: -1,
      done_id: 0n,
      until_id,
      done_count: 0,
    })),
  )
  await tables.remove(
    'field_build',
    ['schema_id'],
    others.map(({ id }) => ({ schema_id: id })),
  )
}

function wantedState(
  { indexing: { includes } }: WriterState,
  stored: FieldState,
  schema: Pick<SchemaEntry, 'chainId' | 'localId' | 'attestationCount'>,
): FieldState {
  if (includes === null) return stored
  switch (stored) {
    case fieldState.none:
      if (!includes(schema)) return stored
      return schema.attestationCount === 0 ? fieldState.complete : fieldState.building
    case fieldState.building:
    case fieldState.complete:
      return includes(schema) ? stored : fieldState.dropping
    // Leftovers go first, whatever is wanted afterwards.
    case fieldState.dropping:
      return stored
  }
}

/** Rows that are decoded or deleted in one step: some tenths of a second, for which the head of the chain waits. */
const rowsPerStep = 2_000

/** Schemas that a step looks at. */
const schemasPerStep = 500

/**
 * Does one step of what `reconcileFields` has noted for a chain: indexes the stored attestations of schemas, or deletes
 * leftovers. `touched`: an index became complete, and readers may use it from now on.
 */
export async function advanceFields(
  state: WriterState,
  chain: ChainRow,
): Promise<{ readonly progress: FieldProgress; readonly touched: boolean }> {
  const { tables } = state
  const found = await tables.all<[id: number]>(
    `SELECT s.id FROM schema s WHERE s.chain_id = ? AND ${isFieldWork(tables.dialect)} LIMIT ${schemasPerStep}`,
    chain.chainId,
  )
  const schemas = await loadSchemasById(
    state,
    found.map(([id]) => id),
  )
  let left = state.indexing.rowsPerStep ?? rowsPerStep
  let touched = false
  for (const schema of schemas.values()) {
    if (left <= 0) break
    left = await (schema.fieldState === fieldState.dropping
      ? dropSchema(state, chain, schema, left)
      : buildSchema(state, chain, schema, left))
    touched ||= schema.fieldState === fieldState.complete
  }
  const [pending] = (await tables.get<[number]>(
    `SELECT ${pendingFields(tables.dialect, '?')}`,
    chain.chainId,
  )) ?? [0]
  return { progress: { isDone: left > 0 && schemas.size === 0, pending }, touched }
}

/** Resolves to the rest of the budget; 0 if rows remain. */
async function dropSchema(
  state: WriterState,
  chain: ChainRow,
  schema: SchemaEntry,
  rowsMax: number,
): Promise<number> {
  const left = await dropFields(state.tables, schema.id, rowsMax)
  if (left > 0) await setState(state, chain, schema, wantedState(state, fieldState.none, schema))
  return left
}

async function setState(
  { tables }: WriterState,
  chain: ChainRow,
  schema: SchemaEntry,
  state: FieldState,
): Promise<void> {
  await writeStates(tables, chain, [{ id: schema.id, field_state: state }])
  schema.fieldState = state
  schema.fieldSource = null
}

async function buildSchema(
  state: WriterState,
  chain: ChainRow,
  schema: SchemaEntry,
  rowsMax: number,
): Promise<number> {
  const { tables } = state
  await loadFieldSources(state, [schema])
  const source = schema.fieldSource
  let build = source?.build ?? null
  // A row that should be there was lost: the index is made anew.
  if (source === null || build === null) {
    await setState(state, chain, schema, fieldState.dropping)
    return rowsMax
  }
  let left = rowsMax
  const { done_timestamp, done_id, until_id } = build
  const rest = term('(a.attest_timestamp, a.id) > (?, ?) AND a.id <= ?', done_timestamp, done_id, until_id)
  for await (const attestations of storedAttestations(tables, schema, rest, rowsMax)) {
    const changes = createChanges(1, chain, unixMilliseconds(0))
    await writeFields(state, changes, attestations, () => true)
    await updateOwnLists(state, changes)
    const last = attestations.at(-1)
    if (last === undefined) continue
    const done_count: number = build.done_count + attestations.length
    build = { ...build, done_timestamp: last.timestamp, done_id: last.id, done_count }
    left -= attestations.length
    if (left > 0) continue
    schema.fieldSource = { ...source, build }
    await tables.put('field_build', [build])
    return 0
  }
  await setState(state, chain, schema, fieldState.complete)
  return left - 1
}
