import type { Chain } from '../api/types.ts'
import type { ChainState } from '../format/chainState.ts'
import styles from './ChainStateWord.module.css'

export interface ChainStateWordProps {
  readonly chain: Pick<Chain, 'defect' | 'lastError'>
  readonly state: ChainState
}

/** The state of a chain in words, with a light of its colour. */
export function ChainStateWord({ chain, state: { word, tone } }: ChainStateWordProps) {
  return (
    <span className={styles[tone]} title={chain.defect ?? chain.lastError ?? undefined}>
      <span className={styles.light} aria-hidden="true" />
      {word}
    </span>
  )
}
