import { useQuery } from '@tanstack/react-query'
import { chainsIntervalMs, chainsQuery } from '../api/queries.ts'
import { answeredAtSeconds } from '../api/serverContact.ts'
import { Icon } from '../components/Icon.tsx'
import { Time } from '../components/Time.tsx'
import { useIsSilent } from '../components/useAnswerAge.ts'
import { formatCount } from '../format/formatCount.ts'
import { chainTrouble } from '../format/chainState.ts'
import styles from './ChainBanner.module.css'

/**
 * Says on every page that the shown data may be out of date, because the server does not answer or because chains are
 * behind; empty otherwise.
 */
export function ChainBanner() {
  const { data: chains } = useQuery({ ...chainsQuery(), refetchInterval: chainsIntervalMs })
  const isSilent = useIsSilent()
  if (isSilent) return <Silence />
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

function Silence() {
  return (
    <div className={styles.banner} role="status">
      <ul className={styles.troubles}>
        <li>
          <Icon name="warning" />
          <span>
            The server has not answered since <Time seconds={answeredAtSeconds() ?? 0} show="absolute" />.
            What has come, changed or been revoked since then is missing here.
          </span>
        </li>
      </ul>
    </div>
  )
}

/** More chains than that in trouble are counted, and listed when they are asked for. */
const shownMax = 2
