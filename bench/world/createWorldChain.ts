import { hash } from 'node:crypto'
import {
  agentChangeBody,
  agentProtocol,
  agentSubject,
  feedbackSchemaId,
  formatAgentId,
  type AgentChangeKind,
} from '@attestry/core/model/agents.ts'
import { formatCompositeId, localIdOfCounter, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import { eventPosition, type Position } from '@attestry/core/model/position.ts'
import type { Attestation, Recipient, Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { knownDeployments } from '@attestry/core/protocols/deployments.ts'
import { parseSchemaString } from '@attestry/core/protocols/eas/parseSchemaString.ts'
import { builtInDefinition } from '@attestry/core/protocols/erc8004/builtInSchemas.ts'
import { tail, utf8Digits, word } from '@attestry/test/simulator/abiWords.ts'
import { createRandom, mixSeeds, type Random } from '@attestry/test/simulator/random.ts'
import {
  agentMetadataShare,
  agentTransferShare,
  forms,
  frequentShare,
  frequentWord,
  historyDays,
  recordsPerRecipient,
  revocationDelayDays,
  worldAttestations,
  worldEnd,
  type ChainShape,
  type RecordShape,
  type ValueKind,
} from './shape.ts'

/** One chain of the world. Its history ends at block `lastBlock`; the blocks after that go on in the same way. */
export interface WorldChain {
  readonly chainId: number
  readonly contracts: readonly IndexedContract[]
  readonly lastBlock: number
  readonly attestations: number
  /** The kinds of attestations, to choose records of. Feedback is not among them. */
  readonly kinds: readonly WorldKind[]
  timestampOf(block: number): number
  /** The events of a block in their order. */
  eventsOf(block: number): readonly DomainEvent[]
}

/** Attestations of one `RecordShape`, numbered from 0 in their order. */
export interface WorldKind {
  readonly name: string
  readonly attestations: number
  readonly schemas: number
  /** The attester of most of them. */
  readonly firstAttester: Address
  attestation(number: number): Attestation
  /** The composite id of an attestation or schema. */
  attestationId(number: number): string
  schemaId(number: number): string
}

/** Items that a chain makes one after another. */
interface Flow {
  /** Number of items that are made up to the end of a block. */
  upTo(block: number): number
  /** The events of the item with this number; `position` gives each event the next position of its block. */
  make(number: number, at: Place): readonly DomainEvent[]
}

/** The places of items in the history of a chain. */
interface Spread extends Pick<Flow, 'upTo'> {
  /** The first block that may have an item. */
  readonly begin: number
  /** The block of the item with this number. */
  blockOf(number: number): number
}

interface Place {
  readonly timestamp: number
  position(): Position
}

/** Schemas and attesters of a small share: with fewer, its skew would be another one. */
const skewedMin = 20
/** Attestations in a block, on the average. */
const recordsPerBlock = 4

/** The chain of a shape, in the given share of its size. The same seed gives the same events on every machine. */
export function createWorldChain({ chainId, ...shape }: ChainShape, share: number, seed: number): WorldChain {
  /** A count in the share, `least` or more if the whole world has so many. */
  const part = (count: number, least = 1) => Math.max(Math.min(count, least), Math.round(count * share))
  const accounts = Math.ceil((worldAttestations * share) / recordsPerRecipient)
  const total = part(shape.feedback) + shape.records.reduce((sum, each) => sum + part(each.attestations), 0)
  const blocks = Math.ceil((total + part(shape.agents)) / recordsPerBlock)
  const blockSeconds = (historyDays * 86_400) / blocks
  const timestampOf = (block: number) => worldEnd - Math.round((blocks - 1 - block) * blockSeconds)
  const revocationDelay = Math.ceil((revocationDelayDays * 86_400) / blockSeconds)

  const digits = (kind: string, number: number) => hash('sha256', `${seed} ${chainId} ${kind} ${number}`)
  const hashOf = (kind: string, number: number) => `0x${digits(kind, number)}` as Hash
  const issuer = (kind: string, number: number) => `0x${digits(kind, number).slice(0, 40)}` as Address
  /** Recipients have accounts on many chains. The square makes some of them appear often. */
  const account = (random: Random) => accountOf(seed, Math.floor(accounts * random.next() ** 2))

  const contracts = [...new Set(shape.records.map(({ protocol }) => protocol as string))]
    .concat(shape.agents > 0 ? [agentProtocol] : [])
    .map((protocol) => contractOf(protocol, chainId))
  const { kinds, flows } = createKinds()
  const agentFlows = shape.agents > 0 ? createAgentFlows() : []

  /** Items spread evenly over a part of the history; those of the whole history go on after its end. */
  function spread(count: number, within?: readonly [number, number]): Spread {
    const [from, to] = within === undefined ? [0, blocks] : within.map((each) => Math.floor(each * blocks))
    const begin = from ?? 0
    const length = Math.max(1, (to ?? blocks) - begin)
    return {
      begin,
      upTo: (block) => {
        const passed = Math.max(0, block + 1 - begin)
        return Math.floor(((within === undefined ? passed : Math.min(passed, length)) * count) / length)
      },
      blockOf: (number) => begin + Math.ceil(((number + 1) * length) / count) - 1,
    }
  }

  function createKinds(): { readonly kinds: readonly WorldKind[]; readonly flows: readonly Flow[] } {
    const made = shape.records.map((record, place) => createKind(record, place))
    return { kinds: made.map(({ kind }) => kind), flows: made.flatMap((each) => each.flows) }
  }

  function createKind(
    record: RecordShape,
    place: number,
  ): { readonly kind: WorldKind; readonly flows: readonly Flow[] } {
    const { name, protocol, within } = record
    const attestations = part(record.attestations)
    const schemas = Math.min(part(record.schemas, skewedMin), attestations)
    const attesters = part(record.attesters, skewedMin)
    const { begin, upTo, blockOf } = spread(attestations, within)
    const others = spread(schemas - 1, within)
    const schemasUpTo = (block: number) => (block < begin ? 0 : 1 + others.upTo(block))
    const idOf = (kind: 'schema' | 'attestation', number: number): LocalId =>
      protocol === 'sign'
        ? localIdOfCounter(BigInt(number + 1))
        : protocol === 'verax' && kind === 'attestation'
          ? (`0x${(number + 1).toString(16).padStart(64, '0')}` as LocalId)
          : (hashOf(`${name} ${kind}`, number) as string as LocalId)
    const attester = (number: number) => issuer(`${name} attester`, number)
    const formOf = (schema: number) => forms[schema === 0 ? (record.firstForm ?? 0) : schema % forms.length]
    const isRevoked = (number: number) => mixSeeds(seed, chainId, place, 1, number) / 2 ** 32 < record.revoked

    function schemaEvents(number: number, { timestamp, position }: Place): DomainEvent[] {
      const at = position()
      const text = formOf(number)?.text ?? ''
      const fields = parseSchemaString(text)
      const title = `${titles[number % titles.length] ?? ''} ${number}`
      const description = `Says that the subject was checked by rule ${number % 1_000}`
      const schema: Schema = {
        key: { chainId, localId: idOf('schema', number) },
        position: at,
        transactionHash: hashOf('transaction', at),
        transactionSender: null,
        protocol,
        registrant: attester(number % attesters),
        registerTimestamp: unixSeconds(timestamp),
        revocable: true,
        maxValidFor: 0n,
        resolver: zeroAddress,
        dataLocation: 'ONCHAIN',
        definition:
          protocol === 'eas' ? { name: '', description: '', fields } : { name: title, description, fields },
        rawText:
          protocol === 'sign'
            ? JSON.stringify({ name: title, description, data: fields })
            : protocol === 'eas'
              ? text
              : `(${text})`,
        context: protocol === 'verax' ? 'https://schema.org/Person' : null,
      }
      return [{ kind: 'schemaRegistered', position: at, schema }]
    }

    function attestation(number: number, at: Position, timestamp: number): Attestation {
      const random = createRandom(mixSeeds(seed, chainId, place, number))
      const known = schemasUpTo(blockOf(number))
      const schema = random.chance(record.firstSchema) ? 0 : other(random, known)
      const by = random.chance(record.firstAttester) ? 0 : other(random, attesters)
      const recipient = account(random)
      return {
        key: { chainId, localId: idOf('attestation', number) },
        position: at,
        transactionHash: hashOf('transaction', at),
        transactionSender: null,
        protocol,
        schemaLocalId: idOf('schema', schema),
        attester: attester(by),
        attestTimestamp: unixSeconds(timestamp),
        recipients: recipientsOf(protocol, recipient),
        indexingValue: protocol === 'sign' && random.chance(0.5) ? `subject-${number}` : '',
        linkedAttestation:
          protocol !== 'verax' && number > 0 && random.chance(0.05)
            ? idOf('attestation', random.integer(0, number - 1))
            : null,
        validUntil: random.chance(record.expiring) ? BigInt(timestamp + record.termDays * 86_400) : 0n,
        revocable: protocol === 'eas' ? true : null,
        portal: protocol === 'verax' ? issuer(`${name} portal`, by % 12) : null,
        contractVersion: protocol === 'verax' ? 9 : null,
        subject: protocol === 'verax' ? (recipient as string as Hex) : null,
        data: payloadOf(formOf(schema)?.values ?? [], random),
        dataLocation: 'ONCHAIN',
        revocationAtRead: { kind: 'none' },
      }
    }

    const flows: Flow[] = [
      { upTo: schemasUpTo, make: schemaEvents },
      {
        upTo,
        make: (number, { position, timestamp }) => {
          const at = position()
          return [{ kind: 'attestationMade', position: at, attestation: attestation(number, at, timestamp) }]
        },
      },
      {
        upTo: (block) => upTo(block - revocationDelay),
        make: (number, { position, timestamp }) => {
          if (!isRevoked(number)) return []
          const at = position()
          const localId = idOf('attestation', number)
          return [
            {
              kind: 'attestationRevoked',
              position: at,
              protocol,
              localId,
              reason: '',
              timestamp: unixSeconds(timestamp),
              transactionHash: hashOf('transaction', at),
            },
          ]
        },
      },
    ]
    const kind: WorldKind = {
      name,
      attestations,
      schemas,
      firstAttester: attester(0),
      attestation: (number) => attestation(number, eventPosition(0, 0), timestampOf(blockOf(number))),
      attestationId: (number) => formatCompositeId({ chainId, localId: idOf('attestation', number) }),
      schemaId: (number) => formatCompositeId({ chainId, localId: idOf('schema', number) }),
    }
    return { kind, flows }
  }

  function createAgentFlows(): Flow[] {
    const agents = part(shape.agents)
    const registry = contractOf(agentProtocol, chainId).address
    // The first agent comes with the first block, before all feedback.
    const others = spread(agents - 1)
    const agentsUpTo = (block: number) => 1 + others.upTo(block)
    const owner = (number: number) => accountOf(seed, mixSeeds(seed, chainId, 3, number) % accounts)
    const changes = (salt: number, shareOf: number, changeOf: (number: number) => AgentChangeKind): Flow => ({
      upTo: (block) => (block < revocationDelay ? 0 : agentsUpTo(block - revocationDelay)),
      make: (number, place) =>
        mixSeeds(seed, chainId, salt, number) / 2 ** 32 < shareOf
          ? [changed(number, changeOf(number), place)]
          : [],
    })
    function changed(number: number, change: AgentChangeKind, { position, timestamp }: Place): DomainEvent {
      const at = position()
      const body = agentChangeBody({ ...change, timestamp, transactionHash: hashOf('transaction', at) })
      const subject = agentSubject(BigInt(number))
      return { kind: 'metadataSet', position: at, protocol: agentProtocol, of: 'agent', subject, body }
    }
    function feedbackEvents(number: number, known: number, { position, timestamp }: Place): DomainEvent[] {
      const at = position()
      const random = createRandom(mixSeeds(seed, chainId, 4, number))
      const client = account(random)
      const agent = agentSubject(BigInt(zipf(random, known)))
      const attestation: Attestation = {
        key: { chainId, localId: hashOf('feedback', number) as string as LocalId },
        position: at,
        transactionHash: hashOf('transaction', at),
        transactionSender: null,
        protocol: agentProtocol,
        schemaLocalId: feedbackSchemaId,
        attester: client,
        attestTimestamp: unixSeconds(timestamp),
        recipients: [{ kind: 'text', text: formatAgentId({ chainId, subject: agent }, registry) }],
        indexingValue: '',
        linkedAttestation: null,
        validUntil: 0n,
        revocable: true,
        portal: null,
        contractVersion: null,
        subject: null,
        data: encode([
          word(1),
          word(random.integer(0, 100)),
          word(0),
          { text: random.pick(['quality', 'uptime', 'starred', '']) },
          { text: '' },
          { text: `https://agent-${random.integer(0, 9_999)}.example/a2a` },
          { text: '' },
          word(0),
        ]),
        dataLocation: 'ONCHAIN',
        revocationAtRead: { kind: 'none' },
      }
      return [{ kind: 'attestationMade', position: at, attestation }]
    }
    const feedback = spread(part(shape.feedback))
    return [
      {
        upTo: agentsUpTo,
        make: (number, place) => {
          const uri = agentUri(createRandom(mixSeeds(seed, chainId, 5, number)), number)
          const events: DomainEvent[] = []
          if (number === 0) events.push(feedbackSchema(chainId, registry, place))
          events.push(changed(number, { change: 'registered', owner: owner(number), uri }, place))
          return events
        },
      },
      {
        upTo: feedback.upTo,
        make: (number, place) => feedbackEvents(number, agentsUpTo(feedback.blockOf(number)), place),
      },
      changes(6, agentMetadataShare, (number) => ({
        change: 'metadataSet',
        key: 'endpoint',
        value: `0x${utf8Digits(`https://agent-${number}.example`)}` as Hex,
      })),
      changes(7, agentTransferShare, (number) => ({
        change: 'transferred',
        from: owner(number),
        to: owner(number + 1),
      })),
    ]
  }

  return {
    chainId,
    contracts,
    lastBlock: blocks - 1,
    attestations: total,
    kinds,
    timestampOf,
    eventsOf: (block) => {
      let index = 0
      const place: Place = {
        timestamp: timestampOf(block),
        position: () => eventPosition(block, index++),
      }
      const events: DomainEvent[] = []
      for (const { upTo, make } of [...flows, ...agentFlows]) {
        const end = upTo(block)
        for (let number = block === 0 ? 0 : upTo(block - 1); number < end; number++) {
          events.push(...make(number, place))
        }
      }
      return events
    },
  }
}

/** An account that many chains share. */
function accountOf(seed: number, number: number): Address {
  return `0x${hash('sha256', `${seed} account ${number}`).slice(0, 40)}` as Address
}

/** The published contract of a protocol on a chain, indexed from the first block on. */
function contractOf(protocol: string, chainId: number): IndexedContract {
  const known = knownDeployments.find((each) => each.protocol === protocol && each.chainId === chainId)
  if (known === undefined) throw new Error(`${protocol} has no known deployment on chain ${chainId}`)
  return {
    protocol,
    address: known.contract,
    schemaRegistry: known.schemaRegistry,
    ...known.registries,
    startBlock: 0,
  }
}

const titles = ['KYC passed', 'Release audit', 'Attendance', '学位证书', 'Trust score', 'Contributor']

/** A number below `count`: the number n has a share of about 1 / (n + 1). */
function zipf(random: Random, count: number): number {
  return Math.min(count - 1, Math.floor((count + 1) ** random.next()) - 1)
}

/** A number from 1 on and below `count`, as skewed; 0 if there is no other. */
function other(random: Random, count: number): number {
  return count === 1 ? 0 : 1 + zipf(random, count - 1)
}

/** Verax allows any bytes as the subject; nearly all are accounts. */
function recipientsOf(protocol: RecordShape['protocol'], address: Address): readonly Recipient[] {
  const recipient: Recipient = { kind: 'address', address }
  return protocol === 'sign' && address.endsWith('0') ? [] : [recipient]
}

function payloadOf(values: readonly ValueKind[], random: Random): Hex {
  return encode(values.map((kind) => valueOf(kind, random)))
}

type Encoded = string | { readonly text: string }

function valueOf(kind: ValueKind, random: Random): Encoded {
  switch (kind) {
    case 'flag':
      return word(1)
    case 'small':
      return word(random.integer(0, 5))
    case 'large':
      return word(random.integer(1, 1_000_000))
    case 'hash':
      return hash('sha256', `word ${random.integer(1, 300)}`)
    case 'often':
      return { text: random.chance(frequentShare) ? frequentWord : `tier ${random.integer(1, 50)}` }
    case 'text':
      return { text: `user-${random.integer(1, 1_000_000)}-${'x'.repeat(random.integer(10, 45))}` }
    case 'json': {
      const length = Math.floor(100 * 40 ** (random.next() ** 2))
      return {
        text: JSON.stringify({
          slug: `project-${random.integer(1, 9_999)}`,
          text: 'lorem '.repeat(length / 6),
        }),
      }
    }
  }
}

/** `abi.encode` of words and strings. */
function encode(values: readonly Encoded[]): Hex {
  let heads = ''
  let tails = ''
  for (const value of values) {
    if (typeof value === 'string') heads += value
    else {
      heads += word(values.length * 32 + tails.length / 2)
      tails += tail(utf8Digits(value.text))
    }
  }
  return `0x${heads}${tails}` as Hex
}

/** A third of the agents keep their file on chain, as a data URI. */
function agentUri(random: Random, number: number): string {
  if (!random.chance(0.33)) return `ipfs://bafybei${hash('sha256', `agent ${number}`).slice(0, 52)}`
  const file = {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: `Agent ${number}`,
    description: 'Answers questions about markets, and does what it is asked for. '.repeat(
      random.integer(1, 6),
    ),
    endpoints: [{ name: 'MCP', endpoint: `https://agent-${number}.example/mcp`, version: '2025-06-18' }],
    active: random.chance(0.15),
  }
  return `data:application/json;base64,${Buffer.from(JSON.stringify(file)).toString('base64')}`
}

function feedbackSchema(chainId: number, registry: Address, { position, timestamp }: Place): DomainEvent {
  const at = position()
  const definition = builtInDefinition(feedbackSchemaId)
  return {
    kind: 'schemaRegistered',
    position: at,
    schema: {
      key: { chainId, localId: feedbackSchemaId },
      position: at,
      transactionHash: `0x${hash('sha256', `feedback schema ${chainId}`)}` as Hash,
      transactionSender: null,
      protocol: agentProtocol,
      registrant: registry,
      registerTimestamp: unixSeconds(timestamp),
      revocable: true,
      maxValidFor: 0n,
      resolver: zeroAddress,
      dataLocation: 'ONCHAIN',
      definition,
      rawText: definition.fields.map(({ name, type }) => `${type} ${name}`).join(', '),
      context: null,
    },
  }
}
