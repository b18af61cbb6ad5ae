import {
  agentOf,
  agentProtocol,
  feedbackSchemaId,
  parseAgentChange,
  parseAgentId,
  parseAgentNote,
} from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { isToldWhole, type DomainEvent, type MetadataSet } from '@attestry/core/model/domainEvent.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { changeAgent, emptyAgent, setMetadata, type AgentRow } from './agentRow.ts'
import type { ChainRow } from '@attestry/store/layout/entries.ts'
import { addressOfBytes, hexBytes } from '@attestry/store/layout/hexColumn.ts'
import { rowId } from '@attestry/store/layout/rowId.ts'
import { columnsOf, type RowOf } from '@attestry/store/layout/tables.ts'
import type { Tables } from '@attestry/store/port/tables.ts'
import type { AppliedRows, Following } from '@attestry/store/port/projection.ts'
import {
  agentCountTable,
  agentTable,
  agentTextTable,
  agentWeekTable,
  metadataTable,
  noteCountTable,
  noteTable,
  reviewerTable,
  weekSeconds,
} from './agentTables.ts'

/**
 * The agents that a transaction touches, as its events leave them. The events are folded first, in the order of the
 * chain, since an attestation about an agent goes to whoever owns the agent at its log.
 */
export interface AgentMoves {
  readonly entries: Map<string, AgentEntry>
  readonly notes: RowOf<typeof noteTable>[]
  readonly metadata: Map<string, RowOf<typeof metadataTable>>
  /** By how much the feedback of a client for an agent moves. */
  readonly reviewers: Map<string, RowOf<typeof reviewerTable>>
  /** The agents of revoked feedback, by its local id. */
  readonly revoked: Set<LocalId>
}

export interface AgentEntry {
  readonly row: AgentRow
  /** The group in which the counter of agents had it; null if the agent was not registered. */
  readonly counted: CountedAs | null
  /** The text under which searches find it. */
  readonly text: Pick<AgentRow, 'id' | 'folded'>
}

interface CountedAs {
  readonly activity: number
  readonly hasFeedback: boolean
  /** The week of the first event. */
  readonly week: number
}

export function createAgentMoves(): AgentMoves {
  return { entries: new Map(), notes: [], metadata: new Map(), reviewers: new Map(), revoked: new Set() }
}

/** Reads the rows of agents into `moves`. */
export async function loadAgents(
  tables: Tables,
  moves: AgentMoves,
  chainId: number,
  subjects: Iterable<string>,
): Promise<void> {
  const missing = [...new Set(subjects)].filter((subject) => !moves.entries.has(subject))
  if (missing.length === 0) return
  const rows = await tables.findBy(agentTable, columnsOf(agentTable), 'subject', missing, {
    chain_id: chainId,
  })
  const found = new Map(rows.map((row) => [row.subject, row]))
  for (const subject of missing) {
    const row = { ...(found.get(subject) ?? emptyAgent({ chainId, subject: `0x${subject}` as LocalId })) }
    const { id, folded } = row
    moves.entries.set(subject, { row, counted: countedAs(row), text: { id, folded } })
  }
}

/** Follows events about agents; null without such events. */
export async function followAgents(
  tables: Tables,
  chain: ChainRow,
  events: readonly DomainEvent[],
): Promise<Following | null> {
  const subjects = events.flatMap((event) => subjectOf(event) ?? [])
  const revokes = events.some(
    (event) => event.kind === 'attestationRevoked' && event.protocol === agentProtocol,
  )
  if (subjects.length === 0 && !revokes) return null
  const moves = createAgentMoves()
  await loadAgents(tables, moves, chain.chainId, subjects)
  const named = events.map((event) => {
    if (event.kind === 'metadataSet') applyMetadata(moves, event, chain.ordinal, chain.chainId)
    if (event.kind !== 'attestationMade') return event
    const attestation = applyAttestation(moves, event.attestation)
    return attestation === null ? event : { ...event, attestation }
  })
  return {
    events: named,
    write: async (applied) => {
      if (revokes) await countRevokedFeedback(tables, chain, moves, applied)
      await writeAgents(tables, chain, moves)
    },
  }
}

/** The agent of an event: the digits of its word; null for an event about no agent. */
function subjectOf(event: DomainEvent): string | null {
  if (event.kind === 'attestationMade') return agentOf(event.attestation)?.slice(2) ?? null
  if (event.kind !== 'metadataSet') return null
  if (event.of === 'agent') return event.subject.slice(2)
  return isToldWhole(event.of) ? (parseAgentNote(event.body)?.agent.slice(2) ?? null) : null
}

function applyMetadata(moves: AgentMoves, event: MetadataSet, ordinal: number, chainId: number): void {
  const subject = subjectOf(event)
  const entry = subject === null ? undefined : moves.entries.get(subject)
  if (entry === undefined) return
  const id = rowId(ordinal, event.position)
  if (event.of === 'agent') {
    const change = parseAgentChange(event.body)
    if (change === null) return
    changeAgent(entry.row, change, id)
    setMetadata(moves.metadata, entry.row, change, id)
    return
  }
  const target = event.subject.slice(2)
  moves.notes.push({ id, chain_id: chainId, kind: event.of, agent: entry.row.subject, target })
  if (event.of === 'feedbackResponse') entry.row.response_count += 1
}

/** Counts an attestation about an agent, and names the agent's owner; null for an attestation about none. */
function applyAttestation(moves: AgentMoves, attestation: Attestation): Attestation | null {
  const subject = agentOf(attestation)?.slice(2)
  const entry = subject === undefined ? undefined : moves.entries.get(subject)
  const text = attestation.recipients.at(-1)
  if (entry === undefined || text === undefined) return null
  const { row } = entry
  if (attestation.schemaLocalId === feedbackSchemaId) {
    row.feedback_timestamp = attestation.attestTimestamp
    row.feedback_count += 1
    moveReviewer(moves, row, attestation.attester, 1)
  }
  if (row.owner === null) return { ...attestation, recipients: [text] }
  return { ...attestation, recipients: [{ kind: 'address', address: addressOfBytes(row.owner) }, text] }
}

export function moveReviewer(
  moves: AgentMoves,
  { chain_id, subject }: AgentRow,
  client: Address,
  by: 1 | -1,
): void {
  const key = `${subject} ${client}`
  const count = (moves.reviewers.get(key)?.count ?? 0) + by
  moves.reviewers.set(key, { chain_id, subject, client: hexBytes(client), count })
}

/** Counts the feedback that the transaction revoked, whether stored or made by the transaction itself. */
async function countRevokedFeedback(
  tables: Tables,
  chain: ChainRow,
  moves: AgentMoves,
  { attestations, revocations }: AppliedRows,
): Promise<void> {
  const made = attestations.flatMap(({ attestation, revocation }) =>
    revocation !== null && attestation.schemaLocalId === feedbackSchemaId ? (agentOf(attestation) ?? []) : [],
  )
  const stored = await tables.findBy(
    'attestation',
    ['protocol', 'schema_local_id', 'recipients_json'],
    'id',
    revocations.map(({ id }) => id),
  )
  const subjects = [
    ...made.map((subject) => subject.slice(2)),
    ...stored.flatMap((row) => {
      const agent = agentOfRow(row)
      return agent?.isFeedback === true ? [agent.subject] : []
    }),
  ]
  await loadAgents(tables, moves, chain.chainId, subjects)
  for (const subject of subjects) {
    const entry = moves.entries.get(subject)
    if (entry !== undefined) entry.row.revoked_count += 1
  }
}

export interface AgentOfRow {
  /** The digits of its word. */
  readonly subject: string
  /** Its id, as the record names it. */
  readonly text: string
  /** Whether the record is feedback. */
  readonly isFeedback: boolean
}

/** The agent that a stored attestation is about; null for an attestation about none. */
export function agentOfRow({
  protocol,
  schema_local_id,
  recipients_json,
}: Pick<RowOf<'attestation'>, 'protocol' | 'schema_local_id' | 'recipients_json'>): AgentOfRow | null {
  if (protocol !== agentProtocol) return null
  // The writer made the text.
  const text = (JSON.parse(recipients_json) as readonly string[]).at(-1) ?? ''
  const subject = parseAgentId(text)?.subject.slice(2)
  return subject === undefined
    ? null
    : { subject, text, isFeedback: schema_local_id === feedbackSchemaId.slice(2) }
}

/** Writes the agents of a transaction and what is counted of them. */
export async function writeAgents(tables: Tables, { chainId }: ChainRow, moves: AgentMoves): Promise<void> {
  const { entries, notes, metadata, reviewers } = moves
  if (entries.size === 0) return
  const moved = [...reviewers.values()].filter(({ count }) => count !== 0)
  const after = await tables.addAndRead(reviewerTable, moved)
  for (const [index, { subject, count }] of moved.entries()) {
    const left = after[index] ?? 0
    const entry = entries.get(subject)
    if (entry !== undefined) entry.row.reviewer_count += Number(left > 0) - Number(left - count > 0)
  }
  const isEmpty = ({ row }: AgentEntry) =>
    row.id === null && row.feedback_count === 0 && row.response_count === 0
  const [gone, kept] = [
    [...entries.values()].filter(isEmpty),
    [...entries.values()].filter((e) => !isEmpty(e)),
  ]
  await tables.put(
    agentTable,
    kept.map(({ row }) => row),
  )
  await tables.remove(
    agentTable,
    ['chain_id', 'subject'],
    gone.map(({ row: { chain_id, subject } }) => ({ chain_id, subject })),
  )
  await writeTexts(tables, [...entries.values()])
  await tables.put(metadataTable, [...metadata.values()])
  await tables.append(noteTable, notes)
  await moveNoteCounts(tables, notes, 1)
  await countAgents(tables, chainId, entries.values())
}

/** Writes the texts that have changed; the id of an agent changes if its registration is reverted. */
async function writeTexts(tables: Tables, entries: readonly AgentEntry[]): Promise<void> {
  const moved = entries.filter(({ row, text }) => row.id !== text.id || row.folded !== text.folded)
  await tables.remove(
    agentTextTable,
    ['id'],
    moved.flatMap(({ text: { id, folded } }) => (id === null || folded === null ? [] : [{ id }])),
  )
  await tables.put(
    agentTextTable,
    moved.flatMap(({ row: { id, chain_id, folded } }) =>
      id === null || folded === null ? [] : [{ id, chain_id, folded }],
    ),
  )
}

/** Moves the counts of notes by kind and target. */
export async function moveNoteCounts(
  tables: Tables,
  notes: readonly Omit<RowOf<typeof noteTable>, 'id' | 'agent'>[],
  by: 1 | -1,
): Promise<void> {
  const counts = new Map<string, RowOf<typeof noteCountTable>>()
  for (const { chain_id, kind, target } of notes) {
    const key = `${kind} ${target}`
    counts.set(key, { chain_id, kind, target, count: (counts.get(key)?.count ?? 0) + by })
  }
  await tables.add(noteCountTable, [...counts.values()])
}

async function countAgents(tables: Tables, chainId: number, entries: Iterable<AgentEntry>): Promise<void> {
  const moved = new Map<string, RowOf<typeof agentCountTable>>()
  const movedByWeek = new Map<number, number>()
  const move = (as: CountedAs | null, by: 1 | -1) => {
    if (as === null) return
    const { activity, hasFeedback, week } = as
    const key = `${activity} ${hasFeedback}`
    const count = (moved.get(key)?.count ?? 0) + by
    moved.set(key, { chain_id: chainId, activity, has_feedback: hasFeedback, count })
    movedByWeek.set(week, (movedByWeek.get(week) ?? 0) + by)
  }
  for (const { row, counted } of entries) {
    move(counted, -1)
    move(countedAs(row), 1)
  }
  await tables.add(
    agentCountTable,
    [...moved.values()].filter(({ count }) => count !== 0),
  )
  await tables.add(
    agentWeekTable,
    [...movedByWeek].flatMap(([week, count]) => (count === 0 ? [] : [{ chain_id: chainId, week, count }])),
  )
}

function countedAs(row: RowOf<typeof agentTable>): CountedAs | null {
  if (row.id === null || row.registered_timestamp === null) return null
  const week = Math.floor(row.registered_timestamp / weekSeconds)
  return { activity: row.activity, hasFeedback: row.feedback_count > 0, week }
}
