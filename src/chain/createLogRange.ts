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
