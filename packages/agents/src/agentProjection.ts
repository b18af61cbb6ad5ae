import { countAgentNotes, listAgentNotes } from './projection/agentNotes.ts'
import type { AgentFilter, AgentReads, AgentsByKey, StoredAgent } from './projection/agentQueries.ts'
import type { SliceRequest } from '@attestry/core/index/indexQueries.ts'
import { createAgentsAsOf } from './projection/agentsAsOf.ts'
import { agentSubjects } from './projection/agentSubjects.ts'
import {
  agentCountTable,
  agentTable,
  agentTextTable,
  agentWeekTable,
  metadataTable,
  noteCountTable,
  noteTable,
  reviewerTable,
  searchedTexts,
  weekSeconds,
} from './projection/agentTables.ts'
import { followAgents } from './projection/followAgents.ts'
import {
  countAgents,
  findAgentPlace,
  findAgents,
  findGreatestAgent,
  listAgentHistory,
  listAgentMetadata,
  sliceAgents,
  type FoundText,
  sliceAgentUris,
} from './projection/readAgents.ts'
import { revertAgents } from './projection/revertAgents.ts'
import { blockOf, select } from '@attestry/store/layout/sqlViews.ts'
import type { Projection, ProjectionSessions } from '@attestry/store/port/projection.ts'
import { readFilteredPage, type FilteredList } from '@attestry/store/reading/readFilteredPage.ts'

/**
 * The agents of ERC-8004: registrations, transfers, URIs, metadata, feedback with its responses and revocations, and
 * validations. An attestation about an agent gets the owner of the agent at its log as a recipient.
 */
export const projection: Projection = {
  name: 'agents',
  tables: [
    agentTable,
    agentTextTable,
    metadataTable,
    noteTable,
    reviewerTable,
    agentCountTable,
    agentWeekTable,
    noteCountTable,
  ],
  indexes: ({ id, isTrue }) => ({
    agent_note_by_agent: { on: `agent_note (agent, kind, chain_id${id})` },
    agent_note_by_target: { on: `agent_note (target, kind, chain_id${id})` },
    agent_note_by_kind: { on: `agent_note (kind, chain_id${id})` },
    agent_by_id: { isUnique: true, on: 'agent (id) WHERE id IS NOT NULL' },
    agent_by_time: { on: 'agent (registered_timestamp, chain_id, id) WHERE id IS NOT NULL' },
    agent_by_chain: { on: 'agent (chain_id, registered_timestamp, id) WHERE id IS NOT NULL' },
    agent_by_owner: { on: 'agent (owner, registered_timestamp, chain_id, id) WHERE id IS NOT NULL' },
    agent_by_activity: { on: 'agent (activity, registered_timestamp, chain_id, id) WHERE id IS NOT NULL' },
    agent_with_feedback: {
      on: 'agent (registered_timestamp, chain_id, id) WHERE id IS NOT NULL AND feedback_count > 0',
    },
    agent_by_feedback: { on: 'agent (feedback_count, chain_id, id) WHERE id IS NOT NULL' },
    agent_with_file: { on: `agent (registered_timestamp, chain_id, id) WHERE ${isTrue('has_file')}` },
    agent_by_update: { on: 'agent (updated_timestamp, chain_id, id) WHERE id IS NOT NULL' },
    agent_file_by_update: { on: `agent (updated_timestamp, chain_id, id) WHERE ${isTrue('has_file')}` },
    agent_with_name: { on: 'agent (registered_timestamp, chain_id, id) WHERE folded IS NOT NULL' },
    agent_metadata_by_id: { on: 'agent_metadata (chain_id, id)' },
    agent_metadata_by_key: { on: 'agent_metadata (key_hash, chain_id, id)' },
  }),
  viewSelects: ({ hex, flag, chainText, json, time }) => ({
    agents: select(
      {
        chain_id: 'a.chain_id',
        subject: `'0x' || a.subject`,
        owner: `'0x' || ${hex('a.owner')}`,
        wallet: `'0x' || ${hex('a.wallet')}`,
        active: flag('CASE a.activity WHEN 1 THEN true WHEN 2 THEN false END'),
        uri: chainText('a.uri'),
        profile: json('a.profile_json'),
        registered_at: time('a.registered_timestamp'),
        updated_at: time('a.updated_timestamp'),
        version_count: 'a.version_count',
        feedback_count: 'a.feedback_count',
        revoked_count: 'a.revoked_count',
        reviewer_count: 'a.reviewer_count',
        response_count: 'a.response_count',
        feedback_at: time('nullif(a.feedback_timestamp, 0)'),
        block: blockOf('a.id'),
        transaction_hash: 'a.registered_transaction',
      },
      'agent a WHERE a.id IS NOT NULL',
    ),
  }),
  viewComments: {
    agents: {
      view: 'Registered agents of ERC-8004 as they are now',
      columns: {
        chain_id: 'Number of the chain',
        subject: 'Number of the agent in its registry, 0x and 64 digits',
        owner: 'Account that owns the agent, in lower case',
        wallet: 'Wallet of the agent, in lower case; NULL without one',
        active: 'Whether the registration says that the agent is active; NULL where it does not say',
        uri: 'First 2,048 characters of the URI of its registration',
        profile: 'What the registration in the URI says, as the API has it',
        registered_at: 'Time of the registration',
        updated_at: 'Time of the newest version',
        version_count: 'Events of the registry of identities',
        feedback_count: 'All feedback, revoked or not',
        revoked_count: 'Revoked feedback',
        reviewer_count: 'Clients that gave feedback',
        response_count: 'Responses to feedback',
        feedback_at: 'Time of the newest feedback; NULL without any',
        block: 'Block of the registration',
        transaction_hash: 'Transaction of the registration',
      },
    },
  },
  searched: searchedTexts,
  countTables: [
    {
      table: agentCountTable.name,
      columns: ['chain_id', 'activity', 'has_feedback', 'count'],
      select:
        'SELECT chain_id, activity, feedback_count > 0, count(*) FROM agent WHERE id IS NOT NULL GROUP BY 1, 2, 3',
    },
    {
      table: agentWeekTable.name,
      columns: ['chain_id', 'week', 'count'],
      select: `SELECT chain_id, registered_timestamp / ${weekSeconds}, count(*) FROM agent WHERE id IS NOT NULL GROUP BY 1, 2`,
    },
    {
      table: noteCountTable.name,
      columns: ['chain_id', 'kind', 'target', 'count'],
      select: 'SELECT chain_id, kind, target, count(*) FROM agent_note GROUP BY 1, 2, 3',
    },
  ],
  begin: followAgents,
  revert: revertAgents,
  subjects: agentSubjects,
  openReads,
  openPastReads: (sessions, reader): AgentsByKey => createAgentsAsOf(sessions, reader),
}

function openReads({ read, readOnce, sliceRowsMax, turn }: ProjectionSessions): AgentReads {
  const walk = (request: SliceRequest<AgentFilter>, found?: FoundText) =>
    read((session) => sliceAgents(session, request, sliceRowsMax, found))
  return {
    listAgents: (filter, page) => {
      const found: FoundText = {}
      const count = () => readOnce(({ connection }) => countAgents(connection, filter, found))
      const list: FilteredList<StoredAgent> = {
        count,
        slice: (request) => walk({ ...request, filter }, found),
        findPlace: (order, rows) => read((session) => findAgentPlace(session, filter, order, rows)),
        turn,
      }
      return readFilteredPage(list, page)
    },
    sliceAgents: (request) => walk(request),
    findAgents: (keys, whole = false) => read(({ connection }) => findAgents(connection, keys, whole)),
    listAgentMetadata: (filter, after, limit) =>
      readOnce(({ connection }) => listAgentMetadata(connection, filter, after, limit)),
    listAgentHistory: (key, page) => read(({ connection }) => listAgentHistory(connection, key, page)),
    findGreatestAgent: (chainId) => readOnce(({ connection }) => findGreatestAgent(connection, chainId)),
    sliceAgentUris: (chainId, after, limit) =>
      read((session) => sliceAgentUris(session, chainId, after, limit)),
    listAgentNotes: (filter, page) => read(({ connection }) => listAgentNotes(connection, filter, page)),
    countAgentNotes: (kind, chainId, targets) =>
      readOnce(({ connection }) => countAgentNotes(connection, kind, chainId, targets)),
  }
}
