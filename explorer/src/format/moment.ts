import { startOfDayInput } from './dayInput.ts'

/** A moment as the interface has it: `10:120000000`, the block of a chain, or Unix seconds. */
const moment = /^(?:[1-9]\d{0,15}:(?:0x[0-9a-f]{64}|\d{1,16})|\d{1,12})$/i

export const momentMistake = 'Give a day such as 2025-11-03, or a block such as 10:120000000.'

/** The moment that a reader means: a day stands for its last second, in UTC. Null for any other text. */
export function readMoment(text: string): string | null {
  const trimmed = text.trim()
  if (moment.test(trimmed)) return trimmed
  const start = startOfDayInput(/^\d{4}-\d{2}-\d{2}$/.test(trimmed) ? trimmed : undefined)
  return start === undefined ? null : String(start + 86_399)
}

/** The time of a moment, in Unix seconds, if it says one; else the chain and the block. */
export function partsOfMoment(
  asOf: string,
): { readonly at: number } | { readonly chainId: string; readonly block: string } {
  const [chainId = '', block] = asOf.split(':')
  return block === undefined ? { at: Number(asOf) } : { chainId, block }
}

/** The chain of a moment that is a block; undefined for a time, which is one of every chain. */
export function chainOfMoment(asOf: string): string | undefined {
  const parts = partsOfMoment(asOf)
  return 'block' in parts ? parts.chainId : undefined
}
