import type { ServerResponse } from 'node:http'
import { readUntilClosed } from '../effort/readUntilClosed.ts'
import { steadily } from './steadily.ts'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { unixMilliseconds, type UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type { AsOf, WantedRecord } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import type { AskedMoment } from './parseAsOf.ts'
import { resolveBlock, type ReadHeader, type ResolvedBlock } from './resolveBlock.ts'
import { resolveTime } from './resolveTime.ts'

/** The state of the index that a request is answered from. */
export interface View {
  /** Its reads throw a BadParameterError if they depend on the time of a block that is not known. */
  readonly reader: PastReader
  /** The newest state, for reads that have no past. */
  readonly newest: IndexReader
  /**
   * The clock by which things expire.
   * @throws BadParameterError if the moment is a block whose time is not known.
   */
  readonly now: () => UnixMilliseconds
  /** The version of the index that the answer will be of; null if the answer may be of several. */
  readonly version: number | null
  /** The moment, in words and by its blocks; null for the newest state. */
  readonly past: { readonly text: string; readonly blocks: readonly ResolvedBlock[] } | null
}

export interface ViewParts {
  readonly reader: IndexReader
  readonly readHeader: ReadHeader
  readonly now: () => UnixMilliseconds
}

/** The state, chains and records that a request is about. */
export interface Question {
  /** null: the newest state. */
  readonly asOf: AskedMoment | null
  /** The chains of the answer; null: all of them. */
  readonly chainIds: readonly ChainId[] | null
  /** The records that the question names, by chain; absent for none. */
  readonly records?: readonly AskedRecord[]
  /** Whether the answer says up to which blocks it is true. */
  readonly namesBlocks?: boolean
  /** Whether the chains are those of filters: a moment of another chain contradicts them. */
  readonly isFiltered?: boolean
}

/** A record that a question names on a chain, or all of some protocols. */
export interface AskedRecord {
  readonly chainId: ChainId
  /** The protocols that may have its id. */
  readonly protocols: readonly ProtocolName[]
  /** Absent for all records of the protocols. */
  readonly record?: Extract<WantedRecord, { readonly key: unknown }>
}

/** A question about the present state of chains; null: of all of them. */
export function aboutChains(chainIds: readonly ChainId[] | null): Question {
  return { asOf: null, chainIds }
}

/**
 * Opens the state of the index that a question is about; without one, the newest.
 * @throws as `resolveBlock` and `resolveTime`.
 */
export async function openView(
  { reader, readHeader, now }: ViewParts,
  question: Question | null,
  version: number | null = null,
): Promise<View> {
  const asked = question?.asOf ?? null
  if (question === null || asked === null) return { reader, newest: reader, now, version, past: null }
  refuseOtherChains(asked, question)
  const blocks =
    asked.kind === 'block'
      ? [await resolveBlock({ reader, readHeader }, asked)]
      : await resolveTime({ reader, readHeader, nowMs: now() }, asked.at, question.chainIds)
  const at = asked.kind === 'time' ? asked.at : (blocks[0]?.at ?? null)
  const text =
    asked.kind === 'time' ? `the time ${asked.at}` : `block ${blocks[0]?.number} of chain ${asked.chainId}`
  const timeUnknown = (what: string) =>
    new BadParameterError(
      `What ${what} at ${text} cannot be told: its time is not kept, and this server cannot read its header; ` +
        'give asOf in Unix seconds.',
    )
  const moment: AsOf = {
    blocks: new Map(blocks.map((block) => [block.chainId, { number: block.number, timestamp: block.at }])),
    at,
    timeUnknown: () => timeUnknown('was revoked'),
  }
  return {
    reader: reader.asOf(moment),
    newest: reader,
    now: () => {
      if (at !== null) return unixMilliseconds(at * 1000)
      throw timeUnknown('has expired')
    },
    version,
    past: { text, blocks },
  }
}

/**
 * A block of one chain says nothing about another one.
 * @throws BadParameterError
 */
function refuseOtherChains(asked: AskedMoment, { chainIds, isFiltered = false }: Question): void {
  if (asked.kind !== 'block' || !isFiltered) return
  const other = chainIds?.find((chainId) => chainId !== asked.chainId)
  if (other === undefined) return
  throw new BadParameterError(
    `asOf names a block of chain ${asked.chainId}, and the question is about chain ${other}; give a block of that chain, ` +
      'or a time in Unix seconds, which counts on every chain.',
  )
}

/**
 * Makes the answer to a question. If its reads have to see one state, repeats them until they do.
 * @param begunAt a version of the index from just before.
 * @param response the reads end once it is closed.
 * @returns the answer, why it is empty, and the version of the index that all of it is of: null if it may be of several.
 */
export async function answerFrom<Told>(
  parts: ViewParts,
  question: Question | null,
  begunAt: number,
  response: Pick<ServerResponse, 'destroyed'>,
  tell: (reader: PastReader, view: View) => Promise<Told>,
): Promise<{ readonly told: Told; readonly message: string | null; readonly version: number | null }> {
  const tellOnce = async (version: number | null) => {
    const view = await openView(parts, question, version)
    const newest = readUntilClosed(view.newest, response)
    const reader = view.past === null ? newest : readUntilClosed(view.reader, response)
    const told = await tell(reader, { ...view, newest })
    return { told, message: emptyBecause(view) }
  }
  // The blocks that are named, and what is read, are of one state.
  const isOfOneState = question !== null && (question.asOf !== null || question.namesBlocks === true)
  if (!isOfOneState) return { ...(await tellOnce(null)), version: null }
  const { answer, version } = await steadily(parts.reader, begunAt, tellOnce)
  return { ...answer, version }
}

/** Why an answer is empty, where nothing is as old as the moment; else null. */
export function emptyBecause({ past }: View): string | null {
  // A question about no chain that is indexed has no block.
  if (past === null || past.blocks.length === 0) return null
  if (past.blocks.some((block) => block.emptyBecause === null)) return null
  return past.blocks.map((block) => block.emptyBecause).join(' ')
}

/** Says up to which block an answer about a record of a chain is true; null if no block of the chain is known. */
export async function asOfHeader(view: View, chainIds: Iterable<ChainId>): Promise<string | null> {
  const { past } = view
  const shown: string[] = []
  for (const chainId of new Set(chainIds)) {
    const block =
      past === null
        ? await findNewestOnce(view, chainId)
        : (past.blocks.find((each) => each.chainId === chainId) ?? null)
    if (block === null || block.number < 0) continue
    shown.push([chainId, block.number, ...(block.hash === null ? [] : [block.hash])].join(':'))
  }
  return shown.length === 0 ? null : shown.join(', ')
}

interface NewestBlock {
  readonly number: number
  readonly hash: Hash | null
  readonly timestamp: number | null
}

/** How long the newest blocks of an unchanged index are kept in memory, in milliseconds. */
const newestKeptMs = 1_000

/** The newest blocks of an index, by chain, as they were read at a version. */
interface NewestBlocks {
  readonly version: number
  readonly readAtMs: number
  readonly blocks: Map<ChainId, Promise<NewestBlock | null>>
}

const newestBlocks = new WeakMap<PastReader, NewestBlocks>()

/** As `findNewest`, read at most once a second while the index stays as it is: a single record takes one statement then. */
function findNewestOnce({ reader, version }: View, chainId: ChainId): Promise<NewestBlock | null> {
  if (version === null) return findNewest(reader, chainId)
  let known = newestBlocks.get(reader)
  if (known?.version !== version || performance.now() - known.readAtMs > newestKeptMs) {
    known = { version, readAtMs: performance.now(), blocks: new Map() }
    newestBlocks.set(reader, known)
  }
  const { blocks } = known
  const found = blocks.get(chainId) ?? findNewest(reader, chainId)
  blocks.set(chainId, found)
  found.catch(() => blocks.delete(chainId))
  return found
}

/** The newest block of a chain; without its hash where an index that has read final blocks alone does not remember it. */
export async function findNewest(
  reader: Pick<PastReader, 'findBlock' | 'listChains'>,
  chainId: ChainId,
): Promise<NewestBlock | null> {
  const newest = await reader.findBlock(chainId, 'newest')
  if (newest !== null) return newest
  const chain = (await reader.listChains()).find(({ status }) => status.chainId === chainId)
  const { indexedBlock = null, indexedTimestamp = null } = chain?.status ?? {}
  return indexedBlock === null ? null : { number: indexedBlock, hash: null, timestamp: indexedTimestamp }
}
