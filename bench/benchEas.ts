import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { createServer } from '../src/api/createServer.ts'
import { sampleChain } from '../src/api/testing/sampleIndex.ts'
import { sampleAddress, sampleAttestation, sampleSchema } from '../src/api/testing/sampleRecords.ts'
import { writeContent } from '../src/api/testing/testIndex.ts'
import { createFieldIndexing } from '../src/cli/fieldSetting.ts'
import type { LocalId } from '../src/model/compositeId.ts'
import type { Hex } from '../src/model/hex.ts'
import { eventPosition } from '../src/model/position.ts'
import { unixSeconds } from '../src/model/time.ts'
import { decodeAttestedPayload } from '../src/protocols/decodeAttestedPayload.ts'
import { easInterface } from '../src/protocols/eas/easInterface.ts'
import { listFieldPaths } from '../src/protocols/listFieldPaths.ts'
import { migrateSqlite } from '../src/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '../src/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '../src/store/sqlite/openSqliteWriter.ts'
import { median } from './quantile.ts'

/** Questions a second, medians of rounds that alternate; nothing is kept between questions. */
export interface EasFigures {
  readonly name: string
  readonly eas: number
  /** The same rows by the program's own GraphQL. */
  readonly own: number
}

interface Document {
  readonly query: string
  readonly variables: (turn: number) => object
  /** Requests that one question takes. */
  readonly requests?: number
}

const chainId = 8453
const uid = (kind: string, number: number) => `0x${kind}${number.toString(16).padStart(62, '0')}` as LocalId
const ownId = (localId: LocalId) => `onchain_evm_${chainId}_${localId}`
const account = (number: number) => sampleAddress(number % 5_000)

/** Asks both interfaces of one process for the same rows of one index, in which one schema has 40 percent. */
export async function benchEas(
  attestations: number,
  rounds: number,
  seconds: number,
): Promise<readonly EasFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const writer = openSqliteWriter(path, { fields: createFieldIndexing('all') })
  await writeContent(writer, createContent(attestations))
  while (!(await writer.advanceFields(chainId)).isDone) continue
  await writer.close()
  const reader = openSqliteReader(path)
  const app = createServer({
    reader,
    queries: reader,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    eas: easInterface,
    keptBytesMax: 0,
    loadLimits: { lagMaxMs: Infinity },
  })
  try {
    const figures: EasFigures[] = []
    for (const { name, eas, own } of casesOf(attestations)) {
      const rates: { eas: number[]; own: number[] } = { eas: [], own: [] }
      for (let round = 0; round < rounds; round++) {
        rates.eas.push(await measure(app, `/eas/${chainId}/graphql`, eas, seconds))
        rates.own.push(await measure(app, '/graphql', own, seconds))
      }
      figures.push({ name, eas: median(rates.eas), own: median(rates.own) })
    }
    return figures
  } finally {
    await app.close()
    await reader.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  app: FastifyInstance,
  url: string,
  document: Document,
  seconds: number,
): Promise<number> {
  const { query, variables, requests = 1 } = document
  const endMs = performance.now() + seconds * 1000
  let turn = 0
  while (performance.now() < endMs) {
    for (let request = 0; request < requests; request++) {
      const payload = { query, variables: variables(turn * requests + request) }
      const response = await app.inject({ method: 'POST', url, payload })
      if (response.json<{ errors?: unknown }>().errors !== undefined) throw new Error(response.body)
    }
    turn += 1
  }
  return turn / seconds
}

function casesOf(attestations: number): { name: string; eas: Document; own: Document }[] {
  const schema = uid('e0', 0)
  const idAt = (turn: number) => uid('a0', (turn * 7_919) % attestations)
  const ids = (turn: number) => Array.from({ length: 1_000 }, (_, index) => idAt(turn * 1_000 + index))
  const needle = (turn: number) => `{"name":"level","type":"uint8","value":${turn % 250}}`
  const aliases = Array.from(
    { length: 20 },
    (_, index) => `a${index}: attestation(id: $i${index}) { id attester }`,
  )
  return [
    {
      name: "an address's newest 10 under a schema, valid ones",
      eas: {
        query:
          'query($s: String!, $r: String!) { attestations(take: 10, orderBy: {time: desc}, where: {schemaId: {equals: $s}, recipient: {equals: $r}, revoked: {equals: false}}) { id attester time data } }',
        variables: (turn) => ({ s: schema, r: account(turn) }),
      },
      own: {
        query:
          'query($s: String!, $r: String!) { attestations(first: 10, filter: {schemaId: $s, recipient: $r, revoked: false}) { nodes { id attester attestTimestamp data } } }',
        variables: (turn) => ({ s: ownId(schema), r: account(turn) }),
      },
    },
    {
      name: 'a single one with its schema',
      eas: {
        query:
          'query($i: String!) { attestation(where: {id: $i}) { id attester data schema { id schema } } }',
        variables: (turn) => ({ i: idAt(turn) }),
      },
      own: {
        query: 'query($i: String!) { attestation(id: $i) { id attester data schema { id originalData } } }',
        variables: (turn) => ({ i: ownId(idAt(turn)) }),
      },
    },
    {
      name: 'a count by schema',
      eas: {
        query:
          'query($s: String!) { aggregateAttestation(where: {schemaId: {equals: $s}}) { _count { _all } } }',
        variables: (turn) => ({ s: uid('e0', turn % 100) }),
      },
      own: {
        query: 'query($s: String!) { attestations(filter: {schemaId: $s}) { totalCount } }',
        variables: (turn) => ({ s: ownId(uid('e0', turn % 100)) }),
      },
    },
    {
      name: '1,000 ids (own: 50 requests of 20 ids)',
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
    },
  ]
}

function createContent(count: number): Parameters<typeof writeContent>[1] {
  const rawText = 'string country,uint8 level'
  const fields = [
    { name: 'country', type: 'string' },
    { name: 'level', type: 'uint8' },
  ]
  const values = parseAbiParameters('string,uint8')
  const payloads = Array.from(
    { length: 250 },
    (_, level) => encodeAbiParameters(values, ['FR', level]) as Hex,
  )
  return {
    schemas: Array.from({ length: 100 }, (_, number) =>
      sampleSchema(number, {
        key: { chainId, localId: uid('e0', number) },
        protocol: 'eas',
        rawText,
        definition: { name: '', description: '', fields },
      }),
    ),
    attestations: Array.from({ length: count }, (_, number) =>
      sampleAttestation(number, {
        key: { chainId, localId: uid('a0', number) },
        protocol: 'eas',
        position: eventPosition(2_000 + number, 0),
        attestTimestamp: unixSeconds(1_700_000_000 + number),
        schemaLocalId: uid('e0', number % 5 < 2 ? 0 : number % 100),
        attester: account(number * 3),
        recipients: [{ kind: 'address', address: account(number) }],
        data: payloads[(number * 31) % 250] ?? ('0x' as Hex),
      }),
    ),
    revocations: {},
    anchors: [],
    chains: [sampleChain({ chainId, name: 'Base', protocols: ['eas'] })],
  }
}
