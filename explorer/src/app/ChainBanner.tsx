import { useQuery } from '@tanstack/react-query'
import { chainsIntervalMs, chainsQuery } from '../api/queries.ts'
import { Icon } from '../components/Icon.tsx'
import { formatCount } from '../format/formatCount.ts'
import { chainTrouble } from '../format/chainState.ts'
import styles from './ChainBanner.module.css'

/** Names the chains that are behind, on every page, because the shown data may be out of date; empty otherwise. */
export function ChainBanner() {
  const { data: chains } = useQuery({ ...chainsQuery(), refetchInterval: chainsIntervalMs })
  const troubles = (chains ?? []).flatMap((chain) => chainTrouble(chain) ?? [])
  if (troubles.length === 0) return null
  const list = (
    <ul className={styles.troubles}>
      {troubles.map((trouble) => (
        <li key={trouble}>
          <Icon name="warning" />
          <span>{trouble}</span>
        </li>
      ))}
    </ul>
  )
  return (
    <div className={styles.banner} role="status">
      {troubles.length <= shownMax ? (
        list
      ) : (
        <details className={styles.many}>
          <summary>
            {formatCount(troubles.length)} of {formatCount(chains?.length ?? 0)} chains are behind. Newer
            records may be missing here.
          </summary>
          {list}
        </details>
      )}
    </div>
  )
}

/** More chains than that in trouble are counted, and listed when they are asked for. */
const shownMax = 2
