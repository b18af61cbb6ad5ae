import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import {
  agentNumber,
  agentProtocol,
  formatAgentId,
  type AgentKey,
  type ParsedAgentId,
} from '@attestry/core/model/agents.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { StoredAgent, StoredAgentMetadata } from './projection/agentQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { View } from '@attestry/server/pipeline/asOf/openView.ts'

/** The deployments of agents, by chain. */
export type AgentDirectory = ReadonlyMap<ChainId, IndexedContract>

export function readDirectory(reader: Pick<PastReader, 'listChains'>): Promise<AgentDirectory> {
  return readDeployments(reader, agentProtocol)
}

/** The deployments of a protocol, by chain. */
export async function readDeployments(
  reader: Pick<PastReader, 'listChains'>,
  protocol: string,
): Promise<ReadonlyMap<ChainId, IndexedContract>> {
  const chains = await reader.listChains()
  return new Map(
    chains.flatMap(({ status, contracts }) => {
      const deployment = contracts.find((each) => each.protocol === protocol)
      return deployment === undefined ? [] : [[status.chainId, deployment] as const]
    }),
  )
}

/** The id of an agent of an indexed chain. */
export function idOfAgent(directory: AgentDirectory, key: AgentKey): string {
  const registry = directory.get(key.chainId)?.address
  if (registry === undefined) throw new Error(`chain ${key.chainId} has no registry of agents`)
  return formatAgentId(key, registry)
}

export interface FoundAgent {
  readonly agent: StoredAgent
  /** The id, as records name it. */
  readonly id: string
}

/**
 * The agent that a path names, with its whole URI where `whole`.
 * @throws NotFoundError
 */
export async function findAgent(
  reader: PastReader,
  asked: ParsedAgentId,
  { past }: Pick<View, 'past'>,
  whole = false,
): Promise<FoundAgent> {
  const found = await findNamedAgent(reader, asked, whole)
  if (found !== null) return found
  const named = `${agentNumber(asked.subject)} of chain ${asked.chainId}`
  if (past !== null) throw new NotFoundError(`There was no agent ${named} as of ${past.text}.`)
  throw new NotFoundError(`No agent ${named} is indexed here; /scan/agents lists those that are.`)
}

/** The same; null if the agent is not indexed. */
export async function findNamedAgent(
  reader: PastReader,
  asked: ParsedAgentId,
  whole = false,
): Promise<FoundAgent | null> {
  const directory = await readDirectory(reader)
  const registry = directory.get(asked.chainId)?.address
  const isOther = asked.registry !== null && asked.registry !== registry
  const [agent] = registry === undefined || isOther ? [] : await readAgents(reader, asked, whole)
  if (registry === undefined || agent === undefined || agent === null) return null
  return { agent, id: formatAgentId(asked, registry) }
}

async function readAgents(
  reader: PastReader,
  asked: ParsedAgentId,
  whole: boolean,
): Promise<readonly (StoredAgent | null)[]> {
  try {
    return await reader.findAgents([asked], whole)
  } catch (error) {
    if (!(error instanceof StoreTooMuchWorkError)) throw error
    throw new BadParameterError(
      'This agent has more versions than one answer looks at; leave asOf out, or walk its history.',
      { cause: error },
    )
  }
}

/** Rows of agents hold this many characters of a URI at most. */
const uriWholeMax = 2_048

/** The URI of an agent whose row may have cut it. */
export async function readWholeUri(reader: PastReader, { key, uri }: StoredAgent): Promise<string> {
  if (uri.length < uriWholeMax) return uri
  const [whole] = await reader.findAgents([key], true)
  return whole?.uri ?? uri
}

/** Metadata keys of a single agent. */
export const metadataMax = 256

/** The newest metadata of an agent, `metadataMax` keys at most. */
export function listMetadata(
  reader: PastReader,
  { key: { chainId, subject } }: Pick<StoredAgent, 'key'>,
): Promise<readonly StoredAgentMetadata[]> {
  return reader.listAgentMetadata({ chainId, subjects: [subject], names: null }, -1, metadataMax)
}
