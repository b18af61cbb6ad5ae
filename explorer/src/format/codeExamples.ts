import { literal, quoted, visible } from './codeText.ts'
import type { FieldFilter } from './fieldFilters.ts'
import { fieldQuery } from './fieldFilters.ts'
import { stringifySearch } from './readSearch.ts'
import { withoutAbsent } from './withoutAbsent.ts'

/** The question to the interface that a page's content answers. */
export type CodeQuestion =
  | {
      readonly kind: 'attestations' | 'schemas'
      /** As the interface names its parameters. */
      readonly filter: object
      /** Filters by decoded fields. */
      readonly fields?: readonly FieldFilter[]
    }
  | {
      readonly kind: 'attestation' | 'schema'
      readonly id: string
      readonly protocol: string | undefined
      /** The question of an app that decides about access: whether the recipient holds the attestation. */
      readonly held?: HeldAttestation | undefined
    }
  | { readonly kind: 'agents'; readonly filter: object; readonly fields?: undefined }
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'search'; readonly keyword: string }
  | { readonly kind: 'transaction'; readonly hash: string; readonly chainId: string }
  /** Whether an off-chain attestation holds. */
  | { readonly kind: 'verify' }

export interface HeldAttestation {
  readonly schema: string
  readonly attester?: string | undefined
  readonly subject?: string | undefined
}

export const codeLanguages = [
  'Gate',
  'Status',
  'curl',
  'TypeScript',
  'GraphQL',
  'React',
  'DuckDB',
  'Changes',
  'Edges',
  'Wait',
  'Proof',
  'Badge',
  'Embed',
  'Reputation',
  'Claude Code',
  'MCP',
] as const

export type CodeLanguage = (typeof codeLanguages)[number]

/**
 * The question in each language; absent if the language cannot ask it. The gate judges only who holds attestations of a
 * schema. GraphQL has no search for words in attestations and schemas, and no transactions. Files for DuckDB hold only
 * attestations. Changes have fewer filters than listings, and edges are of valid attestations. Only attestations on chain
 * have a status, a proof and a badge, and only agents a reputation.
 */
export type CodeExamples = Readonly<Partial<Record<CodeLanguage, string>>>

/**
 * Code that asks what a page shows. A link to the page decides over the filters: no value of theirs ends a text or a
 * shell's quotation, and none holds a character that cannot be seen.
 * @param base of the interface, without a slash at the end.
 */
export function codeExamples(question: CodeQuestion, base: string): CodeExamples {
  if (question.kind === 'verify') return verifyExamples(base)
  const { path, parameters } = clientCall(question)
  const graphql = graphqlRequest(question, base)
  const held = heldOf(question)
  return {
    ...(held === null ? {} : { Gate: gateOf(held, base) }),
    curl: `curl ${quoted(base + restPath(question))}`,
    TypeScript: typescriptOf(question, base),
    ...(graphql === null ? {} : { GraphQL: graphql }),
    React: reactOf(path, parameters, base),
    ...(question.kind === 'attestations' && !hasKeyword(question)
      ? { DuckDB: duckdbOf(question, base) }
      : {}),
    ...(question.kind === 'attestations' && Object.keys(question.filter).every(isChangeFilter)
      ? { Changes: changesOf(question, base) }
      : {}),
    ...(question.kind === 'attestations' && !hasKeyword(question) && !isByValidity(question)
      ? { Edges: edgesOf(question, base) }
      : {}),
    ...(question.kind === 'attestation' && question.id.startsWith('onchain_')
      ? attestationExamples(question, base)
      : {}),
    ...(question.kind === 'agent' ? { Reputation: reputationOf(question.id, base) } : {}),
    ...(question.kind === 'agent' || question.kind === 'agents' ? mcpExamples(base) : {}),
  }
}

/** A question that has a path of its own. */
type ReadQuestion = Exclude<CodeQuestion, { kind: 'verify' }>

/** The attestation that decides about access; null if the page does not list those of a schema. */
function heldOf(question: ReadQuestion): HeldAttestation | null {
  if (question.kind === 'attestation') return question.held ?? null
  if (question.kind !== 'attestations') return null
  const { schemaId, attester, recipient } = question.filter as Readonly<Record<string, string | undefined>>
  return schemaId === undefined ? null : { schema: schemaId, attester, subject: recipient }
}

/** The app names the attesters: there is no default. */
function gateOf({ schema, attester, subject }: HeldAttestation, base: string): string {
  const policy = { holds: { schema, attester: [attester ?? '<address of an attester whom you trust>'] } }
  const body = visible(JSON.stringify({ policy, subjects: [subject ?? '<address to judge>'] }))
  return `curl ${quoted(`${base}/scan/gate`)} -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
}

/** The questions that only one attestation answers: its status, its coming, its proof and its badge. */
function attestationExamples(
  { id, protocol }: { readonly id: string; readonly protocol: string | undefined },
  base: string,
): CodeExamples {
  const name = encodeURIComponent(id)
  const path = (parameters: object, part = '') =>
    quoted(`${base}/scan/attestations/${name}${part}${stringifySearch({ protocol, ...parameters })}`)
  const body = quoted(visible(JSON.stringify({ ids: [id] })))
  const search = stringifySearch({ protocol })
  const badge = `${base}/badge/${name}.svg${search}`
  const page = `${base}/attestation/${name}${search}`
  return {
    Status: `curl ${quoted(`${base}/scan/attestations/status`)} -H 'content-type: application/json' \\\n  -d ${body}`,
    Wait: `curl ${path({ wait: 30 })}`,
    Proof:
      `curl ${path({}, '/proof')} -o proof.json\n` +
      `attestry check-proof proof.json --block-hash <hash of its block that you trust>`,
    Badge: `[![Attestation](${badge})](${page})`,
    Embed: `<a href="${page}"><img src="${badge}" alt="Attestation"></a>`,
  }
}

function verifyExamples(base: string): CodeExamples {
  return {
    curl:
      `curl ${quoted(`${base}/scan/offchain/verify`)} -H 'content-type: application/json' \\\n` +
      `  -d @attestation.json`,
    TypeScript:
      `import { createClient } from '@attestry/client'\n\n` +
      `const attestry = createClient({ baseUrl: ${literal(base)} })\n` +
      `const { valid, checks } = await attestry.verifyOffchain(attestation)\n` +
      `console.log(valid, checks)`,
  }
}

function duckdbOf(question: FilterQuestion, base: string): string {
  const file = `/scan/export/attestations.parquet${stringifySearch(parametersOf(question))}`
  return (
    `curl ${quoted(base + file)} -o attestations.parquet\n` +
    `duckdb -c "select attester, count(*) from 'attestations.parquet' where not revoked group by 1 order by 2 desc"`
  )
}

/** The filters of `/scan/changes`, beside those by decoded fields. */
function isChangeFilter(name: string): boolean {
  return ['schemaId', 'attester', 'recipient', 'chainId', 'protocol'].includes(name)
}

function changesOf(question: FilterQuestion, base: string): string {
  const url = (since?: string) =>
    quoted(`${base}/scan/changes${stringifySearch({ ...parametersOf(question), since })}`)
  return `# once: the cursor to begin with\ncurl ${url()}\n# later: what changed, and the next cursor\ncurl ${url('CURSOR')}`
}

function isByValidity({ filter }: FilterQuestion): boolean {
  const { revoked, expired } = filter as Readonly<Record<string, unknown>>
  return revoked !== undefined || expired !== undefined
}

function edgesOf(question: FilterQuestion, base: string): string {
  const file = `/scan/export/edges.csv${stringifySearch(parametersOf(question))}`
  return (
    `curl ${quoted(base + file)} -o edges.csv\n` +
    `python -c "import pandas, networkx; print(networkx.from_pandas_edgelist(pandas.read_csv('edges.csv'), 'from', 'to', ['count'], networkx.DiGraph))"`
  )
}

/** The server of MCP that asks this interface, for a client on the command line and for those with a JSON file. */
function mcpExamples(base: string): CodeExamples {
  const url = `${base}/mcp`
  return {
    'Claude Code': `claude mcp add --transport http attestry ${quoted(url)}`,
    MCP: visible(JSON.stringify({ mcpServers: { attestry: { type: 'http', url } } }, null, 2)),
  }
}

/** The app names the clients: anybody may give feedback. */
function reputationOf(id: string, base: string): string {
  const path = `/scan/agents/${encodeURIComponent(id)}/reputation?client[in]=`
  return `curl -g ${quoted(`${base}${path}<addresses of clients whom you trust>`)}`
}

type FilterQuestion = Extract<CodeQuestion, { filter: object }>

/** The filters as parameters of REST. */
function parametersOf({ filter, fields = [] }: FilterQuestion): Readonly<Record<string, unknown>> {
  return { ...filter, ...Object.fromEntries(fields.map(({ parameter, value }) => [parameter, value])) }
}

function restPath(question: ReadQuestion): string {
  switch (question.kind) {
    case 'search':
      return `/scan/search${stringifySearch({ keyword: question.keyword })}`
    case 'transaction':
      return `/scan/transactions/${encodeURIComponent(question.hash)}${stringifySearch({ chainId: question.chainId })}`
    case 'agent':
      return `/scan/agents/${encodeURIComponent(question.id)}`
    case 'attestation':
    case 'schema': {
      const { kind, id, protocol } = question
      const include = kind === 'attestation' ? 'decoded' : undefined
      return `/scan/${kind}s/${encodeURIComponent(id)}${stringifySearch({ protocol, include })}`
    }
    default: {
      const include = question.kind === 'attestations' ? 'decoded' : undefined
      return `/scan/${question.kind}${stringifySearch({ ...parametersOf(question), include })}`
    }
  }
}

interface ClientCall {
  readonly path: string
  readonly parameters: object
}

function clientCall(question: ReadQuestion): ClientCall {
  switch (question.kind) {
    case 'search':
      return { path: '/scan/search', parameters: { keyword: question.keyword } }
    case 'transaction':
      return {
        path: '/scan/transactions/{hash}',
        parameters: { hash: question.hash, chainId: question.chainId },
      }
    case 'agent':
      return { path: '/scan/agents/{id}', parameters: { id: question.id } }
    case 'attestation':
    case 'schema': {
      const { kind, id, protocol } = question
      const include = kind === 'attestation' ? 'decoded' : undefined
      return { path: `/scan/${kind}s/{id}`, parameters: withoutAbsent({ id, protocol, include }) }
    }
    default: {
      const { kind, filter, fields = [] } = question
      const field = fields.length === 0 ? undefined : fieldQuery(fields)
      const include = kind === 'attestations' ? 'decoded' : undefined
      return { path: `/scan/${kind}`, parameters: withoutAbsent({ ...filter, field, include }) }
    }
  }
}

function typescriptOf(question: ReadQuestion, base: string): string {
  const { path, parameters } = clientCall(question)
  const call = `('${path}', ${literal(parameters)})`
  // The interface returns search results only page by page.
  const isWhole = 'filter' in question && !hasKeyword(question)
  return (
    `import { createClient } from '@attestry/client'\n\n` +
    `const attestry = createClient({ baseUrl: ${literal(base)} })\n` +
    (isWhole
      ? `for await (const row of attestry.list${call}) console.log(row)`
      : `console.log(await attestry.get${call})`)
  )
}

function reactOf(path: string, parameters: object, base: string): string {
  return `import { createClient } from '@attestry/client'
import { AttestryProvider, useReading } from '@attestry/client/react'

const client = createClient({ baseUrl: ${literal(base)} })

function Answer() {
  const { data, error } = useReading('${path}', ${literal(parameters)})
  return <pre>{error?.message ?? JSON.stringify(data, null, 2)}</pre>
}

export const App = () => (
  <AttestryProvider client={client}>
    <Answer />
  </AttestryProvider>
)`
}

const attestationMembers = 'id attester recipients revoked decodedData { name value }'
const agentMembers = 'id owner name description active feedbackCount reviewerCount'
const schemaMembers = 'id name description data attestationCount'

/** Documents by kind; a test holds each against the schema. */
const documents = {
  attestations: `query ($filter: AttestationFilter) { attestations(filter: $filter, first: 10) { totalCount nodes { ${attestationMembers} } pageInfo { endCursor } } }`,
  schemas: `query ($filter: SchemaFilter) { schemas(filter: $filter, first: 10) { totalCount nodes { ${schemaMembers} } pageInfo { endCursor } } }`,
  attestation: `query ($id: String!, $protocol: String) { attestation(id: $id, protocol: $protocol) { ${attestationMembers} } }`,
  agents: `query ($filter: AgentFilter) { agents(filter: $filter, first: 10) { totalCount nodes { ${agentMembers} } pageInfo { endCursor } } }`,
  agent: `query ($id: String!) { agent(id: $id) { ${agentMembers} } }`,
  schema: `query ($id: String!, $protocol: String) { schema(id: $id, protocol: $protocol) { ${schemaMembers} } }`,
} as const

function graphqlRequest(question: ReadQuestion, base: string): string | null {
  if (!isDocumented(question) || hasKeyword(question)) return null
  const body = visible(JSON.stringify({ query: documents[question.kind], variables: variablesOf(question) }))
  return `curl ${quoted(`${base}/graphql`)} -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
}

type DocumentedQuestion = Extract<ReadQuestion, { kind: keyof typeof documents }>

function isDocumented(question: ReadQuestion): question is DocumentedQuestion {
  return question.kind in documents
}

function variablesOf(question: DocumentedQuestion): object {
  if (question.kind === 'agent') return { id: question.id }
  if ('id' in question) return withoutAbsent({ id: question.id, protocol: question.protocol })
  const fields = Object.entries(fieldQuery(question.fields ?? [])).map(([name, conditions]) => ({
    name,
    ...conditions,
  }))
  return { filter: fields.length === 0 ? question.filter : { ...question.filter, fields } }
}

/** Whether the question searches attestations or schemas for words; agents have a filter for them. */
function hasKeyword(question: ReadQuestion): boolean {
  return 'filter' in question && question.kind !== 'agents' && 'keyword' in question.filter
}
