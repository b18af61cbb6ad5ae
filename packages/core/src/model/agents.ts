import { checksumAddress } from './checksumAddress.ts'
import { parseChainId, type ChainId, type LocalId } from './compositeId.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hash, type Hex } from './hex.ts'
import type { Attestation } from './records.ts'

/**
 * Agents of ERC-8004: records that change. The statements of a registry about an agent are kept as the agent's history.
 * Each event is a `MetadataSet` of the kind `agent`, and the newest state is a row of its own. Feedback and validations
 * are attestations about an agent.
 */

/** The name of the protocol whose records are about agents. */
export const agentProtocol = 'erc8004'

/** Keccak-256 of `ERC-8004 feedback` and of `ERC-8004 validation`: the ids of the two built-in schemas. */
export const feedbackSchemaId =
  '0x2a71496a4a2c0f5b3ceb854a957782c98fa99d636324fb8184011dfb383c9aa0' as LocalId
export const validationSchemaId =
  '0x17e9e88b756db823916315df45f95a30c46656d988822d3e0d573389d88c4ecd' as LocalId

/** The metadata key of an agent's wallet, which a transfer clears. */
export const walletKey = 'agentWallet'

/** An agent on its chain; a deployment has one registry of identities on a chain. */
export interface AgentKey {
  readonly chainId: ChainId
  /** The agent's number, a uint256, as a word of 32 bytes. */
  readonly subject: LocalId
}

/** The word of an agent's number. */
export function agentSubject(agentId: bigint): LocalId {
  return `0x${agentId.toString(16).padStart(64, '0')}` as LocalId
}

/** The agent's number, in decimal digits. */
export function agentNumber(subject: LocalId): string {
  return BigInt(subject).toString()
}

/** An agent's id: `eip155:<chainId>:<registry>/<agentId>`, the registry with its checksum. */
export function formatAgentId({ chainId, subject }: AgentKey, registry: Address): string {
  return `eip155:${chainId}:${checksumAddress(registry)}/${agentNumber(subject)}`
}

/** An agent's id as a request or record names it; `registry` is null in the short form `<chainId>:<agentId>`. */
export interface ParsedAgentId extends AgentKey {
  readonly registry: Address | null
}

const longForm = /^eip155:([0-9]+):(0x[0-9a-fA-F]{40})\/(0|[1-9][0-9]{0,77})$/
const shortForm = /^([0-9]+):(0|[1-9][0-9]{0,77})$/

/** Reads either form of an agent's id; null for any other text. */
export function parseAgentId(text: string): ParsedAgentId | null {
  const [, chain, registry, id] = longForm.exec(text) ?? []
  const [, shortChain, shortId] = shortForm.exec(text) ?? []
  const chainId = parseChainId(chain ?? shortChain ?? '')
  const number = BigInt(id ?? shortId ?? -1)
  if (chainId === null || number < 0n || number >= 2n ** 256n) return null
  return { chainId, subject: agentSubject(number), registry: parseAddress(registry ?? '') }
}

/** The agent that an attestation is about; null if it is about no agent. */
export function agentOf({
  protocol,
  recipients,
}: Pick<Attestation, 'protocol' | 'recipients'>): LocalId | null {
  const last = recipients.at(-1)
  if (protocol !== agentProtocol || last?.kind !== 'text') return null
  return parseAgentId(last.text)?.subject ?? null
}

/** The change of an agent by one event. */
export type AgentChange = AgentChangeKind & {
  /** Unix seconds of its block. */
  readonly timestamp: number
  readonly transactionHash: Hash
}

export type AgentChangeKind =
  | { readonly change: 'registered'; readonly owner: Address; readonly uri: string }
  | { readonly change: 'transferred'; readonly from: Address; readonly to: Address }
  | { readonly change: 'uriUpdated'; readonly uri: string; readonly by: Address }
  | { readonly change: 'metadataSet'; readonly key: string; readonly value: Hex }

/** The JSON body of a `MetadataSet` of the kind `agent`, whose subject is the word of the agent's number. */
export function agentChangeBody(change: AgentChange): string {
  return JSON.stringify(change)
}

/** A response to feedback, or a request for a validation: a child of an agent beside its attestations. */
export interface AgentNote {
  /** The word of the agent's number. */
  readonly agent: LocalId
  /** The responder, or the requested validator. */
  readonly account: Address
  /** The client of the feedback; null of a request. */
  readonly client: Address | null
  /** The index of the feedback in decimal digits; null of a request. */
  readonly feedbackIndex: string | null
  readonly uri: string
  /** The hash of the response, or of the request. */
  readonly hash: Hash
  readonly timestamp: number
  readonly transactionHash: Hash
}

/**
 * The JSON body of a `MetadataSet` of the kind `feedbackResponse`, whose subject is the local id of the feedback, or
 * `validationRequest`, whose subject is the hash of the request.
 */
export function agentNoteBody(note: AgentNote): string {
  return JSON.stringify(note)
}

/** Parses the body of a change; null if it is invalid, which an import may bring. */
export function parseAgentChange(body: string): AgentChange | null {
  const read = readObject(body)
  const timestamp = read.whole('timestamp')
  const transactionHash = parseHash(read.text('transactionHash') ?? '')
  const kind = readChangeKind(read)
  return kind === null || timestamp === null || transactionHash === null
    ? null
    : { ...kind, timestamp, transactionHash }
}

function readChangeKind(read: ReadObject): AgentChangeKind | null {
  const change = read.text('change')
  const address = (name: string) => parseAddress(read.text(name) ?? '')
  const [owner, from, to, by] = [address('owner'), address('from'), address('to'), address('by')]
  const [uri, key, value] = [read.text('uri'), read.text('key'), parseHex(read.text('value') ?? '')]
  if (change === 'registered' && owner !== null && uri !== null) return { change, owner, uri }
  if (change === 'transferred' && from !== null && to !== null) return { change, from, to }
  if (change === 'uriUpdated' && by !== null && uri !== null) return { change, uri, by }
  if (change === 'metadataSet' && key !== null && value !== null) return { change, key, value }
  return null
}

/** Parses the body of a note; null if it is invalid. */
export function parseAgentNote(body: string): AgentNote | null {
  const read = readObject(body)
  const agent = parseHash(read.text('agent') ?? '')
  const account = parseAddress(read.text('account') ?? '')
  const uri = read.text('uri')
  const hash = parseHash(read.text('hash') ?? '')
  const timestamp = read.whole('timestamp')
  const transactionHash = parseHash(read.text('transactionHash') ?? '')
  if (agent === null || account === null || uri === null || hash === null) return null
  if (timestamp === null || transactionHash === null) return null
  const client = parseAddress(read.text('client') ?? '')
  const feedbackIndex = read.text('feedbackIndex')
  return {
    agent: agent as string as LocalId,
    account,
    client,
    feedbackIndex,
    uri,
    hash,
    timestamp,
    transactionHash,
  }
}

interface ReadObject {
  text(name: string): string | null
  whole(name: string): number | null
}

function readObject(body: string): ReadObject {
  const parsed = parseJson(body)
  const members =
    typeof parsed === 'object' && parsed !== null
      ? new Map<string, unknown>(Object.entries(parsed))
      : new Map()
  return {
    text: (name) => {
      const value: unknown = members.get(name)
      return typeof value === 'string' ? value : null
    },
    whole: (name) => {
      const value: unknown = members.get(name)
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
