import { projections } from '@attestry/test/harness/projections.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { account, attestationUid, easChainId, schemaCount, schemaUid } from './easContent.ts'
import { countAttestations, findAttestations, findOne, openEasPeer, type PeerStatement } from './easPeer.ts'
import { easQuestions } from './easQuestions.ts'
import { fillEas } from './fillEas.ts'
import { median } from './quantile.ts'

/** Questions a second, medians of rounds that alternate; nothing is kept between questions. */
export interface EasFigures {
  readonly name: string
  readonly eas: number
  /** The same rows by the program's own GraphQL. */
  readonly own: number
  /** The statements of EAS's self-hosted indexer for the same rows, without its GraphQL. */
  readonly peer: number
}

interface Document {
  readonly query: string
  readonly variables: (turn: number) => object
  /** Requests that one question takes. */
  readonly requests?: number
}

interface Case {
  readonly name: string
  readonly eas: Document
  readonly own: Document
  readonly peer: (turn: number) => readonly PeerStatement[]
}

/**
 * Asks both interfaces of one process for the same rows of one index, and PostgreSQL for the same rows under the schema
 * of EAS's self-hosted indexer.
 */
export async function benchEas(
  attestations: number,
  rounds: number,
  seconds: number,
): Promise<readonly EasFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  await fillEas(path, attestations)
  const reader = openSqliteReader(path, { decodePayload: decodeIndexedPayload, projections })
  const app = createServer({
    reader,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    wings: [serveEas()],
    keptBytesMax: 0,
    limits: { load: { lagMaxMs: Infinity } },
  })
  const peer = await openEasPeer(attestations)
  const figures: EasFigures[] = []
  for (const { name, eas, own, peer: statementsOf } of casesOf(attestations)) {
    const answers = {
      eas: (turn: number) => ask(app, `/eas/${easChainId}/graphql`, eas, turn),
      own: (turn: number) => ask(app, '/graphql', own, turn),
      peer: (turn: number) => peer.run(statementsOf(turn)),
    }
    const rates: Record<keyof typeof answers, number[]> = { eas: [], own: [], peer: [] }
    for (const system of ['eas', 'own', 'peer'] as const) await answers[system](0)
    for (let round = 0; round < rounds; round++) {
      for (const system of ['eas', 'own', 'peer'] as const)
        rates[system].push(await measure(seconds, answers[system]))
    }
    figures.push({ name, eas: median(rates.eas), own: median(rates.own), peer: median(rates.peer) })
  }
  await peer.close()
  await app.close()
  await reader.close()
  rmSync(folder, { recursive: true, force: true })
  return figures
}

/** Questions a second. */
async function measure(seconds: number, answer: (turn: number) => Promise<void>): Promise<number> {
  const startMs = performance.now()
  let turn = 0
  do await answer(turn++)
  while (performance.now() < startMs + seconds * 1000)
  return (turn * 1000) / (performance.now() - startMs)
}

async function ask(
  app: FastifyInstance,
  url: string,
  { query, variables, requests = 1 }: Document,
  turn: number,
): Promise<void> {
  for (let request = 0; request < requests; request++) {
    const payload = { query, variables: variables(turn * requests + request) }
    const response = await app.inject({ method: 'POST', url, payload })
    if (response.json<{ errors?: unknown }>().errors !== undefined) throw new Error(response.body)
  }
}

const ownId = (localId: LocalId) => `onchain_evm_${easChainId}_${localId}`

function casesOf(attestations: number): readonly Case[] {
  const schema = schemaUid(0)
  const idAt = (turn: number) => attestationUid((turn * 7_919) % attestations)
  const ids = (turn: number) => Array.from({ length: 1_000 }, (_, index) => idAt(turn * 1_000 + index))
  const needle = (turn: number) => `{"name":"level","type":"uint8","value":${turn % 250}}`
  const aliases = Array.from(
    { length: 20 },
    (_, index) => `a${index}: attestation(id: $i${index}) { id attester }`,
  )
  const field = (name: string, test: string) => `"public"."Attestation"."${name}" ${test}`
  return [
    {
      name: "an address's newest 10 valid attestations under a schema",
      eas: {
        query: easQuestions.newestOfRecipient,
        variables: (turn) => ({ s: schema, r: account(turn) }),
      },
      own: {
        query:
          'query($s: String!, $r: String!) { attestations(first: 10, filter: {schemaId: $s, recipient: $r, revoked: false}) { nodes { id attester attestTimestamp data } } }',
        variables: (turn) => ({ s: ownId(schema), r: account(turn) }),
      },
      peer: (turn) => [
        findAttestations(
          ['id', 'attester', 'time', 'data'],
          `(${field('schemaId', '= $1')} AND ${field('recipient', '= $2')} AND ${field('revoked', '= $3')})`,
          [schema, checksumAddress(account(turn)), false],
          10,
        ),
      ],
    },
    {
      name: 'a single attestation with its schema',
      eas: {
        query: easQuestions.oneWithSchema,
        variables: (turn) => ({ i: idAt(turn) }),
      },
      own: {
        query: 'query($i: String!) { attestation(id: $i) { id attester data schema { id originalData } } }',
        variables: (turn) => ({ i: ownId(idAt(turn)) }),
      },
      peer: (turn) => [
        findOne('Attestation', ['id', 'attester', 'data', 'schemaId'], idAt(turn)),
        findOne('Schema', ['id', 'schema'], schema),
      ],
    },
    {
      name: 'a count by schema',
      eas: {
        query:
          'query($s: String!) { aggregateAttestation(where: {schemaId: {equals: $s}}) { _count { _all } } }',
        variables: (turn) => ({ s: schemaUid(turn % schemaCount) }),
      },
      own: {
        query: 'query($s: String!) { attestations(filter: {schemaId: $s}) { totalCount } }',
        variables: (turn) => ({ s: ownId(schemaUid(turn % schemaCount)) }),
      },
      peer: (turn) => [countAttestations(field('schemaId', '= $1'), [schemaUid(turn % schemaCount)])],
    },
    {
      name: '1,000 ids in one list (own: 50 requests of 20 ids)',
      eas: {
        query: 'query($i: [String!]) { attestations(take: 1000, where: {id: {in: $i}}) { id attester } }',
        variables: (turn) => ({ i: ids(turn) }),
      },
      own: {
        query: `query(${aliases.map((_, index) => `$i${index}: String!`).join(', ')}) { ${aliases.join(' ')} }`,
        variables: (turn) =>
          Object.fromEntries(aliases.map((_, index) => [`i${index}`, ownId(idAt(turn * 20 + index))])),
        requests: 50,
      },
      peer: (turn) => [
        findAttestations(
          ['id', 'attester'],
          field(
            'id',
            `IN (${ids(turn)
              .map((_, index) => `$${index + 1}`)
              .join(',')})`,
          ),
          ids(turn),
          1_000,
        ),
      ],
    },
    {
      name: "contains of a field's pair under a schema, newest 10",
      eas: {
        query:
          'query($s: String!, $n: String!) { attestations(take: 10, where: {schemaId: {equals: $s}, decodedDataJson: {contains: $n}}) { id attester data } }',
        variables: (turn) => ({ s: schema, n: needle(turn) }),
      },
      own: {
        query:
          'query($s: String!, $v: String!) { attestations(first: 10, filter: {schemaId: $s, fields: [{name: "level", equals: $v}]}) { nodes { id attester data } } }',
        variables: (turn) => ({ s: ownId(schema), v: String(turn % 250) }),
      },
      peer: (turn) => [
        findAttestations(
          ['id', 'attester', 'data'],
          `(${field('schemaId', '= $1')} AND ${field('decodedDataJson', '::text LIKE $2')})`,
          [schema, `%${needle(turn)}%`],
          10,
        ),
      ],
    },
  ]
}
