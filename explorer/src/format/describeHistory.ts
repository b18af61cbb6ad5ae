import type { Chain } from '../api/types.ts'
import { formatCount } from './formatCount.ts'

/** A sentence about how the index knows that it has all logs of a contract. */
export function describeHistory({
  completeness,
  records,
  blocks,
  logs,
  toBlock,
  reason,
}: Chain['history'][number]): string {
  const upTo = toBlock === null ? '' : `, up to block ${formatCount(toBlock)}`
  const sample = `a sample of ${formatCount(blocks ?? 0)} blocks with ${formatCount(logs ?? 0)} logs`
  switch (completeness) {
    case 'counted':
      return `Counted: ${formatCount(records ?? 0)} records, as many as the contract has made${upTo}`
    case 'compared':
      return `Compared: another endpoint gave the same logs in ${sample}${upTo}`
    case 'split':
      return `Checked with one endpoint, which gave the same logs in parts, in ${sample}${upTo}`
    case 'unverified':
      return `Not verified: ${reason ?? 'it was not checked'}`
  }
}

/** The way in which the completeness of a history is known, as a word. */
export function completenessWord(completeness: Chain['completeness']): string {
  return completenessWords[completeness]
}

const completenessWords: Readonly<Record<Chain['completeness'], string>> = {
  counted: 'Counted',
  compared: 'Compared',
  split: 'Read in parts',
  unverified: 'Not verified',
}
