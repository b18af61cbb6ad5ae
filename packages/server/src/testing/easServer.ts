import type { ReadLimits } from '@attestry/subgraphs/engine/budget.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import type { FastifyInstance } from 'fastify'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { type Address, type Hex, noBytes, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import { parseSchemaString } from '@attestry/core/protocols/eas/parseSchemaString.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { createServer, type TestServerOptions } from './createServer.ts'
import { sampleChain } from '../pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '../pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex, type TestIndex } from '../pipeline/testing/testIndex.ts'

/** A row of easscan's interface: an attestation or schema by its scalar fields. */
export type EasRow = Readonly<Record<string, string | number | boolean>>

export interface EasTestServer {
  readonly app: FastifyInstance
  /** The attestations of chain 10, newest first. */
  readonly attestations: readonly EasRow[]
  ask(
    query: string,
    variables?: object,
  ): Promise<{
    data?: never
    errors?: { message: string; extensions: object }[]
  }>
}

const chainId = 10
/** The sender of the transaction of one schema. */
export const schemaSender = sampleAddress(77)
const schemaTexts = ['string country,uint8 level', 'string country,uint8 level,bool ok', 'nonsense']

/** The id of a record; no two chains share one. */
function uid(kind: string, number: number, chain = chainId): LocalId {
  const id = parseLocalId(
    `0x${kind}${chain.toString(16).padStart(8, '0')}${number.toString(16).padStart(54, '0')}`,
  )
  if (id === null) throw new Error('no uid')
  return id
}

/**
 * A server over EAS's records on two chains, one of which has Sign Protocol's as well. Up to three attestations share a
 * time; a third of the `count` attestations of chain 10 are under each schema.
 */
export function createEasTestServer(
  options: TestServerOptions = {},
  { count = 60, limits = {} }: { readonly count?: number; readonly limits?: Partial<ReadLimits> } = {},
): EasTestServer {
  const index = createTestIndex(createContent(count))
  const app = createServer({
    reader: openTestIndex(index),
    decodePayload: decodeAttestedPayload,
    wings: [serveEas({ limits })],
    ...options,
  })
  return {
    app,
    attestations: index.attestations
      .filter(({ key, protocol }) => key.chainId === chainId && protocol === 'eas')
      .toSorted((a, b) => b.position - a.position)
      .map((attestation) => rowOf(index, attestation)),
    ask: async (query, variables = {}) => {
      const url = `/eas/${chainId}/graphql`
      return (await app.inject({ method: 'POST', url, payload: { query, variables } })).json()
    },
  }
}

function createContent(count: number): Partial<TestIndex> {
  const schemas: Schema[] = []
  const attestations: Attestation[] = []
  const revocations: Record<string, TestIndex['revocations'][string]> = {}
  for (const chain of [chainId, 8453]) {
    for (const [number, rawText] of schemaTexts.entries()) {
      schemas.push(
        sampleSchema(number, {
          key: { chainId: chain, localId: uid('e0', number, chain) },
          protocol: 'eas',
          rawText,
          revocable: number !== 1,
          // Senders of transactions were configured for a while.
          transactionSender: number === 1 ? schemaSender : null,
          definition: { name: '', description: '', fields: parseSchemaString(rawText) },
          position: eventPosition(100, number),
        }),
      )
    }
    const ofChain = chain === chainId ? count : 60
    for (let number = 0; number < ofChain; number++) attestations.push(attestationAt(chain, number))
  }
  schemas.push(sampleSchema(7, { key: { chainId, localId: '0x7' as LocalId } }))
  for (let number = 0; number < 20; number++) {
    attestations.push(
      sampleAttestation(number, {
        key: { chainId, localId: `0x${(number + 16).toString(16)}` as LocalId },
        schemaLocalId: '0x7' as LocalId,
        attester: accountAt(number),
        position: eventPosition(2_000 + number, 9),
        attestTimestamp: unixSeconds(1_700_000_000 + Math.floor(number / 3)),
      }),
    )
  }
  for (const { key, protocol, position } of attestations) {
    if (protocol !== 'eas' || position % 5 !== 1) continue
    revocations[key.localId] = {
      timestamp: String(1_700_000_500 + (position % 7)),
      reason: '',
      transactionHash: sampleHash(9),
    }
  }
  const chains = [
    sampleChain({ chainId, protocols: ['sign', 'eas'], name: 'OP Mainnet' }),
    sampleChain({ chainId: 8453, protocols: ['eas'], name: 'Base' }),
  ]
  return { schemas, attestations, revocations, chains }
}

function accountAt(number: number): Address {
  return sampleAddress(number % 4)
}

function attestationAt(chain: number, number: number): Attestation {
  const schema = number % 3
  const country = ['FR', 'UA', '100%_"q"'][number % 4] ?? 'fr'
  const values = parseAbiParameters('string,uint8')
  const canonical = encodeAbiParameters(values, [country, number % 7])
  // The SDK of EAS reads payloads with bytes behind their values, and integers with more digits than their type has.
  const [start, end] = [canonical.slice(0, 2 + 64), canonical.slice(2 + 64)]
  const decodable =
    number % 13 === 1 ? `${canonical}ff` : number % 17 === 2 ? `${start}01${end.slice(2)}` : canonical
  return sampleAttestation(number, {
    key: { chainId: chain, localId: uid('a0', number, chain) },
    protocol: 'eas',
    // Three in a row share a block.
    position: eventPosition(2_000 + Math.floor(number / 3), number % 3),
    attestTimestamp: unixSeconds(1_700_000_000 + Math.floor(number / 3)),
    schemaLocalId: uid('e0', schema, chain),
    attester: accountAt(number),
    recipients: number % 5 === 0 ? [] : [{ kind: 'address', address: accountAt(number * 3 + 1) }],
    linkedAttestation: number % 6 === 5 ? uid('a0', number % 3, chain) : null,
    validUntil: [0n, 1_800_000_000n, 2n ** 40n][number % 3] ?? 0n,
    // Rows of earlier layouts have no flag of their own.
    revocable: [true, false, null][number % 4] ?? null,
    data: number % 11 === 0 ? noBytes : (decodable as Hex),
  })
}

/** A record as easscan would show it, by rules that share nothing with the program but the printing of payloads. */
function rowOf(index: TestIndex, attestation: Attestation): EasRow {
  const { key, recipients, validUntil, linkedAttestation } = attestation
  const revocation = index.revocations[key.localId]
  const schema = index.schemas.find((each) => each.key.localId === attestation.schemaLocalId)
  const [recipient] = recipients
  return {
    id: key.localId,
    data: attestation.data,
    decodedDataJson: easInterface.decodedDataFormat(schema?.rawText ?? '')(attestation.data),
    recipient: recipient?.kind === 'address' ? checksumAddress(recipient.address) : zeroAddress,
    attester: checksumAddress(attestation.attester),
    time: attestation.attestTimestamp,
    timeCreated: attestation.attestTimestamp,
    expirationTime: Math.min(Number(validUntil), 2_147_483_647),
    revocationTime: Number(revocation?.timestamp ?? 0),
    refUID: linkedAttestation ?? zeroHash,
    revocable: attestation.revocable ?? schema?.revocable ?? false,
    revoked: revocation !== undefined,
    txid: attestation.transactionHash,
    schemaId: attestation.schemaLocalId,
    ipfsHash: '',
    isOffchain: false,
  }
}
