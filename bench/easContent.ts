import { encodeAbiParameters, parseAbiParameters } from 'viem'
import {
  sampleAddress,
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { type Hex, zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { parseSchemaString } from '@attestry/core/protocols/eas/parseSchemaString.ts'

/** Attestations in the shapes of EAS on Base and Optimism: one schema of a hundred has 40 percent of them. */

export const easChainId = 8453
export const schemaCount = 100
/** Every twentieth attestation is revoked. */
const revokedEvery = 20

/** Schemas of widely used applications, with a payload for a number. The first text is that of the large schema. */
const shapes: readonly { readonly text: string; readonly values: (number: number) => readonly unknown[] }[] =
  [
    {
      text: 'string country,uint8 level,bytes32 round,bool isGood',
      values: (n) => [['FR', 'UA', 'BR', 'KE'][n % 4], n % 250, sampleHash(n % 16), n % 3 > 0],
    },
    { text: 'bool verifiedAccount', values: () => [true] },
    { text: 'string verifiedCountry', values: (n) => [['US', 'DE', 'JP'][n % 3]] },
    { text: 'bytes32 eventId,uint8 ticketType', values: (n) => [sampleHash(n % 300), n % 5] },
    {
      text: 'uint256 fid,address verifyAddress,string userName,uint8 protocol',
      values: (n) => [BigInt(n) * 10n ** 9n, sampleAddress(n % 5_000), `user-${n % 5_000}`, 1],
    },
    { text: 'string json', values: (n) => [JSON.stringify({ slug: `project-${n}`, score: n % 100 })] },
  ]

export const schemas: readonly Schema[] = Array.from({ length: schemaCount }, (_, number) => {
  const { text } = shapeOf(number)
  return sampleSchema(number, {
    key: { chainId: easChainId, localId: schemaUid(number) },
    protocol: 'eas',
    rawText: text,
    definition: { name: '', description: '', fields: parseSchemaString(text) },
  })
})

function shapeOf(schema: number) {
  return shapes[schema % shapes.length] ?? { text: '', values: () => [] }
}

export function schemaUid(number: number): LocalId {
  return uid('e0', number)
}

export function attestationUid(number: number): LocalId {
  return uid('a0', number)
}

function uid(kind: string, number: number): LocalId {
  return `0x${kind}${number.toString(16).padStart(62, '0')}` as LocalId
}

/** The accounts that make and receive them. */
export function account(number: number) {
  return sampleAddress(number % 5_000)
}

export function attestationAt(number: number): Attestation {
  const schema = number % 5 < 2 ? 0 : number % schemaCount
  const { text, values } = shapeOf(schema)
  return sampleAttestation(number, {
    key: { chainId: easChainId, localId: attestationUid(number) },
    protocol: 'eas',
    position: eventPosition(2_000 + number, 0),
    attestTimestamp: unixSeconds(1_700_000_000 + number),
    schemaLocalId: schemaUid(schema),
    attester: account(number * 3),
    recipients: [{ kind: 'address', address: account(number) }],
    linkedAttestation: number % 10 === 9 ? attestationUid(number - 1) : null,
    revocable: true,
    data: encodeAbiParameters(parseAbiParameters(text), values(number * 31)) as Hex,
  })
}

/** The revocation of an attestation, in seconds; null if it is not revoked. */
export function revokedAt(number: number): number | null {
  return number % revokedEvery === 7 ? 1_750_000_000 + number : null
}

/** The events of the chain in its order, some thousand at a time. */
export function* eventBatches(attestations: number): Generator<readonly DomainEvent[]> {
  yield schemas.map((schema) => ({ kind: 'schemaRegistered', position: schema.position, schema }))
  for (let start = 0; start < attestations; start += batchSize) {
    yield Array.from({ length: Math.min(batchSize, attestations - start) }, (_, index): DomainEvent => {
      const attestation = attestationAt(start + index)
      return { kind: 'attestationMade', position: attestation.position, attestation }
    })
  }
  for (let start = 0; start < attestations; start += batchSize * revokedEvery) {
    const batch: DomainEvent[] = []
    for (let number = start; number < Math.min(attestations, start + batchSize * revokedEvery); number++) {
      const timestamp = revokedAt(number)
      if (timestamp === null) continue
      batch.push({
        kind: 'attestationRevoked',
        position: eventPosition(10_000_000 + number, 0),
        protocol: 'eas',
        localId: attestationUid(number),
        reason: '',
        timestamp: unixSeconds(timestamp),
        transactionHash: zeroHash,
      })
    }
    if (batch.length > 0) yield batch
  }
}

const batchSize = 5_000
