import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { postQuery } from '../graphqlRequests.ts'
import { splitRequest } from '../httpConnection.ts'
import type { EndpointReady } from './easEndpoint.ts'
import { endpointVariables, nodePath } from './installPeers.ts'
import type { Command } from './processGroup.ts'

/** The surroundings of one run of a contender. */
export interface Place {
  readonly endpoint: EndpointReady
  /** A folder of the run. */
  readonly folder: string
  /** The folder in which the peers are installed. */
  readonly peers: string
  /** An empty PostgreSQL database. */
  readonly databaseUrl: string
  /** A free port of 127.0.0.1. */
  readonly port: number
}

export interface IndexState {
  readonly attestations: number
  readonly revoked: number
  /** Ids of the newest ten attestations. */
  readonly newest: readonly string[]
}

export const questions = [
  'one record',
  'newest ten',
  'newest ten with total',
  'newest ten of a recipient',
] as const
export type Question = (typeof questions)[number]

/** Requests for each question, as `encodeRequest` takes them. */
export type Requests = Readonly<Record<Question, readonly string[]>>

/** An indexer with a database. */
export interface Contender {
  readonly name: string
  /** The package beside `programs/` that is measured; null for this repository. */
  readonly peer: 'ponder' | 'envio' | null
  command(place: Place): Command
  /** The records that can be queried now. Rejects while the contender does not answer yet. */
  readState(place: Place): Promise<IndexState>
  hasRecord(place: Place, uid: string): Promise<boolean>
  /** The documented interfaces over HTTP, with the same questions to each. */
  readonly interfaces: Readonly<Record<string, (place: Place) => Requests>>
}

/** How often the contenders ask for a new block, by their own settings. */
const pollIntervalMs = 100

export const contenders: readonly Contender[] = [
  attestry('Attestry, SQLite', ({ folder }) => `sqlite:${join(folder, 'index.db')}`),
  attestry('Attestry, PostgreSQL', ({ databaseUrl }) => databaseUrl),
  ponder(),
  envio(),
]

function attestry(name: string, database: (place: Place) => string): Contender {
  const fields = 'id attester recipients schemaId attestTimestamp revoked data transactionHash'
  const idOf = ({ endpoint }: Place, uid: string) => `onchain_evm_${endpoint.chainId}_${uid}`
  const record = (place: Place, uid: string) =>
    postQuery(`query ($id: String!) { attestation(id: $id) { ${fields} } }`, { id: idOf(place, uid) })
  const list = (members: string) => `{ attestations(first: 10) { ${members} nodes { ${fields} } } }`
  return {
    name,
    peer: null,
    command: (place) => {
      const { endpoint, folder, port } = place
      const { chainId, url, contract, schemaRegistry } = endpoint
      const config = join(folder, 'attestry.yaml')
      const contracts = [{ protocol: 'eas', address: contract, schemaRegistry, startBlock: 0 }]
      writeFileSync(
        config,
        JSON.stringify({
          database: database(place),
          server: { host: '127.0.0.1', port, workers: 1, explorer: false },
          chains: [{ chainId, rpc: [url], pollIntervalMs, contracts }],
        }),
      )
      const program = fileURLToPath(new URL('../../packages/attestry/src/attestry.js', import.meta.url))
      return { file: process.execPath, args: [program, 'start', '--config', config], cwd: folder }
    },
    readState: async (place) => {
      const { all, revoked } = (await ask(
        place,
        postQuery(`{ all: attestations(first: 10) { totalCount nodes { attestationId } }
          revoked: attestations(first: 0, filter: { revoked: true }) { totalCount } }`),
      )) as { all: Counted & { nodes: { attestationId: string }[] }; revoked: Counted }
      const newest = all.nodes.map(({ attestationId }) => attestationId)
      return { attestations: all.totalCount, revoked: revoked.totalCount, newest }
    },
    hasRecord: async (place, uid) =>
      ((await ask(place, record(place, uid))) as { attestation: unknown }).attestation !== null,
    interfaces: {
      REST: (place) => ({
        'one record': place.endpoint.uids.map((uid) => `/scan/attestations/${idOf(place, uid)}`),
        'newest ten': ['/scan/latest-attestations?size=10'],
        'newest ten with total': ['/scan/attestations'],
        'newest ten of a recipient': place.endpoint.recipients.map(
          (address) => `/scan/attestations?recipient=${address}`,
        ),
      }),
      GraphQL: (place) => ({
        'one record': place.endpoint.uids.map((uid) => record(place, uid)),
        'newest ten': [postQuery(list(''))],
        'newest ten with total': [postQuery(list('totalCount'))],
        'newest ten of a recipient': place.endpoint.recipients.map((recipient) =>
          postQuery(
            `query ($recipient: String) { attestations(filter: { recipient: $recipient }) { nodes { ${fields} } } }`,
            { recipient },
          ),
        ),
      }),
    },
  }
}

interface Counted {
  readonly totalCount: number
}

function ponder(): Contender {
  const fields = 'id attester recipient schemaId time revoked data transactionHash'
  const newest = 'orderBy: "position", orderDirection: "desc", limit: 10'
  const record = (uid: string) =>
    postQuery(`query ($id: String!) { attestation(id: $id) { ${fields} } }`, { id: uid })
  const list = (members: string) => `{ attestations(${newest}) { ${members} items { ${fields} } } }`
  return {
    name: 'Ponder, PostgreSQL',
    peer: 'ponder',
    command: ({ endpoint, peers, databaseUrl, port }) => ({
      file: process.execPath,
      args: ['node_modules/ponder/dist/esm/bin/ponder.js', 'start', '--schema', 'bench'].concat([
        '--hostname',
        '127.0.0.1',
        '--port',
        String(port),
      ]),
      cwd: join(peers, 'ponder'),
      env: {
        ...endpointVariables(endpoint),
        DATABASE_URL: databaseUrl,
        PONDER_TELEMETRY_DISABLED: 'true',
        NODE_ENV: 'production',
      },
    }),
    readState: async (place) => {
      const { all, revoked } = (await ask(
        place,
        postQuery(`{ all: attestations(${newest}) { totalCount items { id } }
          revoked: attestations(where: { revoked: true }, limit: 1) { totalCount } }`),
      )) as { all: Counted & { items: { id: string }[] }; revoked: Counted }
      const ids = all.items.map(({ id }) => id)
      return { attestations: all.totalCount, revoked: revoked.totalCount, newest: ids }
    },
    hasRecord: async (place, uid) =>
      ((await ask(place, record(uid))) as { attestation: unknown }).attestation !== null,
    interfaces: {
      'SQL over Hono': ({ endpoint }) => ({
        'one record': endpoint.uids.map((uid) => `/attestations/${uid}`),
        'newest ten': ['/newest'],
        'newest ten with total': ['/newest-with-total'],
        'newest ten of a recipient': endpoint.recipients.map((address) => `/recipients/${address}`),
      }),
      GraphQL: ({ endpoint }) => ({
        'one record': endpoint.uids.map(record),
        'newest ten': [postQuery(list(''))],
        'newest ten with total': [postQuery(list('totalCount'))],
        'newest ten of a recipient': endpoint.recipients.map((recipient) =>
          postQuery(
            `query ($recipient: String) { attestations(where: { recipient: $recipient }, ${newest}) { items { ${fields} } } }`,
            { recipient },
          ),
        ),
      }),
    },
  }
}

/** Envio answers only over Hasura, which is not on npm: its records are read from its tables. */
function envio(): Contender {
  return {
    name: 'Envio, PostgreSQL',
    peer: 'envio',
    command: ({ endpoint, peers, databaseUrl, port }) => {
      const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
      return {
        file: process.execPath,
        args: ['node_modules/envio/bin.mjs', 'start'],
        cwd: join(peers, 'envio'),
        env: {
          ...endpointVariables(endpoint),
          PATH: nodePath,
          ENVIO_PG_HOST: hostname,
          ENVIO_PG_PORT: databasePort,
          ENVIO_PG_USER: username,
          ENVIO_PG_PASSWORD: password,
          ENVIO_PG_DATABASE: pathname.slice(1),
          ENVIO_HASURA: 'false',
          ENVIO_INDEXER_PORT: String(port),
          TUI_OFF: 'true',
        },
      }
    },
    readState: async ({ databaseUrl }) => {
      const [row] = await select<{ attestations: number; revoked: number; newest: string[] }>(
        databaseUrl,
        `SELECT count(*)::int attestations, count(*) FILTER (WHERE revoked)::int revoked, ARRAY(
           SELECT id FROM "Attestation" ORDER BY position DESC LIMIT 10) newest FROM "Attestation"`,
      )
      if (row === undefined) throw new Error('no answer')
      return row
    },
    hasRecord: async ({ databaseUrl }, uid) =>
      (await select(databaseUrl, 'SELECT FROM "Attestation" WHERE id = $1', [uid])).length > 0,
    interfaces: {},
  }
}

/** Posts a request of `postQuery`; resolves with its data. */
async function ask({ port }: Place, request: string): Promise<unknown> {
  const { path, body } = splitRequest(request)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown }
  if (errors !== undefined || data == null) throw new Error(`${body}: ${JSON.stringify(errors)}`)
  return data
}

export async function select<Row extends object>(
  databaseUrl: string,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...parameters])).rows
  } finally {
    await client.end()
  }
}
