import type { BlockHeader } from '../chain/chainClient.ts'
import { bloomMayContain } from '../model/logsBloom.ts'
import type { EventSource } from './fetchEvents.ts'

/** Headers before the pinned block that are searched for a bloom that is not empty. */
const bloomHeaders = 256

/** Headers per request. */
const headersAtOnce = 16

/** Finds blocks that may have logs although the endpoints returned none, as pruned nodes do. */
export interface LogWitness {
  /**
   * The blocks that may have logs of the source: the bloom matches, or all blooms of the chain are empty and prove
   * nothing.
   */
  findWithheld(blocks: readonly number[], signal: AbortSignal): Promise<ReadonlySet<number>>
}

export function createLogWitness(source: EventSource, pinned: BlockHeader): LogWitness {
  const { client, addresses, topics } = source
  let blooms: Promise<boolean> | null = null

  /** Whether the blocks of the chain have blooms. */
  async function hasBlooms(signal: AbortSignal): Promise<boolean> {
    const headers = await client.fetchHeaders(
      Math.max(0, pinned.number - bloomHeaders + 1),
      pinned.number,
      signal,
    )
    return headers.some(({ logsBloom }) => !isEmpty(logsBloom))
  }

  async function isWithheld(block: number, signal: AbortSignal): Promise<boolean> {
    const [header] = await client.fetchHeaders(block, block, signal)
    if (header === undefined) return true
    if (!isEmpty(header.logsBloom)) return bloomMayContain(header.logsBloom, addresses, topics)
    blooms ??= hasBlooms(signal)
    return !(await blooms)
  }

  return {
    findWithheld: async (blocks, signal) => {
      const withheld = new Set<number>()
      for (let at = 0; at < blocks.length; at += headersAtOnce) {
        const some = blocks.slice(at, at + headersAtOnce)
        const are = await Promise.all(some.map((block) => isWithheld(block, signal)))
        for (const [index, block] of some.entries()) if (are[index] === true) withheld.add(block)
      }
      return withheld
    },
  }
}

function isEmpty(bloom: string): boolean {
  return /^0x0*$/.test(bloom)
}
