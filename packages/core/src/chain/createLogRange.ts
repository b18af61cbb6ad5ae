/**
 * How many blocks a request for logs may span at one endpoint.
 *
 * It starts by doubling; after the first refusal it grows by a constant and shrinks by half. Two limits are kept apart:
 * `cap` is what the endpoint said it never exceeds, and stays; `width` follows how much the chain's logs weigh, and
 * recovers. Invariant: 1 <= width <= cap.
 */
export interface LogRange {
  width(): number
  /**
   * A request of `blocks` passed, which was sent when the width was `askedWidth`. `light`: its answer was far from any
   * limit, so that a wider one is worth trying.
   */
  succeed(blocks: number, askedWidth: number, light: boolean): void
  /** A request of `blocks` was too wide. Returns whether that taught a new cap. */
  shrink(blocks: number, suggestedBlocks: number | null, structural: boolean): boolean
}

/**
 * Failures of requests for logs whose words do not speak of the width. Providers refuse wide ranges with any code, word
 * and status, as they do in an outage. The proof is that a single block of the same part passes.
 */
export interface LogDoubts {
  /**
   * A request for `blocks` from `fromBlock` failed. `final`: no patience cures such a failure; `rate`: the endpoint
   * asked for fewer requests.
   */
  add(fromBlock: number, blocks: number, kind: 'final' | 'rate' | 'other'): void
  /** The width that is doubted from `fromBlock`: the next request there should span one block. Null: none. */
  at(fromBlock: number): number | null
  /** A request for `blocks` from `fromBlock` passed. Returns the wider width that was thereby proved to be refused. */
  settle(fromBlock: number, blocks: number): number | null
}

/** After a refusal, the way back to the widest range that ever passed takes this many successes. */
const recoverySteps = 32

export function createLogRange(initialBlocks: number, maxBlocks: number): LogRange {
  let cap = maxBlocks
  let width = Math.min(initialBlocks, maxBlocks)
  let widestPassed = 0
  let wasRefused = false
  return {
    width: () => width,
    succeed(blocks, askedWidth, light) {
      widestPassed = Math.max(widestPassed, blocks)
      // Only a request of the full width says anything about a wider one; and each of several that were under way
      // together does.
      if (!light || blocks < askedWidth) return
      const step = Math.max(1, Math.floor(widestPassed / recoverySteps))
      width = Math.min(cap, wasRefused ? width + step : Math.max(width, blocks * 2))
    },
    shrink(blocks, suggestedBlocks, structural) {
      wasRefused = true
      const half = Math.max(1, Math.floor(blocks / 2))
      width = Math.min(width, suggestedBlocks ?? half)
      if (!structural || suggestedBlocks === null || suggestedBlocks >= cap) return false
      cap = suggestedBlocks
      return true
    },
  }
}

/** A passing failure is unlikely to hit the same part so often. */
const doubtsMin = 3
/** Parts may be given up with their failures left here. */
const doubtedPartsMax = 1_024

export function createLogDoubts(): LogDoubts {
  const failures = new Map<number, { readonly count: number; readonly blocks: number }>()
  /** The least width that was proved to be refused: its next failures need to be fewer. */
  let refusedBlocks = Number.POSITIVE_INFINITY
  const doubtedAt = (fromBlock: number): number | null => {
    const failed = failures.get(fromBlock)
    return failed !== undefined && failed.count >= doubtsMin ? failed.blocks : null
  }
  return {
    add(fromBlock, blocks, kind) {
      const { count } = failures.get(fromBlock) ?? { count: 0 }
      if (failures.size >= doubtedPartsMax) failures.clear()
      const isKnown = kind === 'other' && blocks >= refusedBlocks
      const next = kind === 'final' ? doubtsMin : Math.max(count, isKnown ? 1 : 0) + 1
      failures.set(fromBlock, { count: next, blocks })
    },
    at: doubtedAt,
    settle(fromBlock, blocks) {
      const doubted = doubtedAt(fromBlock)
      failures.delete(fromBlock)
      if (blocks >= refusedBlocks) refusedBlocks = Number.POSITIVE_INFINITY
      if (doubted === null || doubted <= blocks) return null
      refusedBlocks = Math.min(refusedBlocks, doubted)
      return doubted
    },
  }
}
