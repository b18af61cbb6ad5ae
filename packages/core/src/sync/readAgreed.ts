import { isDeepStrictEqual } from 'node:util'
import type { ChainClient, ReadBlock } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { Clock } from '../model/clock.ts'
import { findMajority } from '../model/findMajority.ts'
import type { ContractRead, ReadResult } from '../protocols/protocolAdapter.ts'

/** The read of a record. */
export interface RecordRead {
  readonly read: ContractRead
  /** The subject of the read in messages, such as `a record of block 5`. */
  readonly about: string
  /** The record that an answer stands for; null: the node did not know the record. */
  readonly decode: (result: ReadResult) => unknown
}

/** Reads of records of which two endpoints say different things, before the chain waits: some five seconds. */
const attemptsMax = 5
/** Delay before the next attempt, times the attempts so far, in milliseconds. */
const delayMs = 500

/**
 * Reads records as two endpoints agree on them, where two answer: nothing in a record proves that the record is true.
 * Endpoints may differ for a moment, because a revocation changes a record and one endpoint is behind: such records are
 * read again. Endpoints that keep to another record than the majority are quarantined. `onUnseconded` is called if
 * only one endpoint answers a read.
 * @throws InconsistentChainError, retryable, if endpoints keep to different records.
 */
export async function readAgreed(
  { client, clock }: { readonly client: ChainClient; readonly clock: Clock },
  reads: readonly RecordRead[],
  at: ReadBlock,
  signal: AbortSignal,
  onUnseconded: () => void = () => undefined,
): Promise<readonly ReadResult[]> {
  if (client.isAlone()) {
    onUnseconded()
    const calls = reads.map(({ read }) => read)
    return await client.readContracts(calls, at, signal)
  }
  const results: ReadResult[] = []
  let pending = [...reads.entries()]
  for (let attempt = 1; ; attempt++) {
    const answers = await client.readContractsTwice(
      pending.map(([, { read }]) => read),
      at,
      signal,
    )
    pending = pending.filter(([index, { decode }], order) => {
      const answer = answers[order]
      if (answer === undefined) throw new RangeError(`no answer to read ${index}`)
      results[index] = answer.result
      if (answer.second === null) onUnseconded()
      return answer.second !== null && !isSame(answer.result, answer.second, decode)
    })
    const [[, first] = []] = pending
    if (first === undefined) return results
    let told: readonly ToldRecord[] = []
    do {
      if (attempt === attemptsMax) throw blame(client, first, told)
      await clock.sleep(delayMs * attempt, signal)
      attempt += 1
      told = await askEverywhere(client, first, at, signal)
    } while (told.length > 1)
  }
}

/** How far behind the head a block is that every endpoint has, at most, in blocks; also pruned nodes have its state. */
const settledDepthMax = 96

/**
 * Reads contracts in the same way, by the bytes that they return. Reverts are the same whatever data they have, since
 * nodes differ in that. Endpoints may differ honestly about the newest state: such reads are made at a block that all
 * of them have.
 * @throws InconsistentChainError, retryable, if endpoints keep to different answers.
 */
export async function readByTwo(
  source: { readonly client: ChainClient; readonly clock: Clock; readonly finality: number },
  reads: readonly ContractRead[],
  at: ReadBlock,
  signal: AbortSignal,
  onUnseconded: () => void = () => undefined,
): Promise<readonly ReadResult[]> {
  const { client, finality } = source
  const decode = ({ kind, data }: ReadResult) => (kind === 'returned' ? data : kind)
  const agreed = (asked: readonly ContractRead[], block: ReadBlock) => {
    const records = asked.map((read) => ({ read, about: `the contract ${read.to}`, decode }))
    return readAgreed(source, records, block, signal, onUnseconded)
  }
  if (client.isAlone() || at.kind === 'blockHash') return agreed(reads, at)
  const answers = await client.readContractsTwice(reads, at, signal)
  if (answers.some(({ second }) => second === null)) onUnseconded()
  const results = answers.map(({ result }) => result)
  const differing = answers.flatMap(({ result, second }, index) =>
    second === null || isSame(result, second, decode) ? [] : [index],
  )
  if (differing.length === 0) return results
  const { number } = await client.fetchHead(signal)
  const settled = Math.max(0, number - Math.min(finality, settledDepthMax))
  const { hash } = await client.fetchAgreedHeader(settled, null, signal)
  const again = await agreed(
    differing.flatMap((index) => reads[index] ?? []),
    { kind: 'blockHash', hash },
  )
  for (const [order, result] of again.entries()) results[differing[order] ?? 0] = result
  return results
}

/** Whether two answers say the same of a record. A node that does not know the record says nothing of it. */
function isSame(first: ReadResult, second: ReadResult, decode: RecordRead['decode']): boolean {
  if (first.kind === second.kind && first.data === second.data) return true
  const [one, other] = [decode(first), decode(second)]
  return one === null || other === null || isDeepStrictEqual(one, other)
}

/** A record, and the endpoints that give it. */
interface ToldRecord {
  readonly record: unknown
  readonly hosts: string[]
}

/** The record as each endpoint gives it, without endpoints that do not know it. */
async function askEverywhere(
  client: ChainClient,
  { read, decode }: RecordRead,
  at: ReadBlock,
  signal: AbortSignal,
): Promise<readonly ToldRecord[]> {
  const told: ToldRecord[] = []
  for (const { host, result } of await client.readEverywhere(read, at, signal)) {
    const record = decode(result)
    if (record === null) continue
    const same = told.find((each) => isDeepStrictEqual(each.record, record))
    if (same === undefined) told.push({ record, hosts: [host] })
    else same.hosts.push(host)
  }
  return told
}

/** Quarantines the endpoints that the majority contradicts. */
function blame(
  client: ChainClient,
  { about }: RecordRead,
  told: readonly ToldRecord[],
): InconsistentChainError {
  const facts = { hosts: told.map(({ hosts }) => hosts.join(' ')) }
  const truthful = findMajority(told.map(({ hosts }) => hosts))
  if (truthful === undefined || told.length < 2) {
    const against = told.length < 2 ? '' : `: ${facts.hosts.join(' against ')}`
    return new InconsistentChainError(
      `the endpoints disagree about ${about}${against}; only one more endpoint can tell who is right`,
      { retryable: true, facts },
    )
  }
  for (const { hosts } of told) {
    if (hosts === truthful) continue
    for (const host of hosts) {
      client.quarantine(host, `says something else about ${about} than ${truthful.join(', ')}`)
    }
  }
  return new InconsistentChainError(`an endpoint gave an untrue answer about ${about}`, {
    retryable: true,
    facts,
  })
}
