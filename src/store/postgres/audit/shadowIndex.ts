import type { LocalId } from '../../../model/compositeId.ts'
import { positionBlock, type Position } from '../../../model/position.ts'
import { readStoredEvent, type DamagedEvent, type ReadEvent } from '../../audit/readStoredEvent.ts'
import type { StoredEvent } from '../../indexRestore.ts'
import { createChanges } from '../../layout/changes.ts'
import { stepsFrom } from '../../layout/layoutSteps.ts'
import { rememberedMax } from '../../layout/rememberedMax.ts'
import { positionMask, rowId } from '../../layout/rowId.ts'
import { eventLines } from '../../transfer/eventLines.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { applyStored } from '../../writing/applyStored.ts'
import { findChainRow, writeChainRow } from '../../writing/chainRow.ts'
import { settleClaims } from '../../writing/revocations.ts'
import { updateNames } from '../../writing/schemaNames.ts'
import { writeProtocolCounts } from '../../writing/writeProtocolCounts.ts'
import {
  createWriterMemory,
  lockState,
  trimMemory,
  writeState,
  type WriterState,
} from '../../writing/writerState.ts'
import type { Connection } from '../connection.ts'
import { postgresLayout } from '../migrations.ts'
import { createPostgresTables } from '../tables.ts'
import { editEvents, type ChainEdit } from './chainEdit.ts'

/**
 * The index as its own events give it, made anew by the writer's own code. It stands in temporary tables that have the names of the
 * stored ones: on its connection, PostgreSQL finds those first. Row ids of schemas and addresses, which depend on the order of
 * writing, are those of the stored rows, so that every row can be compared with its counterpart, or put in its place.
 */
export interface ShadowIndex {
  readonly connection: Connection
  /** The schema of the stored tables, as it stands in SQL. */
  readonly stored: string
  readonly chains: readonly ShadowChain[]
}

export interface ShadowChain {
  readonly range: EventRange
  /** Events that cannot be read, and are in the shadow neither as themselves nor in what is derived from them. */
  readonly damaged: readonly DamagedEvent[]
}

/** Events that are applied at a time. */
const eventsPerStep = 5_000

/** The schema of the tables that `connection` sees. */
export async function findStoredSchema(connection: Connection): Promise<string> {
  const row = await connection.get<[string]>(
    'SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace ' +
      "WHERE c.oid = to_regclass('attestry_layout')",
  )
  if (row === undefined) throw new Error('the database has no layout')
  return row[0]
}

/**
 * Makes the shadow within the running transaction of `connection`. Events are read from `source`, which must see the same state of
 * the stored tables; `edit` changes those of a chain on their way.
 */
export async function createShadowIndex(
  connection: Connection,
  source: Connection,
  stored: string,
  edit: ChainEdit | null = null,
): Promise<ShadowIndex> {
  await connection.exec(
    `SET LOCAL search_path TO pg_temp, ${stored}; ${stepsFrom(postgresLayout, 0).join(';')}`,
  )
  await seed(connection, stored)
  const state = await lockState(createPostgresTables(connection), createWriterMemory(rememberedMax.copying))
  const chains: ShadowChain[] = []
  for (const range of await wholeChains(connection)) {
    const own = edit?.chainId === range.chainId ? edit : null
    chains.push({ range, damaged: await fillChain(connection, state, source, stored, range, own) })
  }
  await writeState(state, false)
  await connection.exec('DELETE FROM pg_temp.schema WHERE NOT registered AND attestation_count = 0; ANALYZE')
  return { connection, stored, chains }
}

/** Every chain as a range of all its events, by chain id. */
export async function wholeChains(connection: Connection): Promise<EventRange[]> {
  const rows = await connection.all<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
  return rows.map(([chainId, ordinal]) => ({ chainId, ordinal, first: 0, last: Number(positionMask) }))
}

/** Reads the events of a range from their rows. */
export async function* readStoredEvents(source: Connection, range: EventRange): AsyncGenerator<ReadEvent> {
  for await (const lines of eventLines(source, range, true)) {
    for (const { position, line } of lines) yield readStoredEvent(position, line)
  }
}

/** What no event tells: the chains with their progress, and the row ids of addresses and schemas. */
async function seed(connection: Connection, stored: string): Promise<void> {
  const chain =
    'ordinal, chain_id, name, contracts_json, rewind_to, checkpoint_block, checkpoint_timestamp, status_json'
  const block = 'chain_id, number, hash, parent_hash, timestamp'
  await connection.exec(
    `INSERT INTO pg_temp.chain (${chain}) SELECT ${chain} FROM ${stored}.chain; ` +
      `INSERT INTO pg_temp.recent_block (${block}) SELECT ${block} FROM ${stored}.recent_block b ` +
      'WHERE EXISTS (SELECT FROM pg_temp.chain c WHERE c.chain_id = b.chain_id); ' +
      'INSERT INTO pg_temp.address (id, bytes, schemas_created, created, received_other, received_self) ' +
      `SELECT id, bytes, 0, 0, 0, 0 FROM ${stored}.address; ` +
      'INSERT INTO pg_temp.schema (id, chain_id, local_id, registered, attestation_count, attester_count) ' +
      `SELECT id, chain_id, local_id, false, 0, 0 FROM ${stored}.schema; ` +
      'UPDATE pg_temp.index_state SET rank_threshold = s.rank_threshold, ' +
      'next_address_id = greatest(s.next_address_id, (SELECT max(id) + 1 FROM pg_temp.address)), ' +
      `next_schema_id = greatest(s.next_schema_id, (SELECT max(id) + 1 FROM pg_temp.schema)) FROM ${stored}.index_state s`,
  )
}

async function fillChain(
  connection: Connection,
  state: WriterState,
  source: Connection,
  stored: string,
  range: EventRange,
  edit: ChainEdit | null,
): Promise<readonly DamagedEvent[]> {
  const { tables } = state
  const chain = await findChainRow(tables, range.chainId)
  if (chain === null) throw new Error(`the shadow lacks chain ${range.chainId}`)
  const damaged: DamagedEvent[] = []
  const damagedIds = new Set<LocalId>()

  async function take(checked: ReadEvent): Promise<readonly StoredEvent[]> {
    if (checked.kind === 'event') {
      const { event } = checked.stored
      // What revokes a record that cannot be read is no contradiction.
      const isOfDamaged = event.kind === 'attestationRevoked' && damagedIds.has(event.localId)
      return isOfDamaged ? [] : [checked.stored]
    }
    damaged.push(checked)
    const localId = await findLocalId(connection, stored, range, checked.position)
    if (localId !== null) damagedIds.add(localId)
    return []
  }

  const storedEvents = readStoredEvents(source, range)
  const events = edit === null ? storedEvents : editEvents(storedEvents, edit)
  for await (const step of inSteps(events)) {
    const taken: StoredEvent[] = []
    for (const checked of await checkKeys(connection, stored, range, step))
      taken.push(...(await take(checked)))
    await applyStored(state, chain, taken)
    trimMemory(state)
  }
  if (edit !== null) {
    const changes = createChanges(1, chain, edit.storedAt)
    await settleClaims(tables, changes)
    await updateNames(tables, changes)
    await writeProtocolCounts(tables, changes)
  }
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

/** A record whose text is that of another one would stand in the way of the other. */
async function checkKeys(
  connection: Connection,
  stored: string,
  { chainId, ordinal }: EventRange,
  step: readonly ReadEvent[],
): Promise<readonly ReadEvent[]> {
  const attestations = await connection.all<[position: number, chainId: number, localId: string]>(
    `SELECT id & ${positionMask}, chain_id, local_id FROM ${stored}.attestation WHERE id = ANY(?::bigint[])`,
    step.map(({ position }) => rowId(ordinal, position as Position)),
  )
  const schemas = await connection.all<[position: number, localId: string]>(
    `SELECT position, local_id FROM ${stored}.schema WHERE registered AND chain_id = ? AND position = ANY(?::bigint[])`,
    chainId,
    step.map(({ position }) => position),
  )
  const keys = new Map<number, string>()
  for (const [position, ofChain, localId] of attestations) keys.set(position, `${ofChain} 0x${localId}`)
  for (const [position, localId] of schemas) keys.set(position, `${chainId} 0x${localId}`)
  return step.map((read) => {
    if (read.kind === 'damaged') return read
    const key = keyOf(read.stored.event)
    const found = keys.get(read.position)
    // What an edit brings has no row yet.
    const isSame = found === undefined || (key === found && found.startsWith(`${chainId} `))
    if (key === null || isSame) return read
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

async function findLocalId(
  connection: Connection,
  stored: string,
  { ordinal }: EventRange,
  position: number,
): Promise<LocalId | null> {
  const row = await connection.get<[string]>(
    `SELECT local_id FROM ${stored}.attestation WHERE id = ?`,
    rowId(ordinal, position as Position),
  )
  return row === undefined ? null : (`0x${row[0]}` as LocalId)
}
