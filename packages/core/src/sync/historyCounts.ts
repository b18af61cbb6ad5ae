import type { BlockRef } from '../model/chainState.ts'
import type { LocalId } from '../model/compositeId.ts'
import type { Address } from '../model/hex.ts'
import type { ContractRead, ReadResult, RecordKind } from '../protocols/protocolAdapter.ts'
import type { HeldRecords, IndexWriter } from '../index/indexWriter.ts'
import type { EventSource } from './fetchEvents.ts'
import { countedDeployments, findNextId, readUnlessRefused, type CountedDeployment } from './tallyLogs.ts'

/**
 * The result of counting a contract's records in the index. `unknown`: nothing, for a reason. `doubtful`: the index
 * lacks records, for the reason given. `short`: it lacks records that are to be searched for.
 */
export type CountVerdict =
  | { readonly kind: 'counted'; readonly records: number }
  | { readonly kind: 'unknown' | 'doubtful'; readonly reason: string }
  | { readonly kind: 'short'; readonly text: string }

/** Rows of feedback that are compared with the contract at a time, and agents whose clients are asked for beside them. */
const reviewersMax = 2_000
const agentsMax = 500

/** The index whose records are counted. `random`: uniform in [0, 1). */
interface CountedIndex {
  readonly held: Pick<IndexWriter, 'listReviewers'>
  readonly chainId: number
  readonly random: () => number
}

/**
 * Compares the records of the index with the counters of their contracts in the state of the checkpoint `tip`.
 */
export async function countHistory(
  source: EventSource,
  records: HeldRecords,
  { held, chainId, tip, random }: CountedIndex & { readonly tip: BlockRef },
  signal: AbortSignal,
): Promise<ReadonlyMap<CountedDeployment['indexed'], CountVerdict>> {
  const verdicts = new Map<CountedDeployment['indexed'], CountVerdict>()
  const counted = countedDeployments(source)
  if (counted.length === 0) return verdicts
  const read = (reads: readonly ContractRead[]) =>
    readUnlessRefused(source, reads, signal, { kind: 'blockHash', hash: tip.hash })
  for (const each of counted) {
    verdicts.set(each.indexed, await countDeployment(each, records, read, { held, chainId, random }))
  }
  return verdicts
}

type ReadAll = (reads: readonly ContractRead[]) => Promise<readonly ReadResult[]>

async function countDeployment(
  counted: CountedDeployment,
  records: HeldRecords,
  read: ReadAll,
  feedback: CountedIndex,
): Promise<CountVerdict> {
  const { indexed, counters } = counted
  let sum = 0
  for (const what of counters.kinds) {
    const next = await findNextId(counted, what, read)
    if (next === null) return unknown(`the contract does not tell how many ${what}s it has`)
    const nextNumber = counters.numberOf(next)
    const { count, first } = heldOf(records, indexed.deployment.protocol, what)
    const unreadable = records.undecodable.filter(
      ({ contract, topics }) =>
        indexed.adapter.contractsOf(indexed.deployment).includes(contract) &&
        counters.announces({ topics }) === what,
    ).length
    if (first === null) {
      // Nothing tells the first number of a contract whose records are all missing.
      if (nextNumber > (counters.searched === null ? 1n : counters.numberOf(counters.searched.firstId)))
        return doubtful(`the index has no ${what}s, and the contract has made some`)
      continue
    }
    const expected = nextNumber - counters.numberOf(first)
    if (BigInt(count + unreadable) < expected) {
      const text = `${expected - BigInt(count + unreadable)} of ${expected} ${what}s of the ${indexed.deployment.protocol} contract ${indexed.deployment.address}`
      // The numbers of other contracts are followed log by log, and a gap in them is a defect already.
      return counters.searched === null ? doubtful(`the index lacks ${text}`) : { kind: 'short', text }
    }
    sum += count
    if (what !== 'agent' || counters.feedback === null) continue
    if (counters.numberOf(first) > 0n) return doubtful('the index begins after the first agent')
    const given = await countFeedback(counted, records, read, nextNumber, feedback)
    if (given.kind !== 'counted') return given
    sum += given.records
  }
  return { kind: 'counted', records: sum }
}

/** Compares the feedback of clients for agents with the numbers of the contract. */
async function countFeedback(
  { indexed: { deployment }, counters }: CountedDeployment,
  records: HeldRecords,
  read: ReadAll,
  agentCount: bigint,
  { held, chainId, random }: CountedIndex,
): Promise<CountVerdict> {
  const { feedback, searched } = counters
  if (feedback === null || searched === null || deployment.reputationRegistry === undefined)
    return { kind: 'counted', records: 0 }
  if (records.undecodable.some(({ contract }) => contract === deployment.reputationRegistry))
    return unknown('some logs of the registry of reputation cannot be read')
  const total = Number(agentCount)
  const idAt = (number: number) => counters.idAt(BigInt(number), searched.firstId)
  const start = idAt(Math.floor(random() * total))
  const fromStart = await held.listReviewers(chainId, start, reviewersMax)
  const rows =
    fromStart.length < reviewersMax
      ? await held.listReviewers(chainId, searched.firstId, reviewersMax)
      : fromStart
  const isCut = rows.length === reviewersMax
  const lastAgent = rows.at(-1)?.agent
  const whole = isCut ? rows.filter(({ agent }) => agent !== lastAgent) : rows
  const drawn =
    total <= agentsMax
      ? Array.from({ length: total }, (_, number) => idAt(number))
      : Array.from({ length: agentsMax }, () => idAt(Math.floor(random() * total)))
  const heldAgents = new Set(whole.map(({ agent }) => agent))
  // The index may have feedback for agents that were drawn and not listed: only their listed rows can be compared.
  const agents = isCut ? [...heldAgents] : [...new Set([...heldAgents, ...drawn])]
  const heldCounts = new Map(whole.map(({ agent, client, count }) => [`${agent} ${client}`, count]))
  const pairs = new Map<string, { readonly agent: LocalId; readonly client: Address }>()
  for (const { agent, client } of whole) pairs.set(`${agent} ${client}`, { agent, client })
  const clientReads = agents.flatMap((agent) => feedback.planClients(deployment, agent) ?? [])
  const lists = await read(clientReads)
  for (const [index, agent] of agents.entries()) {
    const result = lists[index]
    const clients = result === undefined ? null : feedback.decodeClients(result)
    for (const client of clients ?? []) pairs.set(`${agent} ${client}`, { agent, client })
  }
  const asked = [...pairs.values()]
  const results = await read(
    asked.flatMap(({ agent, client }) => feedback.planLast(deployment, agent, client) ?? []),
  )
  let sum = 0
  for (const [index, { agent, client }] of asked.entries()) {
    const result = results[index]
    const last = result === undefined ? null : feedback.decodeLast(result)
    if (last === null) return unknown('the registry of reputation does not tell the numbers of feedback')
    const count = heldCounts.get(`${agent} ${client}`) ?? 0
    if (BigInt(count) < last) {
      const text = `${last - BigInt(count)} of ${last} entries of feedback by ${client} for agent ${BigInt(agent)} of the contract ${deployment.reputationRegistry}`
      return { kind: 'short', text }
    }
    sum += count
  }
  return { kind: 'counted', records: sum }
}

function heldOf(
  { protocols, agents }: HeldRecords,
  protocol: string,
  what: RecordKind,
): { readonly count: number; readonly first: LocalId | null } {
  if (what === 'agent') return agents
  const counts = protocols.find((each) => each.protocol === protocol)
  return counts?.[what] ?? { count: 0, first: null }
}

function unknown(reason: string): CountVerdict {
  return { kind: 'unknown', reason }
}

function doubtful(reason: string): CountVerdict {
  return { kind: 'doubtful', reason }
}

/**
 * The reason to doubt a history whose events name records that the index lacks; null if it lacks none. A contract takes
 * no attestation of an unknown schema and no revocation of an unknown attestation. Logs that cannot be read may be
 * those of the records.
 */
export function findUnknown(
  { deployment: { protocol }, adapter }: CountedDeployment['indexed'],
  { unknown: named, undecodable }: Pick<HeldRecords, 'unknown' | 'undecodable'>,
  fromBlock: number,
): string | null {
  if (adapter.counters !== null) return null
  const counts = named.find((each) => each.protocol === protocol)
  const count = (counts?.schemas ?? 0) + (counts?.attestations ?? 0)
  if (counts === undefined || count <= undecodable.length) return null
  return `the events of the index, which begins at block ${fromBlock}, name ${counts.schemas} schemas and ${counts.attestations} attestations that it lacks`
}
