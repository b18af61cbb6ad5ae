import { createHash } from 'node:crypto'
import { encodeAttestation, encodeSchema, encodeString, tail, utf8Digits, word } from './abiWords.ts'
import { createRandom, mixSeeds, type Random } from './random.ts'

/**
 * A chain with the Sign Protocol on it that exists only as a function of its seed: blocks without events take no memory, and
 * the same calls give the same chain. It keeps the truth that an index must arrive at. Reorganisations replace the newest
 * blocks by others, in which the same ids go to other records and revocations vanish.
 */
export interface SimulatedChain {
  readonly chainId: number
  /** Lower case, `0x`. */
  readonly contract: string
  readonly truth: Truth
  head(): number
  /** Adds blocks to the chain. */
  mine(blocks: number): void
  /** Replaces the newest `depth` blocks by `length` others. */
  reorganise(depth: number, length: number): void
  block(number: number): SimulatedBlock | null
  blockByHash(hash: string): SimulatedBlock | null
  logs(fromBlock: number, toBlock: number): readonly SimulatedLog[]
  /** What `getSchema` or `getAttestation` returns (without `0x`) at the state after block `atBlock`. */
  read(selector: string, id: bigint, atBlock: number): string
}

export interface SimulatedBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
}

export interface SimulatedLog {
  readonly blockNumber: number
  readonly logIndex: number
  readonly topic: string
  /** Without `0x`. */
  readonly data: string
  readonly transactionHash: string
}

/** All that was ever registered and made and still stands on the chain; ids count from 1. */
export interface Truth {
  readonly schemas: readonly TrueSchema[]
  readonly attestations: readonly TrueAttestation[]
  readonly anchors: number
}

export interface TrueSchema {
  readonly block: number
  readonly registrant: string
  readonly revocable: boolean
  readonly maxValidFor: bigint
  readonly name: string
  readonly data: string
}

export interface TrueAttestation {
  readonly block: number
  readonly schemaId: number
  readonly linkedAttestationId: number
  readonly attester: string
  readonly validUntil: bigint
  readonly indexingKey: string
  readonly recipients: readonly string[]
  readonly data: string
  /** The revocation time that a record was made with, revoked from birth (the contract allowed that up to 1.1.2). */
  readonly bornRevokedAt: number | null
  revocation: { readonly block: number; readonly reason: string } | null
}

export interface SimulatedChainOptions {
  readonly seed: number
  readonly chainId?: number
  /** How many of a hundred blocks have events. */
  readonly eventBlockPercent?: number
  readonly eventsPerBlockMax?: number
  /** Seconds between blocks. */
  readonly blockTime?: number
  readonly genesisTimestamp?: number
  /** How many of a hundred events register a schema. */
  readonly schemaPercent?: number
  /** How many accounts attestations are made to. */
  readonly recipientAccounts?: number
}

export const simulatedTopics = {
  schemaRegistered: '0xd0f9818d35b9c7d941f89e81a08a7f4761384ae32aeaf4a913b94319a321e7ff',
  attestationMade: '0x38b331f00373c8b0f9af5a4273ca1b91e894fec999bfa4ec787e8c90a5c8b05c',
  attestationRevoked: '0x294c02ce66be799794a712d72e9926c40a3cb2738a51571523ffe23be2c6fb01',
  offchainAttestationMade: '0x6f0bf119c2fc55752051c1cfde5d145fdd499c7f748df7920409c72319ff6027',
} as const

/** Selectors of the two reads, as Solidity derives them. */
export const simulatedSelectors = { getSchema: '8d1be875', getAttestation: '62252880' } as const

export function createSimulatedChain(options: SimulatedChainOptions): SimulatedChain {
  const { seed, chainId = 31_337, eventBlockPercent = 40, eventsPerBlockMax = 4 } = options
  const blockTime = options.blockTime ?? 12
  const genesisTimestamp = options.genesisTimestamp ?? 1_700_000_000
  const schemaPercent = options.schemaPercent ?? 8
  const recipientAccounts = options.recipientAccounts ?? 40
  const contract = `0x${createRandom(mixSeeds(seed, 0xc0)).digits(20)}`
  const schemas: TrueSchema[] = []
  const attestations: TrueAttestation[] = []
  const anchors: number[] = []
  const eventBlocks: { number: number; logs: readonly SimulatedLog[] }[] = []
  // From which block on which fork is the chain's; the forks of a chain are numbered as they are made.
  const forks: { fromBlock: number; fork: number }[] = [{ fromBlock: 0, fork: 0 }]
  let forkCount = 1
  let head = 0

  const forkOf = (number: number): number =>
    forks.findLast((segment) => segment.fromBlock <= number)?.fork ?? 0
  const hashOf = (number: number): string =>
    `0x${createHash('sha256')
      .update(`${seed}:${chainId}:${forkOf(number)}:${number}`)
      .digest('hex')}`

  const timestampOf = (number: number): number => genesisTimestamp + number * blockTime

  function block(number: number): SimulatedBlock | null {
    if (number < 0 || number > head) return null
    const parentHash = number === 0 ? `0x${word(0)}` : hashOf(number - 1)
    return { number, hash: hashOf(number), parentHash, timestamp: timestampOf(number) }
  }

  function mine(blocks: number): void {
    for (let i = 0; i < blocks; i++) {
      head++
      const random = createRandom(mixSeeds(seed, chainId, forkOf(head), head))
      if (random.integer(1, 100) > eventBlockPercent) continue
      const logs: SimulatedLog[] = []
      const count = random.integer(1, eventsPerBlockMax)
      for (let n = 0; n < count; n++) logs.push(makeEvent(random, head, n))
      eventBlocks.push({ number: head, logs })
    }
  }

  function makeEvent(random: Random, number: number, logIndex: number): SimulatedLog {
    const transactionHash = `0x${random.digits(32)}`
    const log = (topic: string, data: string): SimulatedLog => ({
      blockNumber: number,
      logIndex,
      topic,
      data,
      transactionHash,
    })
    const kind = random.next()
    if (schemas.length === 0 || random.chance(schemaPercent / 100)) {
      schemas.push(makeSchema(random, number, schemas.length + 1))
      return log(simulatedTopics.schemaRegistered, word(schemas.length))
    }
    const revocable = kind < 0.12 ? findRevocable(random) : null
    if (revocable !== null) {
      const reason = random.pick(['', 'expired document', 'erreur de saisie', '撤销', 'a "quoted" reason\n'])
      revocable.attestation.revocation = { block: number, reason }
      return log(simulatedTopics.attestationRevoked, word(revocable.id) + word(64) + tail(utf8Digits(reason)))
    }
    if (kind < 0.17) {
      anchors.push(number)
      return log(simulatedTopics.offchainAttestationMade, encodeString(`anchor-${random.digits(4)}`))
    }
    const attestation = makeAttestation(random, number)
    attestations.push(attestation)
    return log(
      simulatedTopics.attestationMade,
      word(attestations.length) + word(64) + tail(utf8Digits(attestation.indexingKey)),
    )
  }

  /** An attestation that may be revoked, by a few random tries: a search would make long chains slow. */
  function findRevocable(random: Random): { id: number; attestation: TrueAttestation } | null {
    for (let attempt = 0; attempt < 8 && attestations.length > 0; attempt++) {
      const id = random.integer(1, attestations.length)
      const attestation = attestations[id - 1]
      if (attestation?.revocation !== null || attestation.bornRevokedAt !== null) continue
      if (schemas[attestation.schemaId - 1]?.revocable === true) {
        return { id, attestation }
      }
    }
    return null
  }

  function makeSchema(random: Random, number: number, id: number): TrueSchema {
    const name = random.pick(['KYC passed', 'Release audit', '学位证书', 'שם', 'Attendance']) + ` ${id}`
    const fields = [
      { name: 'subject', type: 'string' },
      { name: 'score', type: 'uint256' },
    ]
    return {
      block: number,
      registrant: accountOf(random.integer(0, 5)),
      revocable: random.chance(0.8),
      maxValidFor: random.chance(0.1) ? 2n ** 64n - 1n : BigInt(random.integer(0, 3) * 86_400),
      name,
      data: random.chance(0.9)
        ? JSON.stringify({ name, description: `made in block ${number}`, data: fields })
        : `free text ${id}`,
    }
  }

  function makeAttestation(random: Random, number: number): TrueAttestation {
    const time = timestampOf(number)
    const recipient = (): string => {
      const account = accountOf(random.integer(1, recipientAccounts))
      return random.pick([
        word(account),
        encodeString(`0x${account}`),
        encodeString(`did:key:z${random.integer(1, 9)}`),
        account,
        random.digits(random.integer(1, 40)),
        encodeString(''),
      ])
    }
    return {
      block: number,
      schemaId: random.integer(1, schemas.length),
      linkedAttestationId:
        attestations.length > 0 && random.chance(0.1) ? random.integer(1, attestations.length) : 0,
      attester: accountOf(random.integer(0, 8)),
      validUntil: random.pick([0n, 2n ** 64n - 1n, BigInt(genesisTimestamp + random.integer(0, 10 ** 6))]),
      indexingKey: random.pick([
        '',
        `key-${random.integer(1, 9)}`,
        `0x${accountOf(random.integer(0, 9))}`,
        'ключ',
      ]),
      recipients: Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, recipient),
      data: random.digits(random.integer(0, 80)),
      bornRevokedAt: random.chance(0.05)
        ? random.pick([0, 1, time, time + blockTime, time + 50 * blockTime, time + 10 ** 9])
        : null,
      revocation: null,
    }
  }

  function accountOf(index: number): string {
    return createRandom(mixSeeds(seed, 0xacc, index)).digits(20)
  }

  function reorganise(depth: number, length: number): void {
    const fromBlock = head - depth + 1
    if (fromBlock < 1) throw new RangeError(`a chain of ${head} blocks cannot lose ${depth}`)
    head = fromBlock - 1
    while ((eventBlocks.at(-1)?.number ?? -1) >= fromBlock) eventBlocks.pop()
    while ((schemas.at(-1)?.block ?? -1) >= fromBlock) schemas.pop()
    while ((attestations.at(-1)?.block ?? -1) >= fromBlock) attestations.pop()
    while ((anchors.at(-1) ?? -1) >= fromBlock) anchors.pop()
    for (const attestation of attestations) {
      if ((attestation.revocation?.block ?? -1) >= fromBlock) attestation.revocation = null
    }
    while ((forks.at(-1)?.fromBlock ?? -1) >= fromBlock) forks.pop()
    forks.push({ fromBlock, fork: forkCount++ })
    mine(length)
  }

  function logs(fromBlock: number, toBlock: number): readonly SimulatedLog[] {
    let low = 0
    let high = eventBlocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((eventBlocks[middle]?.number ?? 0) < fromBlock) low = middle + 1
      else high = middle
    }
    const found: SimulatedLog[] = []
    for (let i = low; i < eventBlocks.length; i++) {
      const entry = eventBlocks[i]
      if (entry === undefined || entry.number > toBlock) break
      found.push(...entry.logs)
    }
    return found
  }

  function read(selector: string, id: bigint, atBlock: number): string {
    const index = Number(id) - 1
    if (selector === simulatedSelectors.getSchema) {
      const schema = schemas[index]
      if (schema === undefined || schema.block > atBlock) return encodeSchema(zeroSchema)
      return encodeSchema({
        registrant: schema.registrant,
        revocable: schema.revocable,
        dataLocation: 0,
        maxValidFor: schema.maxValidFor,
        hook: '',
        timestamp: timestampOf(schema.block),
        data: schema.data,
      })
    }
    const attestation = attestations[index]
    if (attestation === undefined || attestation.block > atBlock) return encodeAttestation(zeroAttestation)
    const { revocation, bornRevokedAt } = attestation
    const revoked = bornRevokedAt !== null || (revocation !== null && revocation.block <= atBlock)
    const revokedAt = bornRevokedAt ?? (revocation === null || !revoked ? 0 : timestampOf(revocation.block))
    return encodeAttestation({
      ...attestation,
      attestTimestamp: timestampOf(attestation.block),
      revokeTimestamp: revokedAt,
      dataLocation: 0,
      revoked,
    })
  }

  return {
    chainId,
    contract,
    truth: {
      schemas,
      attestations,
      get anchors() {
        return anchors.length
      },
    },
    head: () => head,
    mine,
    reorganise,
    block,
    blockByHash: (hash) => {
      for (let number = head; number >= Math.max(0, head - 300); number--) {
        if (hashOf(number) === hash) return block(number)
      }
      return null
    },
    logs,
    read,
  }
}

const zeroSchema = {
  registrant: '',
  revocable: false,
  dataLocation: 0,
  maxValidFor: 0n,
  hook: '',
  timestamp: 0,
  data: '',
}

const zeroAttestation = {
  schemaId: 0,
  linkedAttestationId: 0,
  attestTimestamp: 0,
  revokeTimestamp: 0,
  attester: '',
  validUntil: 0n,
  dataLocation: 0,
  revoked: false,
  recipients: [],
  data: '',
}
