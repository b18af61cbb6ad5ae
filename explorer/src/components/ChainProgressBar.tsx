import { useState } from 'react'
import type { Chain } from '../api/types.ts'
import { serverSeconds } from '../api/serverContact.ts'
import { chainProgress, describeProgress, type SeenBlock } from '../format/chainProgress.ts'
import styles from './ChainProgressBar.module.css'

/** The progress of a backfill: percent, rate and time left; empty for any other chain. */
export function ChainProgressBar({ chain }: { readonly chain: Chain }) {
  const { indexedBlock } = chain
  const [first, setFirst] = useState<SeenBlock | null>(null)
  // A chain that was reverted, or whose index begins anew, is measured from there.
  if (indexedBlock !== null && (first === null || indexedBlock < first.block)) {
    setFirst({ block: indexedBlock, at: serverSeconds() })
  }
  const progress = chainProgress(chain, first, serverSeconds())
  if (progress === null) return null
  return (
    <label className={styles.progress}>
      {describeProgress(progress)}
      <progress value={progress.share} />
    </label>
  )
}
