import { agentProtocol, feedbackSchemaId, parseAgentChange } from '@attestry/core/model/agents.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { changeAgent, unregistered, setMetadata } from './agentRow.ts'
import type { ChainRow } from '@attestry/store/layout/entries.ts'
import { metadataTable, noteTable } from './agentTables.ts'
import { rowIdsAbove } from '@attestry/store/layout/rowId.ts'
import { valueKey } from '@attestry/store/layout/valueKey.ts'
import type { SqlValue } from '@attestry/store/port/reads.ts'
import type { Tables } from '@attestry/store/port/tables.ts'
import {
  agentOfRow,
  createAgentMoves,
  loadAgents,
  moveNoteCounts,
  moveReviewer,
  writeAgents,
  type AgentEntry,
  type AgentMoves,
  type AgentOfRow,
} from './followAgents.ts'

/**
 * Reverts the effects of events above a block on agents, before the rows of these events go. Counts move back. The state
 * of an agent is folded again from the metadata that remains.
 */
export async function revertAgents(tables: Tables, chain: ChainRow, toBlock: number): Promise<void> {
  const { chainId, ordinal } = chain
  const { first, last } = rowIdsAbove(ordinal, toBlock)
  // A request for a validation by an agent that is not indexed leaves a note and no row of the agent.
  const notes = await tables.takeRange(noteTable, ['chain_id', 'kind', 'agent', 'target'], first, last)
  const any = await tables.get<[number]>('SELECT 1 FROM agent WHERE chain_id = ? LIMIT 1', chainId)
  if (any === undefined && notes.length === 0) return
  const moves = createAgentMoves()
  const subjects = await tables.all<[string]>(
    "SELECT DISTINCT subject FROM metadata WHERE id BETWEEN ? AND ? AND kind = 'agent'",
    first,
    last,
  )
  const made = await listAttestations(tables, 'id', first, last)
  const revoked = await listAttestations(tables, 'revoked_id', first, last)
  const madeIds = new Set(made.map(({ id }) => id))
  await loadAgents(tables, moves, chainId, [
    ...subjects.map(([subject]) => subject),
    ...notes.map(({ agent }) => agent),
    ...[...made, ...revoked].map(({ subject }) => subject),
  ])
  for (const { agent, kind } of notes) {
    const entry = moves.entries.get(agent)
    if (entry !== undefined && kind === 'feedbackResponse') entry.row.response_count -= 1
  }
  await moveNoteCounts(tables, notes, -1)
  for (const attestation of made) takeAttestation(moves, attestation)
  for (const { id, subject, isFeedback } of revoked) {
    const entry = moves.entries.get(subject)
    if (entry !== undefined && isFeedback && !madeIds.has(id)) entry.row.revoked_count -= 1
  }
  for (const subject of new Set(subjects.map(([each]) => each))) {
    const entry = moves.entries.get(subject)
    if (entry !== undefined) await refold(tables, moves, entry, { first, ordinal })
  }
  const texts = new Map(
    made.flatMap(({ subject, text, isFeedback }) => (isFeedback ? [[subject, text] as const] : [])),
  )
  for (const [subject, text] of texts) {
    const entry = moves.entries.get(subject)
    if (entry === undefined) continue
    entry.row.feedback_timestamp = await findNewestFeedback(tables, text, chainId, { first, ordinal })
  }
  await writeAgents(tables, chain, moves)
}

interface AboutAgent extends AgentOfRow {
  readonly id: string
  readonly isRevoked: boolean
  readonly attester: string
}

/** The attestations about agents with an id, or with the id of their revocation, in a range. */
async function listAttestations(
  tables: Tables,
  column: 'id' | 'revoked_id',
  first: bigint,
  last: bigint,
): Promise<readonly AboutAgent[]> {
  const rows = await tables.all<[string, string, string, string, string, string | null]>(
    'SELECT CAST(id AS text), protocol, schema_local_id, recipients_json, attester, revoke_timestamp ' +
      `FROM attestation WHERE ${column} BETWEEN ? AND ?`,
    first,
    last,
  )
  return rows.flatMap(([id, protocol, schema_local_id, recipients_json, attester, revokeTimestamp]) => {
    const agent = agentOfRow({ protocol, schema_local_id, recipients_json })
    if (agent === null) return []
    return [{ ...agent, id, isRevoked: revokeTimestamp !== null, attester: `0x${attester}` }]
  })
}

function takeAttestation(moves: AgentMoves, { subject, isFeedback, isRevoked, attester }: AboutAgent): void {
  const entry = moves.entries.get(subject)
  const client = parseAddress(attester)
  if (entry === undefined || client === null || !isFeedback) return
  entry.row.feedback_count -= 1
  if (isRevoked) entry.row.revoked_count -= 1
  moveReviewer(moves, entry.row, client, -1)
}

interface Below {
  /** The first row id of the range. */
  readonly first: bigint
  readonly ordinal: number
}

/** Folds the state of an agent from its metadata below the range. */
async function refold(tables: Tables, moves: AgentMoves, { row }: AgentEntry, below: Below): Promise<void> {
  const { chain_id, subject } = row
  const rows = await tables.all<[string, SqlValue]>(
    'SELECT CAST(id AS text), body FROM metadata ' +
      "WHERE subject = ? AND kind = 'agent' AND chain_id = ? AND id BETWEEN ? AND ? ORDER BY metadata.id",
    subject,
    chain_id,
    ...idsBelow(below),
  )
  await tables.remove(metadataTable, ['chain_id', 'subject'], [{ chain_id, subject }])
  Object.assign(row, { ...unregistered, version_count: 0 })
  for (const [id, body] of rows) {
    const change = parseAgentChange(tables.dialect.decodeText(body))
    if (change === null) continue
    changeAgent(row, change, BigInt(id))
    setMetadata(moves.metadata, row, change, BigInt(id))
  }
}

/** The time of an agent's newest feedback below the range; 0 without any. */
async function findNewestFeedback(
  tables: Tables,
  agentId: string,
  chainId: number,
  below: Below,
): Promise<number> {
  const row = await tables.get<[number]>(
    'SELECT v.attest_timestamp FROM value_posting v JOIN attestation a ON a.id = v.id ' +
      'WHERE v.value_key = ? AND v.chain_id = ? AND v.id BETWEEN ? AND ? ' +
      'AND a.protocol = ? AND a.schema_local_id = ? ORDER BY v.attest_timestamp DESC LIMIT 1',
    valueKey(agentId),
    chainId,
    ...idsBelow(below),
    agentProtocol,
    feedbackSchemaId.slice(2),
  )
  return row?.[0] ?? 0
}

function idsBelow({ first, ordinal }: Below): [bigint, bigint] {
  return [BigInt(ordinal) << 53n, first - 1n]
}
