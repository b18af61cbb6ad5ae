import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { addressActivityQuery, addressStatisticsQuery } from '../../api/queries.ts'
import { knownName } from '../../api/knownNames.ts'
import type { AddressActivityDay } from '../../api/types.ts'
import { ActivityCard } from '../../components/ActivityCard.tsx'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { NamedBy } from '../../components/NamedBy.tsx'
import { Identicon } from '../../components/Identicon.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import { Totals } from '../../components/Totals.tsx'
import { useTitle } from '../../components/useTitle.ts'
import type { CodeQuestion } from '../../format/codeExamples.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { AddressAttestations } from './AddressAttestations.tsx'
import styles from './AddressPage.module.css'
import { addressFilter, type AddressSearch } from './addressSearch.ts'
import { AddressSchemas } from './AddressSchemas.tsx'
import { ExplorerLinks } from './ExplorerLinks.tsx'

const series = [
  { label: 'Made', count: (row: AddressActivityDay) => row.attestationCreated },
  { label: 'Received', count: (row: AddressActivityDay) => row.attestationReceived },
]

/** One account: its counts, and its attestations and schemas. */
export function AddressPage() {
  const { address } = useParams({ from: '/address/$address' })
  const search = useSearch({ from: '/address/$address' })
  const { tab } = search
  const navigate = useNavigate({ from: '/address/$address' })
  const statistics = useQuery(addressStatisticsQuery(address))
  const activity = useQuery(addressActivityQuery(address))
  useTitle(`Address ${shortenMiddle(address)}`)
  if (statistics.error !== null && statistics.data === undefined)
    return (
      <RecordMissing
        what="address"
        id={address}
        error={statistics.error}
        onRetry={() => void statistics.refetch()}
      />
    )
  const { data: totals } = statistics
  // Learnt from the statistics.
  const known = totals === undefined ? undefined : knownName(address)
  // An address that has only received, or only registered, opens on that tab.
  const open = tab ?? firstTab(totals)
  return (
    <>
      <article className={styles.page}>
        <PageHeader
          kind="Address"
          title={
            <span className={styles.title}>
              <Identicon of={address} size="large" />
              {known === undefined ? (
                <Digits address={address} />
              ) : (
                <SafeText text={known.name} lengthMax={100} />
              )}
            </span>
          }
          actions={
            <Link to="/gate" search={{ address }} className={buttonClass()}>
              Check a policy
            </Link>
          }
        >
          {known !== undefined && (
            <div className={styles.named}>
              <Digits address={address} /> <NamedBy id={address} />
            </div>
          )}
          <ExplorerLinks address={address} />
        </PageHeader>
        <Totals
          totals={[
            { key: 'total', label: 'Attestations', value: totals?.totalAttestations },
            { key: 'created', label: 'Made', value: totals?.attestationCreated },
            { key: 'received', label: 'Received', value: totals?.attestationReceived },
            { key: 'schemas', label: 'Schemas registered', value: totals?.schemaCreated },
          ]}
        />
        <ActivityCard
          title="Attestations per day"
          activity={activity}
          series={series}
          empty="This address has neither made nor received an attestation on an indexed chain."
        />
        <Card title="Records" flush>
          <Tabs
            label="Records of the address"
            tabs={[
              { name: 'created', label: 'Made', count: totals?.attestationCreated },
              { name: 'received', label: 'Received', count: totals?.attestationReceived },
              { name: 'schemas', label: 'Schemas', count: totals?.schemaCreated },
            ]}
            value={open}
            onChange={(name) =>
              void navigate({
                search: (previous) => ({ ...previous, tab: name, other: undefined, page: undefined }),
                resetScroll: false,
              })
            }
          >
            {open === 'schemas' ? (
              <AddressSchemas address={address} />
            ) : (
              <AddressAttestations address={address} role={open} />
            )}
          </Tabs>
        </Card>
      </article>
      <UseFromCode question={questionOf(address, open, search)} />
    </>
  )
}

function Digits({ address }: { readonly address: string }) {
  return (
    <>
      <span className={styles.digits} data-address={address.toLowerCase()}>
        {address}
      </span>
      <CopyButton value={address} label="Copy address" />
    </>
  )
}

/** The records of the open tab. */
function questionOf(
  address: string,
  tab: 'created' | 'received' | 'schemas',
  search: AddressSearch,
): CodeQuestion {
  if (tab !== 'schemas') return { kind: 'attestations', filter: addressFilter(address, tab, search) }
  return { kind: 'schemas', filter: withoutAbsent({ registrant: address, chainId: search.chainId }) }
}

function firstTab(
  totals:
    | {
        readonly attestationCreated: number
        readonly attestationReceived: number
        readonly schemaCreated: number
      }
    | undefined,
): 'created' | 'received' | 'schemas' {
  if (totals === undefined || totals.attestationCreated > 0) return 'created'
  if (totals.attestationReceived > 0) return 'received'
  return totals.schemaCreated > 0 ? 'schemas' : 'created'
}
