import { useTitle } from '../../components/useTitle.ts'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { WhenNear } from '../../components/WhenNear.tsx'
import { SearchBox } from '../../search/SearchBox.tsx'
import { ChainsCard } from './ChainsCard.tsx'
import { HomeActivity } from './HomeActivity.tsx'
import styles from './HomePage.module.css'
import { LatestCard } from './LatestCard.tsx'
import { RankingCards } from './RankingCards.tsx'
import { TotalsStrip } from './TotalsStrip.tsx'
import { useLiveStats } from './useLiveStats.ts'

/** The overview: totals, recent activity, and the freshness of the index. */
export function HomePage() {
  useTitle('Explore attestations')
  useLiveStats()
  return (
    <>
      <div className={styles.page}>
        <section className={styles.hero}>
          <h1>Who attested what, on which chain</h1>
          <p className={styles.lead}>Every schema and attestation, decoded, from all chains in one place.</p>
          <SearchBox place="page" />
        </section>
        <TotalsStrip />
        <div className={styles.columns}>
          <HomeActivity />
          <div className={styles.chains}>
            <ChainsCard />
          </div>
        </div>
        <LatestCard />
        <WhenNear title="Top and trending schemas">
          <RankingCards />
        </WhenNear>
      </div>
      <UseFromCode question={{ kind: 'attestations', filter: {} }} />
    </>
  )
}
