import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import {
  agentProtocol,
  feedbackSchemaId,
  formatAgentId,
  parseAgentChange,
  type AgentKey,
} from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type { AgentReads, StoredAgent, StoredAgentMetadata } from './agentQueries.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { changeAgent, emptyAgent, metadataKeyHash, setMetadata, type AgentRow } from './agentRow.ts'
import { addressOfBytes, bytesHex } from '@attestry/store/layout/hexColumn.ts'
import { positionMask } from '@attestry/store/layout/rowId.ts'
import type { metadataTable } from './agentTables.ts'
import type { RowOf } from '@attestry/store/layout/tables.ts'
import type { SqlValue } from '@attestry/store/port/reads.ts'
import { listAgentNotes } from './agentNotes.ts'
import { listAgentHistory } from './readAgents.ts'
import { cutOf } from '@attestry/store/reading/cut.ts'
import type { PastSession } from '@attestry/store/reading/session.ts'
import type { PastSessions } from '@attestry/store/reading/sessionsAsOf.ts'

/** Most versions of an agent that are read for its state as of a moment. */
const versionsMax = 10_000

/** The reads of agents as of a moment. Rows have only the newest state; earlier states follow from events. */
export function createAgentsAsOf(
  { readPast }: PastSessions,
  reader: PastReader,
): Omit<AgentReads, 'listAgents' | 'sliceAgents' | 'sliceAgentUris' | 'findGreatestAgent'> {
  const listNotes: AgentReads['listAgentNotes'] = (filter, page) =>
    readPast(async ({ connection, cut }) => {
      const chain = cutOf(cut, filter.chainId)
      return chain === null ? { total: 0, rows: [] } : await listAgentNotes(connection, filter, page, chain)
    })
  return {
    findAgents: async (keys, whole = false) => {
      const found = await readPast((session) =>
        Promise.all(keys.map((key) => foldAgent(session, key, whole))),
      )
      const chains = await reader.listChains()
      return await Promise.all(
        found.map(
          async (agent) =>
            agent && { ...agent.state, ...(await countFeedback(reader, listNotes, chains, agent.state.key)) },
        ),
      )
    },
    listAgentMetadata: ({ chainId, subjects, names }, after, limit) =>
      readPast(async (session) => {
        const hashes = names && new Set(names.map((name) => metadataKeyHash(name).toString('hex')))
        const found = await Promise.all(
          (subjects ?? []).map((subject) => foldAgent(session, { chainId, subject }, false)),
        )
        return found
          .flatMap((agent) => agent?.metadata ?? [])
          .filter((row) => hashes?.has(Buffer.from(row.key_hash).toString('hex')) ?? true)
          .map(storedMetadata)
          .filter(({ place }) => place.position > after)
          .sort((a, b) => a.place.position - b.place.position)
          .slice(0, limit)
      }),
    listAgentHistory: (key, page) =>
      readPast(async ({ connection, cut }) => {
        const chain = cutOf(cut, key.chainId)
        return chain === null ? { total: 0, rows: [] } : await listAgentHistory(connection, key, page, chain)
      }),
    listAgentNotes: listNotes,
    countAgentNotes: (kind, chainId, targets) =>
      readPast(async ({ connection, cut }) => {
        const chain = cutOf(cut, chainId)
        const rows = await connection.firstOf<[number]>(
          'SELECT count(*) FROM agent_note n WHERE n.chain_id = k.chain_id AND n.kind = k.kind AND n.target = k.target AND n.id <= k.up_to',
          {
            chain_id: { type: 'int53', values: targets.map(() => chainId) },
            kind: { type: 'text', values: targets.map(() => kind) },
            target: { type: 'text', values: targets.map((target) => target.slice(2)) },
            up_to: { type: 'int64', values: targets.map(() => chain?.upTo ?? -1n) },
          },
        )
        return rows.map((row) => row?.[0] ?? 0)
      }),
  }
}

interface FoldedAgent {
  /** Without the counts of its feedback. */
  readonly state: StoredAgent
  readonly metadata: readonly RowOf<typeof metadataTable>[]
}

/**
 * The state that the events of an agent up to the cut make; null if it has no events up to there.
 * @throws StoreTooMuchWorkError
 */
export async function foldAgent(
  { connection, cut }: PastSession,
  key: AgentKey,
  whole: boolean,
): Promise<FoldedAgent | null> {
  const chain = cutOf(cut, key.chainId)
  if (chain === null) return null
  const { bound, decodeText } = connection.dialect
  const rows = await connection.all<[string, SqlValue]>(
    "SELECT CAST(id AS text), body FROM metadata WHERE subject = ? AND kind = 'agent' AND chain_id = ? " +
      `AND protocol = '${agentProtocol}' AND id <= ? ORDER BY metadata.id LIMIT ${bound}`,
    key.subject.slice(2),
    key.chainId,
    chain.upTo,
    versionsMax + 1,
  )
  if (rows.length > versionsMax) {
    throw new StoreTooMuchWorkError('an agent has too many versions to be told as of a block')
  }
  const row = emptyAgent(key)
  const metadata = new Map<string, RowOf<typeof metadataTable>>()
  let uri = ''
  for (const [id, body] of rows) {
    const change = parseAgentChange(decodeText(body))
    if (change === null) continue
    changeAgent(row, change, BigInt(id))
    setMetadata(metadata, row, change, BigInt(id))
    if ('uri' in change) uri = change.uri
  }
  if (row.id === null) return null
  return { state: { ...storedState(row, key), ...(whole ? { uri } : {}) }, metadata: [...metadata.values()] }
}

function storedState(row: AgentRow, key: AgentKey): StoredAgent {
  const registeredTimestamp = row.registered_timestamp ?? 0
  return {
    key,
    owner: row.owner && addressOfBytes(row.owner),
    wallet: row.wallet && addressOfBytes(row.wallet),
    uri: row.uri ?? '',
    uriTimestamp: row.uri_timestamp ?? 0,
    uriTransaction: row.uri_transaction as Hash,
    uriPosition: positionOf(row.uri_id ?? 0n),
    profile: JSON.parse(row.profile_json ?? '') as AgentProfile,
    registeredTimestamp,
    registeredTransaction: row.registered_transaction as Hash,
    updatedTimestamp: row.updated_timestamp ?? 0,
    versionCount: row.version_count,
    feedbackCount: 0,
    revokedCount: 0,
    reviewerCount: 0,
    responseCount: 0,
    feedbackTimestamp: 0,
    place: { timestamp: registeredTimestamp, chainId: key.chainId, position: positionOf(row.id ?? 0n) },
  }
}

function positionOf(id: bigint | number): number {
  return Number(BigInt(id) & BigInt(positionMask))
}

function storedMetadata(row: RowOf<typeof metadataTable>): StoredAgentMetadata {
  const { chain_id: chainId, updated_timestamp: updatedTimestamp } = row
  return {
    key: { chainId, subject: `0x${row.subject}` as LocalId },
    name: row.name,
    value: bytesHex(row.value),
    updatedTimestamp,
    place: { timestamp: updatedTimestamp, chainId, position: positionOf(row.id) },
  }
}

/** The counts of an agent's feedback, by a reader that reads as of the moment. */
async function countFeedback(
  reader: Pick<PastReader, 'countAttestations' | 'groupAttestations' | 'sliceAttestations'>,
  listNotes: AgentReads['listAgentNotes'],
  chains: readonly ChainOverview[],
  key: AgentKey,
): Promise<
  Pick<
    StoredAgent,
    'feedbackCount' | 'revokedCount' | 'reviewerCount' | 'responseCount' | 'feedbackTimestamp'
  >
> {
  const { chainId, subject } = key
  const chain = chains.find(({ status }) => status.chainId === chainId)
  const registry = chain?.contracts.find(({ protocol }) => protocol === agentProtocol)?.address
  const notes = { kind: 'feedbackResponse', chainId, agent: subject, targets: null } as const
  const { total: responseCount } = await listNotes(notes, { page: 1, size: 1 })
  if (registry === undefined) {
    return { feedbackCount: 0, revokedCount: 0, reviewerCount: 0, responseCount, feedbackTimestamp: 0 }
  }
  const filter = {
    ...everyAttestation,
    schema: { chainId, protocol: agentProtocol, localId: feedbackSchemaId },
    recipient: { kind: 'value', value: formatAgentId(key, registry) },
  } as const
  const [feedbackCount, revokedCount, reviewers, newest] = await Promise.all([
    reader.countAttestations(filter),
    reader.countAttestations({ ...filter, revoked: true }),
    reader.groupAttestations({ by: 'attester', filter, page: 1, size: 1 }),
    reader.sliceAttestations(
      { filter, order: 'newestFirst', after: null, limit: 1 },
      { detail: false, schema: false },
    ),
  ])
  const feedbackTimestamp = newest.rows[0]?.attestTimestamp ?? 0
  return { feedbackCount, revokedCount, reviewerCount: reviewers.groups, responseCount, feedbackTimestamp }
}
