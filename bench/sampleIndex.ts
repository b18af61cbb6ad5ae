import { hash } from 'node:crypto'
import { localIdOfCounter, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { eventPosition, type Position } from '@attestry/core/model/position.ts'
import type { Attestation, Recipient, Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import { createRandom, mixSeeds, type Random } from '@attestry/test/simulator/random.ts'

/** Size and seed of a sample index: the same options give the same records on every machine. */
export interface SampleOptions {
  readonly seed: number
  readonly attestations: number
  readonly schemas: number
  /** Number of accounts, attesters included; by default nearly every recipient is a new account. */
  readonly addresses?: number
  /** The chain of the records. */
  readonly chainId?: number
  /** Accounts that the chains of all samples have in common: two recipients of ten, and the busiest attester. */
  readonly common?: number
}

/**
 * The records of a large index with realistic skew: 40 % of the attestations are under one schema, 30 % by one
 * attester. Nearly all recipients appear once, or a few times if `accounts` is given.
 */
export interface SampleIndex {
  readonly chainId: number
  readonly eventCount: number
  /**
   * The events in their order, in batches of whole blocks; by default as many events as a commit of a backfill. `from`
   * and `to` limit the events, counted from 0; both must begin a block.
   */
  batches(from?: number, to?: number, events?: number): Iterable<SampleBatch>
  /** The attester with this number, of `attesterCount`; 0 is the busiest. */
  attester(index: number): Address
  readonly attesterCount: number
  /** The usual recipient of the attestation with this counter; unique when `accounts` is not given. */
  recipientOf(counter: number): Address
  /** Attestations per schema, by its counter; complete once `batches` has run from the first event to the last. */
  readonly attestationsOfSchema: readonly number[]
}

export interface SampleBatch {
  readonly fromBlock: number
  readonly toBlock: number
  readonly timestamp: number
  readonly events: readonly DomainEvent[]
}

export const sampleChainId = 11_155_111

/** The contract of all records. */
export const sampleContract: IndexedContract = {
  protocol: 'sign',
  address: `0x${'5a'.repeat(20)}` as Address,
  schemaRegistry: null,
  startBlock: 0,
}

const eventsPerBlock = 5
const blockSeconds = 12
const firstBlock = 1
const firstTimestamp = 1_700_000_000
/** Events per batch, as many as a commit of a backfill. */
export const eventsPerBatch = 5_000
/** Accounts that receive many attestations. */
const sharedCount = 1_000

/** The last block of an index. */
export function lastBlockOf({
  attestations,
  schemas,
}: Pick<SampleOptions, 'attestations' | 'schemas'>): number {
  return firstBlock + Math.ceil((attestations + schemas) / eventsPerBlock) - 1
}

export function createSampleIndex(options: SampleOptions): SampleIndex {
  const { seed, attestations, schemas, addresses, chainId = sampleChainId, common } = options
  const attesterCount = Math.max(10, Math.floor(attestations / 100))
  const ownCount = addresses === undefined ? null : Math.max(1, addresses - attesterCount - sharedCount)
  const attestationsOfSchema = new Array<number>(schemas + 1).fill(0)
  const digitsOf = (kind: string, index: number) => hash('sha256', `${seed} ${kind} ${index}`)
  const addressOf = (kind: string, index: number) => `0x${digitsOf(kind, index).slice(0, 40)}` as Address

  const commonOf = (index: number) => `0x${hash('sha256', `common ${index}`).slice(0, 40)}` as Address
  const busiest = common === undefined ? addressOf('attester', 0) : commonOf(0)

  const total = attestations + schemas

  function* batches(from = 0, to = total, perBatch = eventsPerBatch): Generator<SampleBatch> {
    if (from === 0) attestationsOfSchema.fill(0)
    // The events before `from`, by the rule below.
    let madeSchemas = from === 0 ? 0 : Math.floor(((from - 1) * schemas) / total) + 1
    let madeAttestations = from - madeSchemas
    let events: DomainEvent[] = []
    let fromBlock = firstBlock + Math.floor(from / eventsPerBlock)
    for (let index = from; index < to; index++) {
      const block = firstBlock + Math.floor(index / eventsPerBlock)
      const place = { index, block, position: eventPosition(block, index % eventsPerBlock) }
      // Schemas are registered throughout, so that old and new ones differ in size as on real chains.
      if (madeSchemas < schemas && madeSchemas * total <= index * schemas) {
        events.push(schemaEvent(place, ++madeSchemas))
      } else {
        events.push(attestationEvent(place, ++madeAttestations, madeSchemas))
      }
      const isBlockEnd = index % eventsPerBlock === eventsPerBlock - 1
      if (index < to - 1 && !(isBlockEnd && events.length >= perBatch)) continue
      yield { fromBlock, toBlock: block, timestamp: timestampOf(block), events }
      fromBlock = block + 1
      events = []
    }
  }

  interface Place {
    readonly index: number
    readonly block: number
    readonly position: Position
  }

  function schemaEvent({ index, block, position }: Place, counter: number): DomainEvent {
    const random = createRandom(mixSeeds(seed, 1, counter))
    const fields = [
      { name: 'subject', type: 'string' },
      { name: 'score', type: 'uint256' },
      { name: 'passed', type: 'bool' },
    ]
    const name = `${random.pick(['KYC passed', 'Release audit', 'Attendance', '学位证书', 'Trust score'])} ${counter}`
    const description = `Says that the subject was checked by rule ${random.integer(1, 999)}`
    const schema: Schema = {
      key: { chainId, localId: localIdOfCounter(BigInt(counter)) },
      position,
      transactionHash: transactionHash(index),
      transactionSender: null,
      protocol: 'sign',
      registrant: addressOf('attester', random.integer(0, attesterCount - 1)),
      registerTimestamp: unixSeconds(timestampOf(block)),
      revocable: true,
      maxValidFor: 0n,
      resolver: zeroAddress,
      dataLocation: 'ONCHAIN',
      definition: { name, description, fields },
      rawText: JSON.stringify({ name, description, data: fields }),
      context: null,
    }
    return { kind: 'schemaRegistered', position, schema }
  }

  function attestationEvent({ index, block, position }: Place, counter: number, known: number): DomainEvent {
    const random = createRandom(mixSeeds(seed, 2, counter))
    const schema = random.chance(0.4) ? 1 : random.integer(1, known)
    attestationsOfSchema[schema] = (attestationsOfSchema[schema] ?? 0) + 1
    const attestation: Attestation = {
      key: { chainId, localId: localIdOfCounter(BigInt(counter)) },
      position,
      transactionHash: transactionHash(index),
      transactionSender: null,
      protocol: 'sign',
      schemaLocalId: localIdOfCounter(BigInt(schema)),
      attester: random.chance(0.3) ? busiest : addressOf('attester', random.integer(0, attesterCount - 1)),
      attestTimestamp: unixSeconds(timestampOf(block)),
      recipients: recipientsOf(random, counter),
      indexingValue: random.chance(0.5) ? `subject-${counter}` : '',
      linkedAttestation: linkedOf(random, counter),
      validUntil: random.chance(0.8) ? 0n : BigInt(timestampOf(block) + 31_536_000),
      revocable: null,
      portal: null,
      contractVersion: null,
      subject: null,
      data: payload(random),
      dataLocation: 'ONCHAIN',
      revocationAtRead: { kind: 'none' },
    }
    return { kind: 'attestationMade', position, attestation }
  }

  function recipientsOf(random: Random, counter: number): readonly Recipient[] {
    const isCommon = common !== undefined && random.chance(0.2)
    const address = isCommon ? commonOf(random.integer(1, common)) : recipientOf(counter)
    const own: Recipient = { kind: 'address', address }
    if (random.chance(0.85)) return [own]
    const shared: Recipient = {
      kind: 'address',
      address: addressOf('shared', random.integer(0, sharedCount - 1)),
    }
    return random.chance(0.5) ? [shared] : random.chance(0.5) ? [own, shared] : []
  }

  /** Accounts take turns, so that all appear once there are as many attestations as accounts. */
  function recipientOf(counter: number): Address {
    return addressOf('recipient', ownCount === null ? counter : counter % ownCount)
  }

  function transactionHash(index: number): Hash {
    return `0x${digitsOf('transaction', index)}` as Hash
  }

  return {
    chainId,
    eventCount: total,
    batches,
    attester: (index) => (index === 0 ? busiest : addressOf('attester', index)),
    attesterCount,
    recipientOf,
    attestationsOfSchema,
  }
}

function timestampOf(block: number): number {
  return firstTimestamp + block * blockSeconds
}

function linkedOf(random: Random, counter: number): LocalId | null {
  return counter > 1 && random.chance(0.05) ? localIdOfCounter(BigInt(random.integer(1, counter - 1))) : null
}

/** An ABI-encoded string, number and boolean: seven words. Nearly all strings and numbers differ. */
function payload(random: Random): Hex {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const text = Buffer.from(`subject number ${random.integer(1, 10 ** 9)} of the sample`)
  const number = random.integer(0, 10 ** 9)
  return `0x${word(32)}${word(96)}${word(number)}${word(random.integer(0, 1))}${word(text.length)}${text.toString('hex').padEnd(Math.ceil(text.length / 32) * 64, '0')}` as Hex
}
