import type { Hash, Hex } from '../model/hex.ts'
import type { BlockHeader } from './chainClient.ts'
import type { RpcErrorObject } from './matchAnswers.ts'

/**
 * Numbers without a block. Filecoin leaves out the number of each round that nobody mined (a null round): the next
 * block names the last one before as its parent. Endpoints answer for such a number with an error, with `null`, or with
 * the block before. The state after a null round is that of the block before, so the client gives a null round as an
 * empty block with the hash and time of that block. Consecutive numbers stay linked by their hashes, and a null round
 * that a reorganisation turns into a block, or the reverse, is a block with another hash.
 */

/** A source of blocks. Both methods reject with an `AttestryError` if there is no answer. */
export interface BlockSource {
  /** The blocks of some numbers; null for a number without a block, or with none that the endpoint has yet. */
  fetchByNumber(numbers: readonly number[]): Promise<readonly (BlockHeader | null)[]>
  /** The block with a hash; null if the endpoint does not know it. */
  fetchByHash(hash: Hash): Promise<BlockHeader | null>
  /** Whether an endpoint has named this block or a later one. */
  mayHave(number: number): boolean
}

/** Most null rounds in a row. Filecoin's finality is 900 rounds. */
const nullRoundsMax = 1_000
/** Numbers that are requested at once at first. They are few, since most null rounds are isolated. */
const firstStep = 2

/** Whether an error says that a number has no block and never will: Lotus, Forest and Venus call it a null round. */
export function isNullRound({ code, message, data }: RpcErrorObject): boolean {
  const text = typeof data === 'string' ? `${message} ${data}` : message
  return /\bnull[ -]?(?:round|epoch|tipset)/i.test(text) || (code === 12 && /\bepoch\b/i.test(text))
}

/**
 * Finds the blocks of numbers for which an endpoint gave none. The chain itself proves a null round: from the next block
 * that there is, parents are followed by their hashes to a block below. Numbers that are passed over are null rounds;
 * numbers on the way are blocks that the endpoint did not give. A number above which no block is known stays without an
 * answer.
 * @param missing ascending.
 * @param known further blocks of the chain, by number; blocks on the way are added.
 */
export async function findPassedOver(
  source: BlockSource,
  missing: readonly number[],
  known: Map<number, BlockHeader>,
): Promise<ReadonlyMap<number, BlockHeader>> {
  const found = new Map<number, BlockHeader>()
  const byHash = new Map([...known.values()].map((header) => [header.hash, header]))
  // From the highest number down: its next block is also that of the null rounds right below.
  for (const number of missing.toReversed()) {
    if (found.has(number)) continue
    let block = await findNext(source, number, known)
    for (let steps = 0; block !== null && block.number > number && steps <= nullRoundsMax; steps++) {
      const child: BlockHeader = block
      block = byHash.get(child.parentHash) ?? (await source.fetchByHash(child.parentHash))
      if (block === null || block.number >= child.number) break
      known.set(block.number, block)
      byHash.set(block.hash, block)
      if (block.number === number) found.set(number, block)
      for (const passed of missing) {
        if (block.number < passed && passed < child.number) found.set(passed, nullRound(passed, block))
      }
    }
  }
  return found
}

/** The first block above a number; null if none is known, or none within the most null rounds. */
async function findNext(
  source: BlockSource,
  number: number,
  known: Map<number, BlockHeader>,
): Promise<BlockHeader | null> {
  const last = number + nullRoundsMax
  let next = number + 1
  for (let step = firstStep; next <= last; step *= 4) {
    const numbers: number[] = []
    for (let each = next; each < next + step && each <= last && source.mayHave(each); each++) {
      const block = known.get(each)
      if (block !== undefined) return block
      numbers.push(each)
    }
    if (numbers.length === 0) return null
    const block = (await source.fetchByNumber(numbers)).find((each) => each !== null)
    if (block !== undefined) return block
    next += numbers.length
  }
  return null
}

/** The empty block that stands for a null round. */
function nullRound(number: number, before: BlockHeader): BlockHeader {
  return { ...before, number, parentHash: before.hash, logsBloom: emptyBloom }
}

const emptyBloom = `0x${'0'.repeat(512)}` as Hex
