import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../api/queries.ts'
import { Icon } from '../components/Icon.tsx'
import { chainTrouble } from '../format/chainState.ts'
import styles from './ChainBanner.module.css'

/** Says on every page which chains are behind, as what is shown may be out of date; nothing while all is well. */
export function ChainBanner() {
  const { data: chains } = useQuery(chainsQuery())
  const troubles = (chains ?? []).flatMap((chain) => chainTrouble(chain) ?? [])
  if (troubles.length === 0) return null
  return (
    <div className={styles.banner} role="status">
      <ul className={styles.troubles}>
        {troubles.map((trouble) => (
          <li key={trouble}>
            <Icon name="warning" />
            <span>{trouble}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
