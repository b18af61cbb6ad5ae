import { queryOptions } from '@tanstack/react-query'
import { recordKey, type Keyed } from '../format/recordKey.ts'
import { withoutAbsent } from '../format/withoutAbsent.ts'
import type { BodyOf, Parameters } from '@attestry/client/paths.ts'
import type { VerdictKeys } from '@attestry/client/gate/verifyVerdict.ts'
import { api, chainsApi } from './client.ts'
import { momentOfPage } from './moment.ts'
import { schemaDetailsDocument, type SchemaDetails } from './documents.ts'
import { fetchAnswer } from './fetchAnswer.ts'
import { partsOfOldestPage } from './oldestPage.ts'
import type { AttestationRow } from './types.ts'

/**
 * The request and the cache key of each question. Pages ask only through these, so that equal questions share an
 * answer.
 */

/** How often the state of the chains is asked for: well within the time for which an answer counts as fresh. */
export const chainsIntervalMs = 4_000
/** How often what is said to hold at present is read again. */
export const presentIntervalMs = 15_000

export type AttestationQuery = Omit<Parameters<'/scan/attestations'>, 'include'>
export type SchemaQuery = Omit<Parameters<'/scan/schemas'>, 'include'>
export type AgentQuery = Omit<Parameters<'/scan/agents'>, 'include'>
export const chainsQuery = () =>
  queryOptions({
    queryKey: ['chains'],
    queryFn: ({ signal }) => chainsApi.get('/scan/chains', {}, { signal }),
    select: ({ rows }) => rows,
  })

export const statsQuery = () =>
  queryOptions({ queryKey: ['stats'], queryFn: ({ signal }) => api.get('/scan/stats', {}, { signal }) })

export const latestAttestationsQuery = () =>
  queryOptions({
    queryKey: ['attestations', 'latest'],
    queryFn: ({ signal }) => api.get('/scan/latest-attestations', { include: 'protocol,names' }, { signal }),
    select: ({ rows }) => rows,
  })

/** Rankings are read again now and then; sooner while they are empty, as those of an index that has just begun. */
function rankingIntervalMs(answer: { readonly rows: readonly unknown[] } | undefined): number {
  return answer?.rows.length === 0 ? 2_000 : presentIntervalMs
}

export const topSchemasQuery = () =>
  queryOptions({
    queryKey: ['schemas', 'top'],
    queryFn: ({ signal }) => api.get('/scan/top-schemas', { include: 'protocol,names' }, { signal }),
    select: ({ rows }) => rows,
    refetchInterval: ({ state }) => rankingIntervalMs(state.data),
  })

export const trendingSchemasQuery = () =>
  queryOptions({
    queryKey: ['schemas', 'trending'],
    queryFn: ({ signal }) => api.get('/scan/trending-schemas', { include: 'protocol,names' }, { signal }),
    select: ({ rows }) => rows,
    refetchInterval: ({ state }) => rankingIntervalMs(state.data),
  })

/**
 * Computed in the browser, beside the names of all checks that an index makes: the code and the curve are loaded with the
 * first question.
 */
export const verifyAloneQuery = (text: string) =>
  queryOptions({
    queryKey: ['offchainAlone', text],
    queryFn: async () => {
      const { checkNames, verifyOffchain } = await import('@attestry/client/offchain.ts')
      return { alone: await verifyOffchain(text), checkNames }
    },
    networkMode: 'always',
  })

/** The check of a proof of a record, computed in the browser: its code is loaded with the first proof. */
export const proofQuery = (text: string) =>
  queryOptions({
    queryKey: ['proof', text],
    queryFn: async () => {
      const { checkProof, parseProof } = await import('@attestry/client/proofs.ts')
      const parsed = parseProof(text)
      return parsed.kind === 'none' ? parsed : { ...parsed, check: await checkProof(parsed.proof) }
    },
    networkMode: 'always',
  })

/** The same of a proof of state. */
export const stateProofQuery = (text: string) =>
  queryOptions({
    queryKey: ['stateProof', text],
    queryFn: async () => {
      const { checkStateProof, notProvenBy, parseStateProof, sayOf } =
        await import('@attestry/client/proofs.ts')
      const parsed = parseStateProof(text)
      if (parsed.kind === 'none') return parsed
      const { proof } = parsed
      const check = checkStateProof(proof)
      if (check.kind === 'invalid') return { kind: 'invalid', reason: check.reason } as const
      return { kind: 'valid', proof, says: sayOf(proof), notProven: notProvenBy(proof) } as const
    },
    networkMode: 'always',
  })

/** The check of a signed verdict by the keys of this server, for the question that the verdict itself names. */
export const signedVerdictQuery = (token: string) =>
  queryOptions({
    queryKey: ['signedVerdict', token],
    queryFn: async ({ signal }) => {
      const { readQuestion, verifyVerdict, VerdictRefusedError } =
        await import('@attestry/client/gate/verifyVerdict.ts')
      const answer = await fetchAnswer(
        '/.well-known/jwks.json',
        'The keys of the server could not be fetched.',
        signal,
      )
      const keys = (await answer.json()) as VerdictKeys
      try {
        return { kind: 'signed', claims: await verifyVerdict(token, keys, readQuestion(token)) } as const
      } catch (error) {
        if (!(error instanceof VerdictRefusedError)) throw error
        return { kind: 'refused', reason: error.message } as const
      }
    },
  })

/** Whether the server stores off-chain attestations. */
export const storeFactsQuery = () =>
  queryOptions({
    queryKey: ['offchainStore'],
    queryFn: ({ signal }) => api.get('/offchain/store', undefined, { signal }),
    staleTime: Infinity,
  })

export const verifyPrivateQuery = (body: { readonly attestationId: string; readonly proof: object }) =>
  queryOptions({
    queryKey: ['offchainPrivate', body],
    queryFn: ({ signal }) =>
      api.post('/scan/offchain/verify-private', body as BodyOf<'/scan/offchain/verify-private'>, { signal }),
  })

/** Asked once: another answer comes only with a change of the index, which the page can be asked for again. */
export const verifyOffchainQuery = (body: Readonly<Record<string, unknown>>) =>
  queryOptions({
    queryKey: ['offchain', body],
    queryFn: ({ signal }) => api.post('/scan/offchain/verify', body, { signal }),
  })

export const policiesQuery = () =>
  queryOptions({
    queryKey: ['policies'],
    queryFn: ({ signal }) => api.get('/scan/policies', {}, { signal }),
  })

/** The subject of a first try of the gate: an account, and a record that it holds. */
export interface GateExample {
  readonly address: string
  readonly schemaId: string
  readonly protocol: string | undefined
  readonly attester: string
}

/**
 * An example for the gate: the newest valid attestation to an account, under a schema or, where that has none, under any.
 * Null in an index without one.
 */
export const gateExampleQuery = (schemaId: string | undefined) =>
  queryOptions({
    queryKey: ['gate', 'example', schemaId],
    queryFn: async ({ signal }) =>
      (schemaId === undefined ? null : await findExample({ schemaId }, signal)) ??
      (await findExample({}, signal)),
    // An example stays as it was offered.
    staleTime: Infinity,
  })

async function findExample(filter: { schemaId?: string }, signal: AbortSignal): Promise<GateExample | null> {
  const query = {
    ...filter,
    revoked: false,
    expired: false,
    size: 20,
    fields: 'detail',
    include: 'protocol',
  } as const
  const { rows } = await api.get('/scan/attestations', query, { signal })
  for (const row of rows as AttestationRow[]) {
    const address = row.recipients.find((recipient) => /^0x[0-9a-f]{40}$/i.test(recipient))
    if (address === undefined) continue
    return { address, schemaId: row.schema.id, protocol: row.protocol, attester: row.attester }
  }
  return null
}

/** The verdict of a policy on an address, with the result of each term. */
export const gateQuery = ({ policy, address, asOf }: GateQuery) =>
  queryOptions({
    queryKey: ['gate', policy, address, asOf],
    queryFn: ({ signal }) =>
      api.post(
        '/scan/gate',
        { policy, subjects: [address], explain: true, ...withoutAbsent({ asOf }) },
        { signal },
      ),
  })

interface GateQuery {
  readonly policy: BodyOf<'/scan/gate'>['policy']
  readonly address: string
  readonly asOf: string | undefined
}

export const searchQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['search', keyword],
    queryFn: ({ signal }) => api.get('/scan/search', { keyword, include: 'protocol,names' }, { signal }),
    select: ({ queryResult }) => queryResult,
  })

export const schemasQuery = (query: SchemaQuery) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schemas', 'list', query, moment],
    queryFn: async ({ signal }) => await pageOfSchemas({ ...query, ...moment }, signal),
  })
}

/** A page of schemas counted from the oldest, which the interface lists last. */
export const oldestSchemasQuery = (query: SchemaQuery & { readonly page: number; readonly size: number }) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schemas', 'oldest', query, moment],
    queryFn: async ({ signal }) => {
      const ask = (page: number, size: number) => pageOfSchemas({ ...query, ...moment, page, size }, signal)
      const { total } = await ask(1, 1)
      const parts = partsOfOldestPage(query.page, query.size, total)
      const pages = await Promise.all(
        parts.map(async ({ page, from, to }) => (await ask(page, query.size)).rows.slice(from, to)),
      )
      return { total, page: query.page, size: query.size, rows: pages.flat().toReversed() }
    },
  })
}

/** The schemas of rows by `recordKey`, complete. */
export const schemasOfRowsQuery = (rows: readonly Keyed[]) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schemas', 'ofRows', rows.map(recordKey), moment],
    queryFn: ({ signal }) =>
      recordsOf(rows, (query) =>
        api.get('/scan/schemas/by-ids', { ...query, ...moment, include: 'protocol,names' }, { signal }),
      ),
    enabled: rows.length > 0,
  })
}

export const schemaQuery = (id: string, protocol?: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schema', id, protocol, moment],
    queryFn: ({ signal }) =>
      api.get(
        '/scan/schemas/{id}',
        { id, include: 'protocol,names', ...withoutAbsent({ protocol }), ...moment },
        { signal },
      ),
  })
}

/** The fields of a schema that only GraphQL has. */
export const schemaDetailsQuery = (id: string, protocol?: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schema', id, protocol, 'details', moment],
    queryFn: ({ signal }) =>
      api.graphql<SchemaDetails>(schemaDetailsDocument, { id, protocol, ...moment }, { signal }),
    select: ({ schema }) => schema,
  })
}

export const schemaActivityQuery = (id: string, protocol?: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schema', id, protocol, 'activity', moment],
    queryFn: ({ signal }) =>
      api.get('/scan/schemas/{id}/activity', { id, ...withoutAbsent({ protocol }), ...moment }, { signal }),
    select: ({ rows }) => rows,
  })
}

/** The beginning of the keys of lists of attestations. */
export const attestationListKey = ['attestations', 'list'] as const

/** A page of attestations, each with the name of its schema. */
export const attestationsQuery = (query: AttestationQuery) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: [...attestationListKey, query, moment],
    queryFn: async ({ signal }) => {
      const page = asPage(
        await api.get(
          '/scan/attestations',
          { ...query, ...moment, fields: 'detail', include: 'protocol,names' },
          { signal },
        ),
      )
      // The document leaves open which rows are answered; with \`fields=detail\` it is those with a schema.
      return { ...page, rows: page.rows as AttestationRow[] }
    },
    // Rows do not move under a reader who comes back; `NewRows` says that there are more.
    refetchOnWindowFocus: false,
  })
}

/** The number of attestations that pass filters. */
export const attestationCountQuery = (query: AttestationQuery) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['attestations', 'count', query, moment],
    queryFn: async ({ signal }) =>
      asPage(await api.get('/scan/attestations', { ...query, ...moment, page: 1, size: 1 }, { signal }))
        .total,
  })
}

/**
 * The most frequent values of a field of a schema, by its path, among the attestations that pass conditions on fields.
 */
export const fieldValuesQuery = (
  schemaId: string,
  path: string,
  field: NonNullable<AttestationQuery['field']>,
  protocol?: string,
) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['attestations', 'fieldValues', schemaId, protocol, path, field, moment],
    queryFn: ({ signal }) =>
      api.get(
        '/scan/aggregate/attestations',
        { by: `field[${path}]`, schemaId, field, size: 10, ...withoutAbsent({ protocol }), ...moment },
        { signal },
      ),
  })
}

/** The recipients of the most attestations under a schema. */
export const topRecipientsQuery = (schemaId: string, protocol?: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['schema', schemaId, protocol, 'recipients', moment],
    queryFn: ({ signal }) =>
      api.get(
        '/scan/aggregate/attestations',
        { by: 'recipient', schemaId, size: 8, include: 'names', ...withoutAbsent({ protocol }), ...moment },
        { signal },
      ),
  })
}

/** The time of the block that a moment names, in Unix seconds; 0 before the first block. */
export const momentQuery = (asOf: string) =>
  queryOptions({
    queryKey: ['moment', asOf],
    queryFn: async ({ signal }) => {
      // The state of the chain at the moment stands beside the status of any record, such as one that does not exist.
      const [chainId = ''] = asOf.split(':')
      const ids = [`onchain_evm_${chainId}_0x0`]
      const { chains } = await api.post('/scan/attestations/status', { ids, asOf }, { signal })
      return chains.find((chain) => chain.chainId === chainId)?.indexedTimestamp ?? 0
    },
    staleTime: Infinity,
  })

/** The attestations of rows by `recordKey`, complete and decoded. At most 100. */
export const decodedAttestationsQuery = (rows: readonly Keyed[]) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['attestations', 'decoded', rows.map(recordKey), moment],
    queryFn: ({ signal }) =>
      recordsOf(rows, (query) =>
        api.get(
          '/scan/attestations/by-ids',
          { ...query, ...moment, include: 'decoded,protocol,names' },
          { signal },
        ),
      ),
    enabled: rows.length > 0,
  })
}

/** An attestation with its payload decoded. */
export const attestationQuery = (id: string, protocol?: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['attestation', id, protocol, moment],
    queryFn: ({ signal }) =>
      api.get(
        '/scan/attestations/{id}',
        { id, include: 'decoded,protocol,content,names', ...withoutAbsent({ protocol }), ...moment },
        { signal },
      ),
  })
}

/** The effects of a transaction. Without `chainId`, on the first chain that has it. */
export const transactionQuery = (hash: string, chainId?: string) =>
  queryOptions({
    queryKey: ['transaction', hash, chainId],
    queryFn: ({ signal }) =>
      api.get(
        '/scan/transactions/{hash}',
        { hash, include: 'protocol,names', ...withoutAbsent({ chainId }) },
        { signal },
      ),
  })

/** The beginning of the keys of lists of agents. */
export const agentListKey = ['agents', 'list'] as const

/** The number of agents that pass filters. Nothing announces registrations: it is asked for now and then. */
export const agentCountQuery = (query: AgentQuery) =>
  queryOptions({
    queryKey: ['agents', 'count', query],
    queryFn: async ({ signal }) =>
      asPage(await api.get('/scan/agents', { ...query, page: 1, size: 1 }, { signal })).total,
    refetchInterval: presentIntervalMs,
  })

/** A page of agents. */
export const agentsQuery = (query: AgentQuery) =>
  queryOptions({
    queryKey: [...agentListKey, query],
    queryFn: async ({ signal }) =>
      asPage(await api.get('/scan/agents', { ...query, include: 'names' }, { signal })),
  })

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => api.get('/scan/agents/{id}', { id, include: 'names' }, { signal }),
  })

/** Scores of an agent by tag. `by` names the policy that the clients have to pass. */
export const agentReputationQuery = (id: string, by: string | undefined) =>
  queryOptions({
    queryKey: ['agent', id, 'reputation', by],
    queryFn: ({ signal }) =>
      api.get('/scan/agents/{id}/reputation', { id, ...withoutAbsent({ by }) }, { signal }),
  })

export type AgentFeedbackFilter = Pick<Parameters<'/scan/agents/{id}/feedback'>, 'by' | 'tag1'>

/** A page of what a tab of the page of an agent lists. */
export const agentFeedbackQuery = (id: string, filter: AgentFeedbackFilter, page: number, size: number) =>
  queryOptions({
    queryKey: ['agent', id, 'feedback', filter, page, size],
    queryFn: ({ signal }) =>
      api.get('/scan/agents/{id}/feedback', { id, ...filter, page, size, include: 'names' }, { signal }),
  })

export const agentResponsesQuery = (id: string, page: number, size: number) =>
  queryOptions({
    queryKey: ['agent', id, 'responses', page, size],
    queryFn: ({ signal }) => api.get('/scan/agents/{id}/responses', { id, page, size }, { signal }),
  })

export const agentValidationsQuery = (id: string, page: number, size: number) =>
  queryOptions({
    queryKey: ['agent', id, 'validations', page, size],
    queryFn: ({ signal }) => api.get('/scan/agents/{id}/validations', { id, page, size }, { signal }),
  })

export const agentHistoryQuery = (id: string, page: number, size: number) =>
  queryOptions({
    queryKey: ['agent', id, 'history', page, size],
    queryFn: ({ signal }) => api.get('/scan/agents/{id}/history', { id, page, size }, { signal }),
  })

export const addressStatisticsQuery = (address: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['address', address, 'statistics', moment],
    queryFn: ({ signal }) =>
      api.get('/scan/addresses/{address}/statistics', { address, include: 'names', ...moment }, { signal }),
  })
}

export const addressActivityQuery = (address: string) => {
  const moment = momentOfPage()
  return queryOptions({
    queryKey: ['address', address, 'activity', moment],
    queryFn: ({ signal }) =>
      api.get('/scan/addresses/{address}/activity', { address, ...moment }, { signal }),
    select: ({ rows }) => rows,
  })
}

async function pageOfSchemas(query: SchemaQuery, signal: AbortSignal) {
  return asPage(await api.get('/scan/schemas', { ...query, include: 'protocol,names' }, { signal }))
}

/** The records of `rows` by `recordKey`. Rows of each protocol are asked for apart, since protocols may share an id. */
async function recordsOf<Found extends Keyed>(
  rows: readonly Keyed[],
  ask: (query: { ids: string; protocol?: string }) => Promise<{ readonly rows: readonly (Found | null)[] }>,
): Promise<ReadonlyMap<string, Found>> {
  const protocols = [...new Set(rows.map(({ protocol }) => protocol))]
  const answers = await Promise.all(
    protocols.map((protocol) => {
      const ofProtocol = rows.filter((row) => row.protocol === protocol)
      return ask({ ids: ofProtocol.map(({ id }) => id).join(','), ...withoutAbsent({ protocol }) })
    }),
  )
  const records = answers.flatMap((answer) => answer.rows).filter((record) => record !== null)
  return new Map(records.map((record) => [recordKey(record), record]))
}

/** A listing that was asked for by page is answered by page; the document allows steps of a walk too. */
function asPage<Data extends object>(data: Data): Extract<Data, { total: number }> {
  if (!('total' in data)) throw new TypeError('a page was asked for, and something else was answered')
  return data as Extract<Data, { total: number }>
}
