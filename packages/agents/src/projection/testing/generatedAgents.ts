import fc from 'fast-check'
import {
  agentChangeBody,
  agentNoteBody,
  agentProtocol,
  agentSubject,
  feedbackSchemaId,
  formatAgentId,
  validationSchemaId,
  walletKey,
  type AgentChangeKind,
} from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { eventPosition, type Position } from '@attestry/core/model/position.ts'
import type { Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import {
  addresses,
  blockTimestamp,
  hashOf,
  texts,
  type GeneratedBlock,
} from '@attestry/store/testing/generatedChain.ts'

/** One step of a life of agents; small numbers pick from small pools. */
export interface AgentStep {
  readonly kind: number
  readonly gap: number
  readonly agent: number
  readonly who: number
  readonly what: number
}

export const agentSteps = (maxLength: number): fc.Arbitrary<AgentStep[]> =>
  fc.array(
    fc.record({
      kind: fc.nat(11),
      gap: fc.nat(2),
      agent: fc.nat(4),
      who: fc.nat(5),
      what: fc.nat(99),
    }),
    { maxLength, size: 'max' },
  )

/** One agent that changes in every block: row ids of more and more digits, whose order as texts is another one. */
export const longAgentLife: AgentStep[] = Array.from({ length: 14 }, (_, what) => ({
  kind: what % 3,
  gap: 1,
  agent: 0,
  who: what % 6,
  what,
}))

export const registry = `0x80${'04'.repeat(19)}` as Address

/** Numbers of agents: the greatest one is among them. */
const agentIds = [0n, 1n, 2n, 2n ** 127n + 1n, 2n ** 256n - 1n]

export const subjectAt = (index: number): LocalId => agentSubject(agentIds[index % agentIds.length] ?? 0n)

const uris = [
  '',
  'ipfs://bafkrei',
  `data:application/json;base64,${Buffer.from('{"name":"Ada","active":true,"supportedTrust":["reputation","tee"],"services":[{"name":"MCP","endpoint":"https://a.example"}]}').toString('base64')}`,
  'data:application/json,{"name":"Bob \\u0000 nul","description":"lone \\ud800","active":false}',
  'data:application/json;base64,!!!',
  '{"name":"Carl","active":true}',
  `https://agent.example/${'x'.repeat(5_000)}`,
]

/**
 * Blocks of a life of agents on top of `parent`: events in any order, before registrations too, revocations of feedback
 * that is not there, several events of an agent in one block. The first registration stands for that of a schema, as
 * that of the first agent does.
 */
export function generateAgentBlocks(
  chainId: ChainId,
  parent: readonly GeneratedBlock[],
  life: readonly AgentStep[],
  salt: string,
): GeneratedBlock[] {
  const blocks: GeneratedBlock[] = []
  let events: DomainEvent[] = []
  let number = parent.length
  const counts = new Map<string, number>()
  for (const { event } of parent.flatMap((block) => block.events.map((event) => ({ event })))) {
    if (event.kind !== 'attestationMade') continue
    counts.set('made', (counts.get('made') ?? 0) + 1)
  }
  let hasSchema = parent.some(({ events: of }) => of.some(({ kind }) => kind === 'schemaRegistered'))
  const seal = () => {
    const parentHash = blocks.at(-1)?.hash ?? parent.at(-1)?.hash ?? hashOf('genesis')
    const hash = hashOf(`${chainId} ${number} ${salt} ${parentHash}`)
    blocks.push({ number, hash, parentHash, timestamp: unixSeconds(blockTimestamp(number)), events })
    number += 1
    events = []
  }
  for (const step of life) {
    for (let gap = 0; gap < step.gap; gap++) seal()
    const made = counts.get('made') ?? 0
    const event = eventOf(chainId, step, number, events.length, made, salt)
    if (event.kind === 'attestationMade') counts.set('made', made + 1)
    if (step.kind === 0 && !hasSchema) {
      hasSchema = true
      events.push(validationSchemaAt(chainId, event.position, number))
    }
    events.push(event)
  }
  seal()
  return blocks
}

function validationSchemaAt(chainId: ChainId, position: Position, block: number): DomainEvent {
  const schema: Schema = {
    key: { chainId, localId: validationSchemaId },
    protocol: agentProtocol,
    position,
    transactionHash: hashOf(`transaction ${chainId} ${block}`),
    transactionSender: null,
    registrant: registry,
    registerTimestamp: unixSeconds(blockTimestamp(block)),
    revocable: false,
    maxValidFor: 0n,
    resolver: zeroAddress,
    dataLocation: 'ONCHAIN',
    definition: { name: 'Validation', description: '', fields: [] },
    rawText: '',
    context: null,
  }
  return { kind: 'schemaRegistered', position, schema }
}

function eventOf(
  chainId: ChainId,
  { kind, agent, who, what }: AgentStep,
  block: number,
  index: number,
  made: number,
  salt: string,
): DomainEvent {
  const position = eventPosition(block, index)
  const subject = subjectAt(agent)
  const timestamp = unixSeconds(blockTimestamp(block))
  const transactionHash = hashOf(`transaction ${chainId} ${block} ${salt}`)
  const change = (said: AgentChangeKind): DomainEvent => ({
    kind: 'metadataSet',
    position,
    protocol: agentProtocol,
    of: 'agent',
    subject,
    body: agentChangeBody({ ...said, timestamp, transactionHash }),
  })
  switch (kind) {
    case 0:
      return change({ change: 'registered', owner: addressAt(who), uri: uriAt(what) })
    case 1:
      return change({ change: 'transferred', from: addressAt(what), to: addressAt(who) })
    case 2:
      return change({ change: 'uriUpdated', uri: uriAt(what), by: addressAt(who) })
    case 3:
      return change({ change: 'metadataSet', key: walletKey, value: walletAt(what) })
    case 4:
      return change({ change: 'metadataSet', key: texts[what % texts.length] ?? '', value: '0xab' as Hex })
    case 5:
      return {
        kind: 'attestationRevoked',
        position,
        protocol: agentProtocol,
        localId: feedbackAt(what % (made + 2)),
        reason: '',
        timestamp,
        transactionHash,
      }
    case 6:
    case 7: {
      const isResponse = kind === 6
      return {
        kind: 'metadataSet',
        position,
        protocol: agentProtocol,
        of: isResponse ? 'feedbackResponse' : 'validationRequest',
        subject: feedbackAt(what % (made + 2)),
        body: agentNoteBody({
          agent: subject,
          account: addressAt(who),
          client: isResponse ? addressAt(what) : null,
          feedbackIndex: isResponse ? '1' : null,
          uri: uriAt(what),
          hash: hashOf('response'),
          timestamp,
          transactionHash,
        }),
      }
    }
    default: {
      const isFeedback = kind < 11
      return {
        kind: 'attestationMade',
        position,
        attestation: {
          key: { chainId, localId: feedbackAt(made) },
          position,
          transactionHash,
          transactionSender: null,
          // The id of an agent in another place says nothing about the agent.
          protocol: kind === 10 ? 'sign' : agentProtocol,
          schemaLocalId: isFeedback ? feedbackSchemaId : validationSchemaId,
          attester: addressAt(who),
          attestTimestamp: timestamp,
          recipients: [{ kind: 'text', text: formatAgentId({ chainId, subject }, registry) }],
          indexingValue: isFeedback ? '' : hashOf('request'),
          linkedAttestation: null,
          validUntil: 0n,
          revocable: isFeedback,
          portal: null,
          contractVersion: null,
          subject: null,
          data: '0x' as Hex,
          dataLocation: 'ONCHAIN',
          revocationAtRead: { kind: 'none' },
        },
      }
    }
  }
}

export function feedbackAt(index: number): LocalId {
  return hashOf(`feedback ${index}`) as string as LocalId
}

function addressAt(index: number): Address {
  return addresses[index % addresses.length] ?? zeroAddress
}

function uriAt(index: number): string {
  return uris[index % uris.length] ?? ''
}

function walletAt(index: number): Hex {
  const address = addressAt(index) as string as Hash
  const words = [
    '0x',
    address,
    `0x${'0'.repeat(24)}${address.slice(2)}`,
    `${address}00`,
    '0x' + '0'.repeat(40),
  ]
  return (words[index % words.length] ?? '0x') as Hex
}
