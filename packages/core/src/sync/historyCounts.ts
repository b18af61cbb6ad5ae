import type { BlockRef } from '../model/chainState.ts'
import type { LocalId } from '../model/compositeId.ts'
import type { Address } from '../model/hex.ts'
import { nounOf, type ContractRead, type ReadResult, type RecordKind } from '../protocols/protocolAdapter.ts'
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

/** Counts that are compared with the contract at a time, and subjects whose accounts are asked for beside them. */
const countsMax = 2_000
const subjectsMax = 500

/** The index whose records are counted. `random`: uniform in [0, 1). */
interface CountedIndex {
  readonly held: Pick<IndexWriter, 'listSubjectCounts'>
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
  index: CountedIndex,
): Promise<CountVerdict> {
  const { indexed, counters } = counted
  const { subjects } = counters
  let sum = 0
  for (const what of counters.kinds) {
    const noun = nounOf(counters, what)
    const next = await findNextId(counted, what, read)
    if (next === null) return unknown(`the contract does not tell how many ${noun}s it has`)
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
        return doubtful(`the index has no ${noun}s, and the contract has made some`)
      continue
    }
    const expected = nextNumber - counters.numberOf(first)
    if (BigInt(count + unreadable) < expected) {
      const text = `${expected - BigInt(count + unreadable)} of ${expected} ${noun}s of the ${indexed.deployment.protocol} contract ${indexed.deployment.address}`
      // The numbers of other contracts are followed log by log, and a gap in them is a defect already.
      return counters.searched === null ? doubtful(`the index lacks ${text}`) : { kind: 'short', text }
    }
    sum += count
    if (what !== 'subject' || subjects === null) continue
    if (counters.numberOf(first) > 0n) return doubtful(`the index begins after the first ${noun}`)
    const given = await countAboutSubjects(counted, records, read, nextNumber, index)
    if (given.kind !== 'counted') return given
    sum += given.records
  }
  return { kind: 'counted', records: sum }
}

/** Compares the records of accounts about subjects with the numbers of the contract. */
async function countAboutSubjects(
  { indexed: { deployment }, counters }: CountedDeployment,
  records: HeldRecords,
  read: ReadAll,
  subjectCount: bigint,
  { held, chainId, random }: CountedIndex,
): Promise<CountVerdict> {
  const { subjects, searched } = counters
  const counting = subjects?.contractOf(deployment)
  if (subjects === null || searched === null || counting === undefined) return { kind: 'counted', records: 0 }
  if (records.undecodable.some(({ contract }) => contract === counting))
    return unknown(`some logs of the ${subjects.contractNoun} cannot be read`)
  const total = Number(subjectCount)
  const idAt = (number: number) => counters.idAt(BigInt(number), searched.firstId)
  const start = idAt(Math.floor(random() * total))
  const list = (from: LocalId) => held.listSubjectCounts(chainId, deployment.protocol, from, countsMax)
  const fromStart = await list(start)
  const rows = fromStart.length < countsMax ? await list(searched.firstId) : fromStart
  const isCut = rows.length === countsMax
  const last = rows.at(-1)?.subject
  const whole = isCut ? rows.filter(({ subject }) => subject !== last) : rows
  const drawn =
    total <= subjectsMax
      ? Array.from({ length: total }, (_, number) => idAt(number))
      : Array.from({ length: subjectsMax }, () => idAt(Math.floor(random() * total)))
  const heldSubjects = new Set(whole.map(({ subject }) => subject))
  // The index may have records about subjects that were drawn and not listed: only listed rows can be compared.
  const compared = isCut ? [...heldSubjects] : [...new Set([...heldSubjects, ...drawn])]
  const heldCounts = new Map(whole.map(({ subject, account, count }) => [`${subject} ${account}`, count]))
  const pairs = new Map<string, { readonly subject: LocalId; readonly account: Address }>()
  for (const { subject, account } of whole) pairs.set(`${subject} ${account}`, { subject, account })
  const lists = await read(compared.flatMap((subject) => subjects.planAccounts(deployment, subject) ?? []))
  for (const [index, subject] of compared.entries()) {
    const result = lists[index]
    const accounts = result === undefined ? null : subjects.decodeAccounts(result)
    for (const account of accounts ?? []) pairs.set(`${subject} ${account}`, { subject, account })
  }
  const asked = [...pairs.values()]
  const results = await read(
    asked.flatMap(({ subject, account }) => subjects.planLast(deployment, subject, account) ?? []),
  )
  let sum = 0
  for (const [index, { subject, account }] of asked.entries()) {
    const result = results[index]
    const made = result === undefined ? null : subjects.decodeLast(result)
    const { noun, recordNoun, contractNoun } = subjects
    if (made === null) return unknown(`the ${contractNoun} does not tell the numbers of ${recordNoun}`)
    const count = heldCounts.get(`${subject} ${account}`) ?? 0
    if (BigInt(count) < made) {
      const text = `${made - BigInt(count)} of ${made} entries of ${recordNoun} by ${account} for ${noun} ${BigInt(subject)} of the contract ${counting}`
      return { kind: 'short', text }
    }
    sum += count
  }
  return { kind: 'counted', records: sum }
}

function heldOf(
  { protocols, subjects }: HeldRecords,
  protocol: string,
  what: RecordKind,
): { readonly count: number; readonly first: LocalId | null } {
  const isOfProtocol = (each: { readonly protocol: string }) => each.protocol === protocol
  const held = what === 'subject' ? subjects.find(isOfProtocol) : protocols.find(isOfProtocol)?.[what]
  return held ?? { count: 0, first: null }
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
