import { daySeconds } from '@attestry/core/model/time.ts'
import type { OwnTable } from '@attestry/store/layout/tables.ts'

/**
 * The newest state of each agent (model/agents.ts), as its metadata and the attestations about it give it. The columns
 * from id to text are NULL, and version_count is 0, where attestations name an agent whose registration is not indexed.
 */
export const agentTable = {
  name: 'agent',
  fill: 80,
  // Its many indexes would repeat the key.
  standsByKey: false,
  kind: 'derived',
  key: ['chain_id', 'subject'],
  columns: {
    chain_id: 'int53',
    /** The word of the agent's number: hexadecimal digits. */
    subject: 'key',
    /** The row id of the first event. */
    id: 'int64 null',
    registered_timestamp: 'int53 null',
    updated_timestamp: 'int53 null',
    /** The time of the newest feedback; 0 without any. */
    feedback_timestamp: 'int53',
    version_count: 'int53',
    /** All feedback, and the revoked part. */
    feedback_count: 'int53',
    revoked_count: 'int53',
    reviewer_count: 'int53',
    response_count: 'int53',
    /** 1 where the registration says that the agent is active, 2 that it is not, 0 where it says neither. */
    activity: 'int32',
    registered_transaction: 'text null',
    owner: 'bytes null',
    wallet: 'bytes null',
    uri_id: 'int64 null',
    uri_timestamp: 'int53 null',
    uri_transaction: 'text null',
    /** Whether the URI holds the registration. */
    has_file: 'boolean',
    /** At most `uriLengthMax` characters; the event at uri_id has all. */
    uri: 'chainText null',
    profile_json: 'text null',
    /** Name and description, folded; NULL without either. */
    folded: 'chainText null',
  },
} as const satisfies OwnTable

/** The texts of agents that are searched: `folded` of those that have one, by their id. */
export const agentTextTable = {
  name: 'agent_text',
  fill: 80,
  kind: 'derived',
  key: ['id'],
  columns: { id: 'int64', chain_id: 'int53', folded: 'chainText' },
} as const satisfies OwnTable

/** Describes these texts for searches. */
export const searchedTexts = {
  table: agentTextTable.name,
  columns: ['id', 'chain_id', 'folded'],
  text: 'folded',
  select: 'SELECT id, chain_id, folded FROM agent WHERE folded IS NOT NULL',
} as const

/** The newest value of each metadata key of an agent. */
export const metadataTable = {
  name: 'agent_metadata',
  fill: 80,
  kind: 'derived',
  key: ['chain_id', 'subject', 'key_hash'],
  columns: {
    chain_id: 'int53',
    subject: 'key',
    key_hash: 'bytes',
    /** The row id of the event. */
    id: 'int64',
    updated_timestamp: 'int53',
    name: 'chainText',
    value: 'bytes',
  },
} as const satisfies OwnTable

/** Responses to feedback and requests for validations (model/agents.ts); the id is that of their metadata. */
export const noteTable = {
  name: 'agent_note',
  kind: 'event',
  key: ['id'],
  columns: {
    id: 'int64',
    chain_id: 'int53',
    kind: 'key',
    /** The word of the agent's number, and the subject of the metadata; hexadecimal digits. */
    agent: 'key',
    target: 'key',
  },
} as const satisfies OwnTable

/** Feedback of each client for each agent. */
export const reviewerTable = {
  name: 'agent_reviewer',
  fill: 80,
  kind: 'counter',
  key: ['chain_id', 'subject', 'client'],
  columns: { chain_id: 'int53', subject: 'key', client: 'bytes', count: 'int53' },
} as const satisfies OwnTable

/** Registered agents. */
export const agentCountTable = {
  name: 'agent_count',
  fill: 50,
  kind: 'counter',
  key: ['chain_id', 'activity', 'has_feedback'],
  columns: { chain_id: 'int53', activity: 'int32', has_feedback: 'boolean', count: 'int53' },
} as const satisfies OwnTable

/** Seconds of a week. Weeks are counted from 1970 on. */
export const weekSeconds = 7 * daySeconds

/**
 * Registered agents by the week of their first event, by which a page far down their list is found. By day, a page would
 * read too many rows, and by month it would pass over too many agents.
 */
export const agentWeekTable = {
  name: 'agent_week',
  fill: 80,
  kind: 'counter',
  // By week first: a page reads the weeks of all chains in order.
  key: ['week', 'chain_id'],
  columns: { chain_id: 'int53', week: 'int53', count: 'int53' },
} as const satisfies OwnTable

/** Rows of agent_note by kind and target. */
export const noteCountTable = {
  name: 'agent_note_count',
  fill: 80,
  kind: 'counter',
  key: ['chain_id', 'kind', 'target'],
  columns: { chain_id: 'int53', kind: 'key', target: 'key', count: 'int53' },
} as const satisfies OwnTable
