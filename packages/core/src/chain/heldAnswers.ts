/** The bytes of all answers of a chain's endpoints that are arriving or being parsed. */
export interface HeldAnswers {
  begin(): HeldAnswer
}

export interface HeldAnswer {
  /** Adds bytes that arrived; false once this answer has to be given up. */
  add(bytes: number): boolean
  /** Gives the bytes back. */
  end(): void
}

/**
 * Most bytes of the answers of one chain. Each endpoint may have eight requests in flight, and an answer has up to 128
 * MiB: what a hostile endpoint sends must not take all memory.
 */
export const heldAnswersMax = 256 * 1024 * 1024

/** If all answers together hold more than `bytesMax` bytes, the longest one is given up. */
export function createHeldAnswers(bytesMax: number): HeldAnswers {
  const answers = new Set<{ bytes: number; isGivenUp: boolean }>()
  let held = 0
  return {
    begin() {
      const answer = { bytes: 0, isGivenUp: false }
      answers.add(answer)
      return {
        add(bytes) {
          answer.bytes += bytes
          held += bytes
          if (held > bytesMax) {
            let longest = answer
            for (const other of answers) if (other.bytes > longest.bytes) longest = other
            longest.isGivenUp = true
          }
          return !answer.isGivenUp
        },
        end() {
          if (answers.delete(answer)) held -= answer.bytes
        },
      }
    },
  }
}
