import { readRegistration, type AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import { parseAgentChange, parseAgentNote, type AgentKey } from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type {
  AgentFilter,
  AgentMetadataFilter,
  StoredAgent,
  StoredAgentChange,
  StoredAgentMetadata,
  StoredAgentUri,
} from './agentQueries.ts'
import type { Page, PageRequest, Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { metadataKeyHash } from './agentRow.ts'
import { searchedTexts, weekSeconds } from './agentTables.ts'
import { addressOfBytes, bytesHex, hexBytes } from '@attestry/store/layout/hexColumn.ts'
import { positionMask, rowIdsAbove } from '@attestry/store/layout/rowId.ts'
import type { Dialect } from '@attestry/store/port/dialect.ts'
import type { Reads, SqlText, SqlValue } from '@attestry/store/port/reads.ts'
import { attestationOrder } from '@attestry/store/reading/chooseWalk.ts'
import { listKnownChains } from '@attestry/store/reading/knownChains.ts'
import { sliceWalk } from '@attestry/store/reading/readSlice.ts'
import { findPlace, type OrderValueOf, type Walk, type WalkOrder } from '@attestry/store/reading/rowWalk.ts'
import type { CutChain } from '@attestry/store/reading/cut.ts'
import type { ReadSession } from '@attestry/store/reading/session.ts'
import { allOf, noTerm, placeholders, term } from '@attestry/store/reading/sqlTerms.ts'

/** A slice of the agents that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceAgents(
  session: ReadSession,
  { filter, ...request }: SliceRequest<AgentFilter>,
  rowsMax: number,
  found?: FoundText,
): Promise<Slice<StoredAgent>> {
  const { connection } = session
  const { dialect } = connection
  const walk = await walkOf(session, filter, found)
  const rows = { columns: agentColumns, joined: 'agent a ON a.id = m.o', inWalk: dialect.readsRowsInWalk }
  const presentRow = (row: AgentColumns) => storedAgent(dialect, row, filter.order)
  return await sliceWalk(connection, walk, rows, presentRow, request, rowsMax)
}

/** The place of the `count`-th agent that passes a filter, if an index finds it; null otherwise. */
export async function findAgentPlace(
  session: ReadSession,
  filter: AgentFilter,
  order: WalkOrder,
  count: number,
): Promise<RowPlace | 'end' | null> {
  // Agents with a text have no index in the order of the walk.
  if (filter.folded !== null) return null
  const walk = await walkOf(session, filter)
  const { connection } = session
  const isCounted = isOnly(filter, ['chainId']) && filter.order === 'registered'
  // Passing over a few entries costs less than reading the weeks.
  const isFar = count > 8 * session.rankThreshold
  if (!isCounted || !isFar) {
    return await findPlace(connection, walk, order, count)
  }
  const found = await findWeek(connection, filter.chainId, order, count)
  if (found === null) return 'end'
  const [from, before] = [found.week * weekSeconds, (found.week + 1) * weekSeconds]
  return await findPlace(connection, walk, order, count - found.passed, { from, before })
}

/** The week of the `count`-th agent, and how many come before that week; null if there are fewer agents. */
async function findWeek(
  reads: Reads,
  chainId: ChainId | null,
  order: WalkOrder,
  count: number,
): Promise<{ readonly week: number; readonly passed: number } | null> {
  const ofChain = chainId === null ? noTerm : term(' WHERE chain_id = ?', chainId)
  const weeks = await reads.all<[week: number, count: number]>(
    `SELECT week, CAST(sum(count) AS bigint) FROM agent_week${ofChain.sql} GROUP BY 1 ` +
      `ORDER BY 1 ${order === 'newestFirst' ? 'DESC' : 'ASC'}`,
    ...ofChain.parameters,
  )
  let passed = 0
  for (const [week, ofWeek] of weeks) {
    if (passed + ofWeek >= count) return { week, passed }
    passed += ofWeek
  }
  return null
}

async function walkOf(session: ReadSession, filter: AgentFilter, found: FoundText = {}): Promise<Walk> {
  const { connection } = session
  const ids = await idsOfText(connection, filter, found)
  const isFound = ids && connection.dialect.oneOf('a.id', ids)
  return chooseWalk(connection.dialect, filter, isFound, attestationOrder(await listKnownChains(session)))
}

/** Agents with a text are found by their ids up to this number. More are met often in a walk of all. */
const idsMax = 1_000

/** The row ids of the agents with the text of a filter: null if these are many, undefined until they are read. */
export interface FoundText {
  ids?: readonly bigint[] | null
}

/** The ids of the agents with the text of a filter, which are read once; null if they are many, or there is no text. */
async function idsOfText(
  reads: Reads,
  { folded }: AgentFilter,
  found: FoundText,
): Promise<readonly bigint[] | null> {
  if (found.ids !== undefined) return found.ids
  const select = folded === null ? null : reads.dialect.idsWithText(searchedTexts, folded)
  if (select === null) return (found.ids = null)
  const rows = await reads.all<[ordinal: number, position: number]>(
    `WITH t (id) AS (${select.sql} LIMIT ${reads.dialect.bound}) SELECT id >> 53, id & ${positionMask} FROM t`,
    ...select.parameters,
    idsMax + 1,
  )
  const ids = rows.map(([ordinal, position]) => (BigInt(ordinal) << 53n) | BigInt(position))
  return (found.ids = ids.length > idsMax ? null : ids)
}

/** Whether a filter narrows by no members but these. */
function isOnly(filter: AgentFilter, members: readonly (keyof AgentFilter)[]): boolean {
  return Object.entries({ ...filter, order: null }).every(
    ([member, value]) => value === null || (members as readonly string[]).includes(member),
  )
}

/** How many agents pass a filter. The writer counts them by chain, activity and feedback. */
export async function countAgents(reads: Reads, filter: AgentFilter, found: FoundText = {}): Promise<number> {
  const { chainId, active, hasFeedback, folded } = filter
  const { dialect } = reads
  const isCounted = isOnly(filter, ['chainId', 'active', 'hasFeedback'])
  const isText = isOnly(filter, ['folded'])
  const ids = await idsOfText(reads, filter, found)
  if (isText && ids !== null) return ids.length
  const withText = isText && folded !== null ? dialect.idsWithText(searchedTexts, folded) : null
  const count = async (counted: string, from: SqlText, where: SqlText) => {
    const row = await reads.get<[number | null]>(
      `SELECT CAST(${counted} AS bigint) FROM ${from.sql}${where.sql === '' ? '' : ` WHERE ${where.sql}`}`,
      ...from.parameters,
      ...where.parameters,
    )
    return row?.[0] ?? 0
  }
  if (withText !== null) {
    return await count('count(*)', { ...withText, sql: `(${withText.sql}) AS t` }, noTerm)
  }
  if (isCounted) {
    const conditions = allOf([
      chainId === null ? noTerm : term('chain_id = ?', chainId),
      active === null ? noTerm : term('activity = ?', active ? 1 : 2),
      hasFeedback === null ? noTerm : term(dialect.flag('has_feedback', hasFeedback)),
    ])
    return await count('sum(count)', term('agent_count'), conditions)
  }
  const isFound = ids === null ? noTerm : dialect.oneOf('a.id', ids)
  const conditions = allOf([term(registered), isFound, ...conditionsOf(dialect, filter)])
  return await count('count(*)', term('agent a'), conditions)
}

/** The column that the walk of each order follows. */
const orderColumns = {
  registered: 'a.registered_timestamp',
  updated: 'a.updated_timestamp',
  feedback: 'a.feedback_count',
} as const

/** The walk by the index that leaves out most. */
function chooseWalk(
  dialect: Dialect,
  filter: AgentFilter,
  found: SqlText | null,
  orderValueOf: OrderValueOf,
): Walk {
  const { index, condition } =
    found !== null
      ? { index: 'agent_by_id', condition: allOf([term(registered), found]) }
      : filter.order === 'updated'
        ? updateIndex(dialect, filter)
        : filter.order === 'feedback'
          ? { index: 'agent_by_feedback', condition: term(registered) }
          : ownIndex(dialect, filter)
  const isOfChain = index === 'agent_by_chain'
  const arm = {
    from: dialect.walked('agent', 'a', index),
    join: '',
    timestamp: orderColumns[filter.order],
    chain: 'a.chain_id',
    order: 'a.id',
    condition,
    chainId: isOfChain ? filter.chainId : null,
    chainInKey: !isOfChain,
    rowCondition: null,
  }
  return { arms: [arm], condition: allOf(conditionsOf(dialect, filter, index)), orderValueOf }
}

interface ChosenIndex {
  readonly index: string
  readonly condition: SqlText
}

const registered = 'a.id IS NOT NULL'

function updateIndex(dialect: Dialect, { hasFile }: AgentFilter): ChosenIndex {
  return hasFile === true
    ? { index: 'agent_file_by_update', condition: term(dialect.flag('a.has_file', true)) }
    : { index: 'agent_by_update', condition: term(registered) }
}

function ownIndex(dialect: Dialect, filter: AgentFilter): ChosenIndex {
  const { owner, chainId, active, hasFeedback, folded, service, capability, hasFile } = filter
  if (owner !== null) {
    return { index: 'agent_by_owner', condition: term(`${registered} AND a.owner = ?`, hexBytes(owner)) }
  }
  if (folded !== null) return { index: 'agent_with_name', condition: term('a.folded IS NOT NULL') }
  if (hasFeedback === true) {
    return { index: 'agent_with_feedback', condition: term(`${registered} AND a.feedback_count > 0`) }
  }
  if (hasFile === true || service !== null || capability !== null) {
    return { index: 'agent_with_file', condition: term(dialect.flag('a.has_file', true)) }
  }
  if (active !== null) {
    const condition = term(`${registered} AND a.activity = ?`, active ? 1 : 2)
    return { index: 'agent_by_activity', condition }
  }
  return chainId === null
    ? { index: 'agent_by_time', condition: term(registered) }
    : { index: 'agent_by_chain', condition: term(`${registered} AND a.chain_id = ?`, chainId) }
}

/** The conditions of a filter on rows, without the one that an index fixes. */
function conditionsOf(dialect: Dialect, filter: AgentFilter, index = ''): SqlText[] {
  const { owner, chainId, active, hasFeedback, folded, service, capability, hasFile } = filter
  const hidden = (column: string) => dialect.hidden(column, 'integer')
  const terms: SqlText[] = []
  // The one index of an owner serves a count too.
  if (owner !== null && index !== 'agent_by_owner') terms.push(term('a.owner = ?', hexBytes(owner)))
  if (chainId !== null && index !== 'agent_by_chain') terms.push(term(`${hidden('a.chain_id')} = ?`, chainId))
  if (active !== null && index !== 'agent_by_activity') {
    terms.push(term(`${hidden('a.activity')} = ?`, active ? 1 : 2))
  }
  if (hasFeedback !== null && index !== 'agent_with_feedback') {
    terms.push(term(`${hidden('a.feedback_count')} ${hasFeedback ? '>' : '='} 0`))
  }
  if (hasFile !== null && !index.startsWith('agent_file') && index !== 'agent_with_file') {
    terms.push(term(dialect.flag('a.has_file', hasFile)))
  }
  if (folded !== null)
    terms.push(term(`a.folded IS NOT NULL AND ${dialect.contains('a.folded', '?')}`, folded))
  if (service !== null) terms.push(profileHas(dialect, servicesWith(service)))
  if (capability !== null) terms.push(profileHas(dialect, listsWith(capability)))
  return terms
}

/** Whether the JSON of a profile has one of some parts. No value holds a part: its quotes would be escaped. */
function profileHas(dialect: Dialect, parts: readonly string[]): SqlText {
  return term(`(${parts.map(() => dialect.contains('a.profile_json', '?')).join(' OR ')})`, ...parts)
}

/** The beginning of a service with a name, as the writer puts it. */
function servicesWith(name: string): readonly string[] {
  return [`{"name":${JSON.stringify(name)},"endpoint":`]
}

/** A text as a member of a list: only skills, domains and models of trust are lists of texts. */
function listsWith(text: string): readonly string[] {
  return ['[', ','].flatMap((before) => [',', ']'].map((after) => before + JSON.stringify(text) + after))
}

const agentColumns =
  'a.chain_id, a.subject, a.owner, a.wallet, a.uri, a.profile_json, a.registered_timestamp, ' +
  'a.registered_transaction, a.updated_timestamp, a.version_count, a.feedback_count, a.revoked_count, ' +
  `a.reviewer_count, a.response_count, a.feedback_timestamp, a.id & ${positionMask}, CAST(a.uri_id AS text), a.uri_timestamp, a.uri_transaction, ` +
  `a.uri_id & ${positionMask}`

type AgentColumns = [
  chainId: number,
  subject: string,
  owner: Uint8Array | null,
  wallet: Uint8Array | null,
  uri: SqlValue,
  profileJson: string,
  registeredTimestamp: number,
  registeredTransaction: string,
  updatedTimestamp: number,
  versionCount: number,
  feedbackCount: number,
  revokedCount: number,
  reviewerCount: number,
  responseCount: number,
  feedbackTimestamp: number,
  position: number,
  uriId: string,
  uriTimestamp: number,
  uriTransaction: string,
  uriPosition: number,
]

function storedAgent(
  dialect: Pick<Dialect, 'decodeText'>,
  row: AgentColumns,
  order: AgentFilter['order'],
): StoredAgent {
  const [chainId, subject, owner, wallet, uri, profileJson, registered, transaction, updated] = row
  const [, , , , , , , , , versionCount, feedbackCount, revokedCount, reviewerCount] = row
  const [, , , , , , , , , , , , , responseCount, feedbackTimestamp, position, , uriTimestamp] = row
  const [, , , , , , , , , , , , , , , , , , uriTransaction, uriPosition] = row
  return {
    key: { chainId, subject: `0x${subject}` as LocalId },
    owner: owner === null ? null : addressOfBytes(owner),
    wallet: wallet === null ? null : addressOfBytes(wallet),
    uri: dialect.decodeText(uri),
    uriTimestamp,
    uriTransaction: uriTransaction as Hash,
    uriPosition,
    // The writer made the text.
    profile: JSON.parse(profileJson) as AgentProfile,
    registeredTimestamp: registered,
    registeredTransaction: transaction as Hash,
    updatedTimestamp: updated,
    versionCount,
    feedbackCount,
    revokedCount,
    reviewerCount,
    responseCount,
    feedbackTimestamp,
    place: { timestamp: { registered, updated, feedback: feedbackCount }[order], chainId, position },
  }
}

/** Agents of up to 1,000 keys, in their order. */
export async function findAgents(
  reads: Reads,
  keys: readonly AgentKey[],
  whole: boolean,
): Promise<readonly (StoredAgent | null)[]> {
  if (keys.length === 0) return []
  const rows = await reads.firstOf<AgentColumns>(
    `SELECT ${agentColumns} FROM agent a WHERE a.chain_id = k.chain_id AND a.subject = k.subject AND a.id IS NOT NULL`,
    {
      chain_id: { type: 'int53', values: keys.map(({ chainId }) => chainId) },
      subject: { type: 'text', values: keys.map(({ subject }) => subject.slice(2)) },
    },
  )
  const agents: (StoredAgent | null)[] = []
  for (const row of rows) {
    const agent = row === undefined ? null : storedAgent(reads.dialect, row, 'registered')
    agents.push(agent !== null && whole ? await withWholeUri(reads, agent, row?.[16] ?? '') : agent)
  }
  return agents
}

/** The row holds the beginning of a long URI; the event that set it has all. */
async function withWholeUri(reads: Reads, agent: StoredAgent, uriId: string): Promise<StoredAgent> {
  const row = await reads.get<[SqlValue]>('SELECT body FROM metadata WHERE id = ?', BigInt(uriId))
  const change = row === undefined ? null : parseAgentChange(reads.dialect.decodeText(row[0]))
  if (change === null || !('uri' in change)) return agent
  return { ...agent, uri: change.uri, profile: readRegistration(change.uri).profile }
}

/** The newest metadata of agents of a chain, in the order of their events. */
export async function listAgentMetadata(
  reads: Reads,
  { chainId, subjects, names }: AgentMetadataFilter,
  after: number,
  limit: number,
): Promise<readonly StoredAgentMetadata[]> {
  const { sql, parameters } = allOf([
    term('chain_id = ?', chainId),
    subjects === null
      ? noTerm
      : term(`subject IN (${placeholders(subjects)})`, ...subjects.map((subject) => subject.slice(2))),
    names === null
      ? noTerm
      : term(`key_hash IN (${placeholders(names)})`, ...names.map((name) => metadataKeyHash(name))),
    term(`id & ${positionMask} > ?`, after),
  ])
  const rows = await reads.all<[string, SqlValue, Uint8Array, number, number]>(
    `SELECT subject, name, value, updated_timestamp, id & ${positionMask} FROM agent_metadata WHERE ${sql} ` +
      `ORDER BY id LIMIT ${reads.dialect.bound}`,
    ...parameters,
    limit,
  )
  return rows.map(([subject, name, value, updatedTimestamp, position]) => ({
    key: { chainId, subject: `0x${subject}` as LocalId },
    name: reads.dialect.decodeText(name),
    value: bytesHex(value),
    updatedTimestamp,
    place: { timestamp: updatedTimestamp, chainId, position },
  }))
}

/** A page of the versions of an agent, newest first; those up to a cut where there is one. */
export async function listAgentHistory(
  reads: Reads,
  { chainId, subject }: AgentKey,
  { page, size }: PageRequest,
  cut: CutChain | null = null,
): Promise<Page<StoredAgentChange>> {
  const { bound, decodeText } = reads.dialect
  const agent = [subject.slice(2), chainId] as const
  const { sql, parameters } = allOf([
    term("subject = ? AND kind = 'agent' AND chain_id = ? AND protocol = 'erc8004'", ...agent),
    cut === null ? noTerm : term('id <= ?', cut.upTo),
  ])
  const counted =
    cut === null
      ? await reads.get<[number]>(
          'SELECT version_count FROM agent WHERE subject = ? AND chain_id = ?',
          ...agent,
        )
      : await reads.get<[number]>(`SELECT count(*) FROM metadata WHERE ${sql}`, ...parameters)
  const rows = await reads.all<[number, SqlValue]>(
    `SELECT id & ${positionMask}, body FROM metadata WHERE ${sql} ORDER BY id DESC LIMIT ${bound} OFFSET ${bound}`,
    ...parameters,
    size,
    (page - 1) * size,
  )
  return {
    total: counted?.[0] ?? 0,
    rows: rows.flatMap(([position, body]) => {
      const change = parseAgentChange(decodeText(body))
      return change === null ? [] : [{ ...change, position }]
    }),
  }
}

/** Characters of the longest event whose URI is read: no longer one leads to a file. */
const bodyLengthMax = 8_192

/**
 * The URIs that events gave the agents of a chain, after a position: a walk over all metadata by its ids, whose range has
 * only one end. PostgreSQL takes a range with two ends for a small one, and reads all of it before it sorts.
 */
export async function sliceAgentUris(
  session: ReadSession,
  chainId: ChainId,
  after: number,
  limit: number,
): Promise<Slice<StoredAgentUri>> {
  const chain = (await listKnownChains(session)).find((known) => known.chainId === chainId)
  if (chain === undefined) return { rows: [], hasMore: false, scannedTo: null }
  const { bound, decodeText } = session.connection.dialect
  const found = await session.connection.all<[number, number, string, SqlValue]>(
    `SELECT chain_id, id & ${positionMask}, kind, CASE WHEN chain_id = ? AND length(body) <= ${bodyLengthMax} ` +
      `THEN body END FROM metadata WHERE id > ? ORDER BY metadata.id LIMIT ${bound}`,
    chainId,
    rowIdsAbove(chain.ordinal, -1).first + BigInt(after),
    limit,
  )
  const end = found.findIndex(([ofChain]) => ofChain !== chainId)
  const walked = (end === -1 ? found : found.slice(0, end)).map(([, position, kind, body]) => {
    const text = body === null ? '' : decodeText(body)
    const change = kind === 'agent' ? parseAgentChange(text) : null
    // Events that do not tell their time are as new as can be.
    const { timestamp } = change ?? parseAgentNote(text) ?? { timestamp: Number.MAX_SAFE_INTEGER }
    return { change, place: { timestamp, chainId, position } }
  })
  return {
    rows: walked.flatMap(({ change, place }) =>
      change !== null && 'uri' in change
        ? [{ uri: change.uri, by: change.change === 'registered' ? change.owner : change.by, place }]
        : [],
    ),
    hasMore: walked.length === limit,
    scannedTo: walked.at(-1)?.place ?? null,
  }
}

/** The greatest number of an agent that anything names: the end of the primary key. */
export async function findGreatestAgent(reads: Reads, chainId: ChainId): Promise<LocalId | null> {
  const row = await reads.get<[string]>(
    'SELECT subject FROM agent WHERE chain_id = ? ORDER BY subject DESC LIMIT 1',
    chainId,
  )
  return row === undefined ? null : (`0x${row[0]}` as LocalId)
}
