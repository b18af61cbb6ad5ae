import type { BlockHeader } from '../chain/chainClient.ts'
import { bloomMayContain } from '../model/logsBloom.ts'
import type { EventSource } from '../sync/fetchEvents.ts'

/** Headers before the pinned block that are looked through for any bloom at all. */
const bloomHeaders = 256

/** Blocks of which headers are asked for at the same time. */
const headersAtOnce = 16

/** Tells whether a chain's logs may be there where endpoints gave none: nodes that have pruned old blocks answer so. */
export interface LogWitness {
  /**
   * Those of the blocks that may hold logs of the source all the same: their headers' blooms speak of some, or the chain leaves
   * blooms empty, so that nobody can tell.
   */
  findWithheld(blocks: readonly number[], signal: AbortSignal): Promise<ReadonlySet<number>>
}

export function createLogWitness(source: EventSource, pinned: BlockHeader): LogWitness {
  const { client, addresses, topics } = source
  let blooms: Promise<boolean> | null = null

  /** Whether blocks of the chain have blooms: none has where all logs of many blocks leave no trace. */
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
