import { parseAgentNote } from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { AgentNoteFilter, AgentNoteKind, StoredAgentNote } from './agentQueries.ts'
import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import { positionMask } from '@attestry/store/layout/rowId.ts'
import type { CutChain } from '@attestry/store/reading/cut.ts'
import type { Reads, SqlText, SqlValue } from '@attestry/store/port/reads.ts'
import { allOf, noTerm, placeholders, term } from '@attestry/store/reading/sqlTerms.ts'

/** A page of the responses or requests that pass a filter, newest first. */
export async function listAgentNotes(
  reads: Reads,
  filter: AgentNoteFilter,
  { page, size }: PageRequest,
  cut: CutChain | null = null,
): Promise<Page<StoredAgentNote>> {
  const { kind, chainId, targets } = filter
  if (targets?.length === 0) return { total: 0, rows: [] }
  const { bound, decodeText } = reads.dialect
  const { sql, parameters } = conditionOf(filter, cut)
  const rows = await reads.all<[number, string, string, SqlValue]>(
    `SELECT n.id & ${positionMask}, n.agent, n.target, m.body FROM (SELECT id, agent, target FROM agent_note ` +
      `WHERE ${sql} ORDER BY id DESC LIMIT ${bound} OFFSET ${bound}) AS n ` +
      'JOIN metadata m ON m.id = n.id ORDER BY n.id DESC',
    ...parameters,
    size,
    (page - 1) * size,
  )
  const notes = rows.flatMap(([position, of, target, body]) => {
    const note = parseAgentNote(decodeText(body))
    if (note === null) return []
    const subject = { agent: `0x${of}` as LocalId, target: `0x${target}` as LocalId }
    return [{ ...note, ...subject, chainId, kind, position }]
  })
  return { total: await countNotes(reads, filter, cut), rows: notes }
}

function conditionOf({ kind, chainId, agent, targets }: AgentNoteFilter, cut: CutChain | null): SqlText {
  return allOf([
    agent === null ? noTerm : term('agent = ?', agent.slice(2)),
    targets === null
      ? noTerm
      : term(`target IN (${placeholders(targets)})`, ...targets.map((target) => target.slice(2))),
    term('kind = ?', kind),
    term('chain_id = ?', chainId),
    cut === null ? noTerm : term('id <= ?', cut.upTo),
  ])
}

async function countNotes(reads: Reads, filter: AgentNoteFilter, cut: CutChain | null): Promise<number> {
  const { kind, chainId, agent, targets } = filter
  if (agent === null && targets !== null && cut === null) {
    const counts = await countAgentNotes(reads, kind, chainId, targets)
    return counts.reduce((sum, count) => sum + count, 0)
  }
  if (agent !== null && targets === null && kind === 'feedbackResponse' && cut === null) {
    const row = await reads.get<[number]>(
      'SELECT response_count FROM agent WHERE chain_id = ? AND subject = ?',
      chainId,
      agent.slice(2),
    )
    return row?.[0] ?? 0
  }
  const { sql, parameters } = conditionOf(filter, cut)
  const row = await reads.get<[number]>(`SELECT count(*) FROM agent_note WHERE ${sql}`, ...parameters)
  return row?.[0] ?? 0
}

/** The numbers of notes with these targets, in their order. */
export async function countAgentNotes(
  reads: Reads,
  kind: AgentNoteKind,
  chainId: ChainId,
  targets: readonly LocalId[],
): Promise<readonly number[]> {
  if (targets.length === 0) return []
  const rows = await reads.firstOf<[number]>(
    'SELECT c.count FROM agent_note_count c WHERE c.chain_id = k.chain_id AND c.kind = k.kind AND c.target = k.target',
    {
      chain_id: { type: 'int53', values: targets.map(() => chainId) },
      kind: { type: 'text', values: targets.map(() => kind) },
      target: { type: 'text', values: targets.map((target) => target.slice(2)) },
    },
  )
  return rows.map((row) => row?.[0] ?? 0)
}
