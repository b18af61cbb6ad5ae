import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { BlockRef } from '@attestry/core/model/chainState.ts'
import { localIdOfCounter, type ChainId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationRevoked, DomainEvent } from '@attestry/core/model/domainEvent.ts'
import {
  parseAddress,
  parseHash,
  zeroAddress,
  zeroHash,
  type Address,
  type Hash,
  type Hex,
} from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type {
  Attestation,
  Recipient,
  RevocationAtRead,
  Schema,
  SchemaDefinition,
  SchemaField,
} from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { testFields, testPayload } from './generatedFields.ts'

/** A block of a generated chain with what it means to the index. */
export interface GeneratedBlock extends BlockRef {
  readonly events: readonly DomainEvent[]
}

/** One step of a chain's life; small numbers pick from small pools, so that records meet. */
export interface Step {
  readonly kind: number
  /** Blocks between this event and the one before; 0: the same block. */
  readonly gap: number
  readonly who: number
  readonly whom: number
  readonly what: number
  readonly text: number
}

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.nat(19),
      gap: fc.nat(3),
      who: fc.nat(3),
      whom: fc.nat(5),
      what: fc.nat(99),
      text: fc.nat(texts.length - 1),
    }),
    // By default arrays stay far below their greatest length.
    { maxLength, size: 'max' },
  )

export const addresses: readonly Address[] = Array.from(
  { length: 6 },
  (_, index) => `0xabcdef${index < 3 ? '00' : '77'}${index.toString(16).padStart(32, '0')}` as Address,
)

/** Text of every kind that breaks something somewhere. */
export const texts: readonly string[] = [
  '',
  'Name',
  'name tag',
  'A longer NAME of things',
  '100%',
  'a_b',
  'x"y AND z',
  "it's; --",
  '日本語テキスト',
  '語',
  '\u202Eright to left\u202C שלום',
  'nul\0inside name',
  'lone \ud800 surrogate',
  'ΟΔΟΣ',
  'Straße',
  'e\u0301clair',
  'éclair',
  'did:key:z6Mk',
  '0xAB',
  '0xab',
  '0x1',
  '26',
  addresses[0] ?? '',
  (addresses[1] ?? '').toUpperCase().replace('0X', '0x'),
  'onchain_evm_5_0x3',
]

const uint64Values = [0n, 1n, 3_600n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]

/**
 * Timestamps: two blocks share one, so that the order has ties within a chain and between chains. Blocks 12 and 13 have
 * the last second of a UTC day.
 */
export function blockTimestamp(number: number): number {
  return 1_700_000_399 + Math.floor(number / 2) * 1_000
}

/**
 * The blocks of a chain that lives through `life`, on top of `parent` blocks that are there already. `salt` makes the
 * blocks and records of a fork differ from those that it replaces, while their ids may be the same.
 */
export function generateBlocks(
  chainId: ChainId,
  parent: readonly GeneratedBlock[],
  life: readonly Step[],
  salt: string,
): GeneratedBlock[] {
  const state = createLife(chainId, parent)
  const blocks: GeneratedBlock[] = []
  let events: DomainEvent[] = []
  let number = parent.length
  let previous = parent.at(-1)?.hash ?? zeroHash
  const seal = () => {
    const hash = hashOf(`${chainId} ${number} ${salt} ${previous}`)
    blocks.push({
      number,
      hash,
      parentHash: previous,
      timestamp: unixSeconds(blockTimestamp(number)),
      events,
    })
    previous = hash
    number += 1
    events = []
  }
  for (const step of life) {
    for (let gap = 0; gap < step.gap; gap++) seal()
    events.push(...eventsOfStep(state, step, number, events.length * 3, salt))
  }
  seal()
  return blocks
}

/** A chain that has only off-chain anchors, in blocks of none, one and thirty of them. */
export function manyAnchors(blockCount: number): readonly GeneratedBlock[] {
  return Array.from({ length: blockCount }, (_, number) => ({
    number,
    hash: hashOf(`block ${number}`),
    parentHash: hashOf(`block ${number - 1}`),
    timestamp: unixSeconds(blockTimestamp(number)),
    events: Array.from({ length: [0, 1, 30][number % 3] ?? 0 }, (__, index): DomainEvent => ({
      kind: 'anchorMade',
      position: eventPosition(number, index),
      protocol: 'eas',
      anchor: 'Timestamped',
      account: addressAt(index),
      value: `${number} ${index}`,
      timestamp: unixSeconds(blockTimestamp(number)),
      transactionHash: hashOf(`transaction ${number}`),
      reason: '',
    })),
  }))
}

interface Life {
  readonly chainId: ChainId
  /** Protocols and local ids. */
  readonly schemas: Set<string>
  attestationCount: number
}

function createLife(chainId: ChainId, parent: readonly GeneratedBlock[]): Life {
  const events = parent.flatMap((block) => block.events)
  return {
    chainId,
    schemas: new Set(
      events.flatMap((event) =>
        event.kind === 'schemaRegistered' ? [`${event.schema.protocol} ${event.schema.key.localId}`] : [],
      ),
    ),
    attestationCount: events.filter((event) => event.kind === 'attestationMade').length,
  }
}

function eventsOfStep(life: Life, step: Step, block: number, logIndex: number, salt: string): DomainEvent[] {
  const position = eventPosition(block, logIndex)
  const transactionHash = hashOf(`transaction ${life.chainId} ${block} ${Math.floor(logIndex / 6)} ${salt}`)
  const timestamp = unixSeconds(blockTimestamp(block))
  const origin = {
    position,
    transactionHash,
    transactionSender: step.who === 0 ? addressAt(step.whom) : null,
  }
  const protocol = step.what % 2 === 0 ? 'sign' : 'eas'
  switch (step.kind) {
    case 0:
    case 1: {
      const localId = schemaId(step.what)
      const key = `${protocol} ${localId}`
      if (life.schemas.has(key)) return []
      life.schemas.add(key)
      const schema: Schema = {
        ...origin,
        key: { chainId: life.chainId, localId },
        protocol,
        registrant: addressAt(step.who),
        registerTimestamp: timestamp,
        revocable: step.whom > 2,
        maxValidFor: uint64At(step.what),
        resolver: step.whom < 3 ? zeroAddress : addressAt(step.whom),
        dataLocation: 'ONCHAIN',
        definition: {
          name: protocol === 'eas' ? '' : textAt(step.text),
          description: textAt(step.text + step.whom),
          ...definedFields(
            testFields(textAt(step.text + 1), step.what),
            protocol === 'sign' && step.who % 3 === 0,
          ),
        },
        rawText: textAt(step.text + 2),
        context: step.whom % 2 === 0 ? null : textAt(step.text + 4),
      }
      return [{ kind: 'schemaRegistered', position, schema }]
    }
    case 2:
    case 3:
    case 4: {
      const index = step.what % (life.attestationCount + 2)
      return [
        {
          kind: 'attestationRevoked',
          position,
          ...recordAt(index),
          reason: textAt(step.text),
          timestamp,
          transactionHash,
        },
      ]
    }
    case 5:
      if (step.what % 4 === 0) {
        return [
          {
            kind: 'metadataSet',
            position,
            protocol,
            of: step.whom % 2 === 0 ? (step.text % 3 === 0 ? 'module' : 'portal') : 'schemaContext',
            subject: step.whom % 2 === 0 ? addressAt(step.whom) : schemaId(step.text),
            body:
              step.whom % 2 === 0
                ? JSON.stringify({ name: textAt(step.text), description: '', owner: null, ownerName: '' })
                : textAt(step.text + 1),
          },
        ]
      }
      return [
        {
          kind: 'anchorMade',
          position,
          protocol,
          anchor: `Anchor${step.who}`,
          account: step.what % 5 === 0 ? null : addressAt(step.whom),
          // Few values, hashes and texts among them, so that some are anchored more than once.
          value: step.what % 2 === 0 ? `0x${'ab'.repeat(31)}0${step.what % 3}` : textAt(step.text),
          timestamp,
          transactionHash,
          reason: step.what % 3 === 0 ? textAt(step.text + 1) : '',
        },
      ]
    case 6:
      return [
        {
          kind: 'undecodableLog',
          position,
          protocol,
          contract: addressAt(step.who),
          topics: [hashOf('topic') as unknown as Hex],
          data: '0x12' as Hex,
          transactionHash,
          reason: textAt(step.text),
        },
      ]
    default: {
      const attestation = makeAttestation(life, step, origin)
      const made: DomainEvent = { kind: 'attestationMade', position, attestation }
      if (step.kind > 9) return [made]
      return [
        made,
        { kind: 'schemaNamed', position, schemaLocalId: schemaId(step.text), name: textAt(step.text + 3) },
      ]
    }
  }
}

function makeAttestation(
  life: Life,
  step: Step,
  origin: Pick<Attestation, 'position' | 'transactionHash' | 'transactionSender'>,
): Attestation {
  const index = life.attestationCount++
  const { protocol, localId } = recordAt(index)
  const block = Math.floor(origin.position / 2 ** 20)
  return {
    ...origin,
    key: { chainId: life.chainId, localId },
    protocol,
    // Half of all attestations are under one schema, and some under one that is never registered.
    schemaLocalId: schemaId(step.what % 2 === 0 ? 0 : step.what),
    attester: addressAt(step.who),
    attestTimestamp: unixSeconds(
      step.what === 99 ? 2 ** 33 + step.text : blockTimestamp(block) - (step.what === 98 ? 500_000 : 0),
    ),
    recipients: recipientsAt(step),
    indexingValue: textAt(step.text),
    // An attestation of the same protocol, or the id of one of the other.
    linkedAttestation:
      index < 2 || step.what % 3 !== 0 ? null : recordAt(index - 1 - (step.what % 2)).localId,
    validUntil: uint64At(step.text),
    revocable: [true, false, null][step.whom % 3] ?? null,
    portal: step.whom % 4 === 0 ? null : addressAt(step.whom),
    contractVersion: step.whom % 4 === 0 ? null : (step.what % 3) * 32_767,
    subject: step.whom % 4 === 0 ? null : (`0x${'ab'.repeat(step.what % 4)}` as Hex),
    data: testPayload(step.what, step.text),
    dataLocation: step.whom === 5 ? 'IPFS' : 'ONCHAIN',
    revocationAtRead: revocationAt(step, block),
  }
}

/**
 * The protocol of an attestation and its id. Every fifth has the id of the one before, which is of the other protocol.
 */
function recordAt(index: number): Pick<AttestationRevoked, 'protocol' | 'localId'> {
  return {
    protocol: index % 2 === 0 ? 'sign' : 'eas',
    localId: attestationId(index % 5 === 4 ? index - 1 : index),
  }
}

function recipientsAt(step: Step): readonly Recipient[] {
  const first: Recipient = { kind: 'address', address: addressAt(step.whom) }
  switch (step.what % 7) {
    case 0:
      return []
    case 1:
      return [first, first]
    case 2:
      return [first, { kind: 'address', address: addressAt(step.who) }]
    case 3:
      return [recipientAt(step.text + 5), first]
    case 4:
      return [{ kind: 'bytes', bytes: '0xab' as Hex }, recipientAt(step.text)]
    default:
      return [first]
  }
}

/** A text that is an address is a recipient of that kind. */
function recipientAt(index: number): Recipient {
  const text = textAt(index)
  const address = parseAddress(text)
  return address === null ? { kind: 'text', text } : { kind: 'address', address }
}

function revocationAt(step: Step, block: number): RevocationAtRead {
  switch (step.text % 6) {
    case 0:
      return { kind: 'made', timestamp: uint64At(step.what) }
    case 1:
      return { kind: 'claimed', timestamp: BigInt(blockTimestamp(block + (step.what % 12))) }
    case 2:
      return step.what % 4 === 0 ? { kind: 'claimed', timestamp: uint64At(step.what) } : { kind: 'none' }
    default:
      return { kind: 'none' }
  }
}

export function schemaId(index: number): LocalId {
  const number = index % 9
  return number < 6 ? localIdOfCounter(BigInt(number + 1)) : uidOf(`schema ${number}`)
}

/** Counters and uids in turn, so that both kinds of local id are in every list. */
export function attestationId(index: number): LocalId {
  return index % 3 === 2 ? uidOf(`attestation ${index}`) : localIdOfCounter(BigInt(index + 1))
}

export function hashOf(text: string): Hash {
  return parseHash(`0x${createHash('sha256').update(text).digest('hex')}`) ?? zeroHash
}

function uidOf(text: string): LocalId {
  return hashOf(text) as string as LocalId
}

export function addressAt(index: number): Address {
  return addresses[index % addresses.length] ?? zeroAddress
}

function textAt(index: number): string {
  return texts[index % texts.length] ?? ''
}

function uint64At(index: number): bigint {
  return uint64Values[index % uint64Values.length] ?? 0n
}

/** These fields, by which payloads are encoded; `hasPointer`: the schema itself gives the first one another type. */
function definedFields(
  fields: readonly SchemaField[],
  hasPointer: boolean,
): Pick<SchemaDefinition, 'fields' | 'payloadFields'> {
  if (!hasPointer) return { fields }
  const shown = fields.map((field, index) => (index === 0 ? { ...field, type: 'uint256[]' } : field))
  return { fields: shown, payloadFields: fields }
}
