import type { Chain } from '../api/types.ts'
import { formatLongDuration } from './formatTime.ts'

/** The state of a chain for its row: a word, and whether it is a problem. */
export interface ChainState {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
}

type StateOfChain = Pick<Chain, 'phase' | 'secondsBehind' | 'secondsSinceReport' | 'indexedBlock' | 'defect'>

/** A chain that is this many seconds behind gets a warning. */
const behindSecondsMax = 300
/** A chain that is less behind, in seconds, is up to date: its blocks, and its polls, are that far apart. */
const upToDateSeconds = 15
/**
 * An answer of this age, in seconds, says nothing of the present. Nothing is shown as up to date ten seconds after an
 * answer: the clock of the page ticks each second.
 */
const answerSecondsMax = 9

/** An indexer that has not reported for so many seconds does not run: it does so at each commit and each failure. */
const reportSecondsMax = 300

/** Whether the server has been silent for so long that the state of no chain is known. */
export function isSilent(answerAgeSeconds: number): boolean {
  return answerAgeSeconds >= answerSecondsMax
}

/** @param answerAgeSeconds the age of the answer that the chain is from. */
export function chainState(
  { phase, secondsBehind, secondsSinceReport, indexedBlock, defect }: StateOfChain,
  answerAgeSeconds: number,
): ChainState {
  if (isSilent(answerAgeSeconds)) return { word: 'State not known', tone: 'quiet' }
  const behind = (secondsBehind ?? 0) + answerAgeSeconds
  const lag = `${formatLongDuration(behind)} behind`
  const withLag = (word: string) => (secondsBehind === null || behind === 0 ? word : `${word}, ${lag}`)
  if (defect !== null) return { word: withLag('Incomplete'), tone: 'bad' }
  const isDead = secondsSinceReport !== null && secondsSinceReport > reportSecondsMax
  if (isDead && (phase === 'starting' || phase === 'backfilling' || phase === 'retrying'))
    return { word: withLag('Not being indexed'), tone: 'bad' }
  switch (phase) {
    case 'starting':
      return { word: 'Starting', tone: 'quiet' }
    case 'backfilling':
      return { word: withLag('Catching up'), tone: 'warn' }
    case 'retrying':
      return { word: withLag('Not answering'), tone: 'bad' }
    case 'stopped':
      return { word: withLag('Stopped'), tone: 'bad' }
    case 'paused':
      return { word: 'Paused', tone: 'quiet' }
    case 'following':
      if (indexedBlock === null || secondsBehind === null) return { word: 'Starting', tone: 'quiet' }
      if (behind < upToDateSeconds) return { word: 'Up to date', tone: 'good' }
      return { word: lag, tone: behind > behindSecondsMax ? 'warn' : 'quiet' }
  }
}

/** Chains in trouble come first, as of the newest answer: lines do not move while the server is silent. */
export function concernOf(chain: StateOfChain): number {
  return ['bad', 'warn', 'quiet', 'good'].indexOf(chainState(chain, 0).tone)
}

/** The chains of each state, without how far they are behind; states and chains stay in the order of the chains. */
export function byState<Known extends StateOfChain>(chains: readonly Known[], answerAgeSeconds: number) {
  const groups = new Map<string, { chain: Known; state: ChainState }[]>()
  for (const chain of chains) {
    const state = chainState(chain, answerAgeSeconds)
    const label = state.word.replace(/, .*/, '').replace(/^\d.* behind$/, 'Behind')
    groups.set(label, [...(groups.get(label) ?? []), { chain, state }])
  }
  return [...groups].map(([label, known]) => ({ label, chains: known }))
}

/**
 * A notice about a chain for readers of any page, as of the answer that it is from; null if the chain is up to date or is
 * not expected to be.
 */
export function chainTrouble(chain: StateOfChain & Pick<Chain, 'name' | 'lastError'>): string | null {
  const { word, tone } = chainState(chain, 0)
  if (tone === 'good' || tone === 'quiet') return null
  const missing =
    chain.defect === null
      ? 'Newer records may be missing here.'
      : 'Records are known to be missing or wrong here.'
  const reasons = [chain.defect, chain.lastError].filter((reason) => reason !== null)
  return [`${chain.name}: ${word.charAt(0).toLowerCase()}${word.slice(1)}.`, missing, ...reasons].join(' ')
}
