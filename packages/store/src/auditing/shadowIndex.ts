import { setImmediate as nextTurn } from 'node:timers/promises'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { fieldState } from '../layout/fieldState.ts'
import { listKind } from '../layout/listKinds.ts'
import { firstOwnId, ownIdShift, positionMask, rowId } from '../layout/rowId.ts'
import type { Reads } from '../port/reads.ts'
import type { Projection } from '../port/projection.ts'
import type { ShadowSession } from '../port/shadow.ts'
import type { Tables } from '../port/tables.ts'
import { eventLines, type EventRange } from '../transfer/eventLines.ts'
import { readStoredEvent, type DamagedEvent, type ReadEvent } from '../transfer/readStoredEvent.ts'
import { noDigest } from '../layout/chainDigest.ts'
import { buildIndex } from '../building/buildIndex.ts'
import { loadEvents } from '../building/loadEvents.ts'
import { findChainRow, writeChainRow } from '../writing/chainRow.ts'
import { addToChainDigest } from '../writing/moveDigest.ts'
import { noteProgress } from '../writing/projectionProgress.ts'
import { settleClaims, targetKey } from '../writing/revocations.ts'
import {
  createWriterMemory,
  openState,
  trimMemory,
  writeState,
  type WriterState,
} from '../writing/writerState.ts'
import { specOf } from './comparedTables.ts'
import { editEvents, type ChainEdit } from './editEvents.ts'

/**
 * The index as its own events give it, loaded and built anew beside the stored tables. Row ids of schemas and addresses
 * depend on the order of writing. They are those of the stored rows, so that every row can be compared with its
 * counterpart, or put in its place.
 */
export interface ShadowIndex extends ShadowSession {
  readonly chains: readonly ShadowChain[]
}

export interface ShadowChain {
  readonly range: EventRange
  /** Events that cannot be read. The shadow holds neither them nor what derives from them. */
  readonly damaged: readonly DamagedEvent[]
}

/** The readers of payloads and schemas that an audit uses, and the projections that follow the events. */
export interface Readings extends Pick<FieldIndexing, 'decodePayload' | 'defineSchema'> {
  /** The projections whose tables are made anew, too. */
  readonly projections?: readonly Projection[]
}

/** Events that are applied at a time. */
const eventsPerStep = 5_000

/** Fills the shadow of a session; `edit` changes the events of a chain on their way. */
export async function fillShadowIndex(
  session: ShadowSession,
  readings: Readings,
  edit: ChainEdit | null = null,
): Promise<ShadowIndex> {
  const { tables } = session
  await seed(session)
  const memory = createWriterMemory({ projections: readings.projections })
  const state = await openState(tables, memory, { ...readings, includes: null })
  const chains: ShadowChain[] = []
  for (const range of await wholeChains(tables)) {
    const own = edit?.chainId === range.chainId ? edit : null
    chains.push({ range, damaged: await fillChain(state, session, range, own) })
  }
  await session.prepareBuild()
  await buildIndex(state)
  await writeState(state, false)
  await tables.run('DELETE FROM schema WHERE NOT registered AND attestation_count = 0')
  await tables.run(`UPDATE schema SET field_state = ${fieldState.none} WHERE NOT registered`)
  await tables.run(
    `DELETE FROM field_build WHERE schema_id NOT IN (SELECT id FROM schema WHERE field_state = ${fieldState.building})`,
  )
  await tables.run('DELETE FROM field_value WHERE count = 0')
  await tables.run('DELETE FROM field WHERE value_count = 0')
  await copyLeftovers(session)
  return { ...session, chains }
}

/** Every chain as a range of all its events, by chain id. */
export async function wholeChains(reads: Reads): Promise<EventRange[]> {
  const rows = await reads.all<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
  return rows.map(([chainId, ordinal]) => ({ chainId, ordinal, first: 0, last: Number(positionMask) }))
}

/** Reads the events of a range from their rows. */
export async function* readStoredEvents(source: Reads, range: EventRange): AsyncGenerator<ReadEvent> {
  for await (const lines of eventLines(source, range, 'all')) {
    for (const { position, line } of lines) yield readStoredEvent(position, line)
    // A read of SQLite is settled when it is asked for: signals and output would wait for the end of the walk.
    await nextTurn()
  }
}

/**
 * Copies the facts that no event carries: the chains with their progress, how far fields are indexed, and the row ids
 * of addresses, schemas, fields and values.
 */
async function seed({ tables, stored, shadow, layout }: ShadowSession): Promise<void> {
  const chain =
    'ordinal, chain_id, name, contracts_json, rewind_to, checkpoint_block, checkpoint_timestamp, next_field_id, status_json'
  const isOfChain = `EXISTS (SELECT 1 FROM ${shadow}.chain c WHERE c.chain_id = r.chain_id)`
  const statements = [
    `INSERT INTO ${shadow}.chain (${chain}) SELECT ${chain} FROM ${stored}.chain`,
    copySql(layout, 'recent_block', stored, shadow, isOfChain),
    `INSERT INTO ${shadow}.address (id, bytes, schemas_created, created, received_other, received_self) ` +
      `SELECT id, bytes, 0, 0, 0, 0 FROM ${stored}.address`,
    `INSERT INTO ${shadow}.schema (id, chain_id, local_id, protocol, registered, attestation_count, attester_count, field_state) ` +
      `SELECT id, chain_id, local_id, protocol, false, 0, 0, ${soundFieldState(stored)} FROM ${stored}.schema AS s`,
    copySql(layout, 'field_build', stored, shadow, 'true'),
    // An id that two rows have names none: both get another one.
    `INSERT INTO ${shadow}.field (schema_id, path_key, kind, id, path, value_count) ` +
      `SELECT schema_id, path_key, kind, id, path, 0 ${withOwnId('field', stored)}`,
    `INSERT INTO ${shadow}.field_value (field_id, value_key, id, value, count) ` +
      `SELECT field_id, value_key, id, value, 0 ${withOwnId('field_value', stored)}`,
    // If the row of the state is lost, the threshold of a new database stands in for it.
    `UPDATE ${shadow}.index_state SET rank_threshold = ` +
      `coalesce((SELECT max(rank_threshold) FROM ${stored}.index_state WHERE rank_threshold > 0), rank_threshold)`,
  ]
  for (const statement of statements) await tables.run(statement)
}

/** `FROM …`: the rows whose id no other row has. A join would be a nested loop without an index (`writerSettings`). */
function withOwnId(table: string, stored: string): string {
  const counted = `SELECT *, count(*) OVER (PARTITION BY id) AS same_ids FROM ${stored}.${table}`
  return `FROM (${counted}) AS r WHERE same_ids = 1`
}

/**
 * The state of the index of fields of a stored schema `s`. If the number is no state, or nothing says how far the index
 * is built, it is a state from which an indexer makes that index anew.
 */
function soundFieldState(stored: string): string {
  const { none, building, complete, dropping } = fieldState
  const isBuilding = `EXISTS (SELECT 1 FROM ${stored}.field_build b WHERE b.schema_id = s.id)`
  return (
    `CASE WHEN NOT s.registered THEN ${none} WHEN s.field_state IN (${none}, ${complete}) THEN s.field_state ` +
    `WHEN s.field_state = ${building} AND ${isBuilding} THEN ${building} ELSE ${dropping} END`
  )
}

/** Copies rows of indexes of fields that are being deleted: no event carries that progress either. */
async function copyLeftovers({ tables, stored, shadow, layout }: ShadowSession): Promise<void> {
  const fields = `SELECT f.id FROM ${stored}.field f JOIN ${shadow}.schema s ON s.id = f.schema_id WHERE s.field_state = ${fieldState.dropping}`
  const values = `SELECT v.id FROM ${stored}.field_value v WHERE v.field_id IN (${fields})`
  for (const [table, condition] of [
    ['field', `id IN (${fields})`],
    ['field_value', `field_id IN (${fields})`],
    ['field_posting', `value_id IN (${values})`],
    ['rank_node', `kind = ${listKind.fieldValue} AND owner_id IN (${values})`],
  ] as const) {
    await tables.run(copySql(layout, table, stored, shadow, condition))
  }
}

/** A statement that copies the rows `r` of a table for which a condition holds from one schema to the other. */
export function copySql(
  layout: ShadowSession['layout'],
  table: string,
  from: string,
  to: string,
  condition: string,
): string {
  const columns = Object.keys(specOf(layout, table).columns).join(', ')
  return `INSERT INTO ${to}.${table} (${columns}) SELECT ${columns} FROM ${from}.${table} r WHERE ${condition}`
}

/** The next id of a field or a value of a chain: above those that were given. */
async function findNextFieldId(tables: Tables, stored: string, chain: ChainRow): Promise<number> {
  const rows = `SELECT id FROM ${stored}.field UNION ALL SELECT id FROM ${stored}.field_value`
  const row = await tables.get<[number | null]>(
    `SELECT max(id) FROM (${rows}) AS u WHERE id >> ${ownIdShift} = ?`,
    chain.ordinal,
  )
  return Math.max(chain.nextFieldId, (row?.[0] ?? 0) + 1, firstOwnId(chain.ordinal))
}

async function fillChain(
  state: WriterState,
  { source, stored }: ShadowSession,
  range: EventRange,
  edit: ChainEdit | null,
): Promise<readonly DamagedEvent[]> {
  const { tables } = state
  const chain = await findChainRow(tables, range.chainId)
  if (chain === null) throw new Error(`the shadow lacks chain ${range.chainId}`)
  chain.nextFieldId = await findNextFieldId(tables, stored, chain)
  const { checkpointBlock } = chain
  chain.digest = { ...noDigest, block: checkpointBlock }
  const damaged: DamagedEvent[] = []
  const damagedIds = new Set<string>()

  async function take(checked: ReadEvent): Promise<readonly StoredEvent[]> {
    if (checked.kind === 'event') {
      const { event } = checked.stored
      // The revocation of a record that cannot be read is no contradiction.
      const isOfDamaged =
        event.kind === 'attestationRevoked' && damagedIds.has(targetKey(event.protocol, event.localId))
      return isOfDamaged ? [] : [checked.stored]
    }
    damaged.push(checked)
    const id = await findTarget(tables, stored, range, checked.position)
    if (id !== null) damagedIds.add(id)
    return []
  }

  const storedEvents = readStoredEvents(source, range)
  const events = edit === null ? storedEvents : editEvents(storedEvents, edit)
  for await (const step of inSteps(events)) {
    const taken: StoredEvent[] = []
    for (const checked of await checkKeys(tables, stored, range, step)) taken.push(...(await take(checked)))
    await loadEvents(state, chain, taken)
    const digested = taken.flatMap(({ event }) =>
      checkpointBlock !== null && positionBlock(event.position) <= checkpointBlock ? [event] : [],
    )
    if (checkpointBlock !== null) await addToChainDigest(tables, chain, digested, checkpointBlock)
    trimMemory(state)
  }
  if (edit !== null) {
    await settleClaims(tables, createChanges(1, chain, edit.storedAt, false))
  }
  await noteProgress(state, chain)
  await writeChainRow(tables, chain)
  return damaged
}

/** Whole blocks of events, some thousands at a time. */
async function* inSteps(events: AsyncIterable<ReadEvent>): AsyncGenerator<ReadEvent[]> {
  let step: ReadEvent[] = []
  for await (const event of events) {
    const last = step.at(-1)
    const isNextBlock =
      last !== undefined &&
      positionBlock(last.position as Position) < positionBlock(event.position as Position)
    if (step.length >= eventsPerStep && isNextBlock) {
      yield step
      step = []
    }
    step.push(event)
  }
  if (step.length > 0) yield step
}

/**
 * Marks events as damaged whose record is not the one that their row is found by: applied, they would stand in the way
 * of the record that they claim to be.
 */
async function checkKeys(
  tables: Tables,
  stored: string,
  { chainId, ordinal }: EventRange,
  step: readonly ReadEvent[],
): Promise<readonly ReadEvent[]> {
  const attestations = await tables.firstOf<[chainId: number, localId: string]>(
    `SELECT a.chain_id, a.local_id FROM ${stored}.attestation a WHERE a.id = k.id`,
    { id: { type: 'int64', values: step.map(({ position }) => rowId(ordinal, position as Position)) } },
  )
  const schemas = await tables.firstOf<[chainId: number, localId: string]>(
    `SELECT s.chain_id, s.local_id FROM ${stored}.schema s WHERE ${tables.dialect.flag('s.registered', true)} ` +
      'AND s.chain_id = k.chain_id AND s.position = k.position',
    {
      chain_id: { type: 'int53', values: step.map(() => chainId) },
      position: { type: 'int53', values: step.map(({ position }) => position) },
    },
  )
  return step.map((read, index) => {
    if (read.kind === 'damaged') return read
    const key = keyOf(read.stored.event)
    const row = attestations[index] ?? schemas[index]
    // An event that an edit brings has no row yet.
    if (key === null || row === undefined) return read
    const found = `${row[0]} 0x${row[1]}`
    if (key === found && row[0] === chainId) return read
    const reason = `its text is of ${key}, its row of ${found}`
    return { kind: 'damaged', position: read.position, reason }
  })
}

function keyOf(event: StoredEvent['event']): string | null {
  if (event.kind === 'attestationMade')
    return `${event.attestation.key.chainId} ${event.attestation.key.localId}`
  if (event.kind === 'schemaRegistered') return `${event.schema.key.chainId} ${event.schema.key.localId}`
  return null
}

async function findTarget(
  tables: Tables,
  stored: string,
  { ordinal }: EventRange,
  position: number,
): Promise<string | null> {
  const row = await tables.get<[string, string]>(
    `SELECT protocol, local_id FROM ${stored}.attestation WHERE id = ?`,
    rowId(ordinal, position as Position),
  )
  return row === undefined ? null : targetKey(row[0], `0x${row[1]}` as LocalId)
}
