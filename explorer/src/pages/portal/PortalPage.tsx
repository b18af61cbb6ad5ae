import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import {
  attestationCountQuery,
  attestationListKey,
  attestationsQuery,
  decodedAttestationsQuery,
} from '../../api/queries.ts'
import { Address } from '../../components/Address.tsx'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ChainFact } from '../../components/ChainFact.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Listing } from '../../components/Listing.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import styles from './PortalPage.module.css'

const route = getRouteApi('/portal/$address')

/** One portal of Verax: its name and owner, as its registry says, and the attestations that were made through it. */
export function PortalPage() {
  const { address } = route.useParams()
  const { chainId, page = 1 } = route.useSearch()
  const query = withoutAbsent({ portal: address, chainId })
  const listed = useQuery(attestationsQuery({ ...query, page, size: pageSizeDefault }))
  useTitle(`Portal ${shortenMiddle(address)}`)
  // Each attestation carries what is known of its portal.
  const rows = listed.data?.rows ?? []
  const { data: records, isError } = useQuery(decodedAttestationsQuery(rows))
  const [first] = records?.values() ?? []
  const portal = first?.mode === 'onchain' ? first : undefined
  const name = portal?.portalName ?? ''
  if (listed.error !== null && listed.data === undefined)
    return (
      <RecordMissing what="address" id={address} error={listed.error} onRetry={() => void listed.refetch()} />
    )
  const isKnown = portal !== undefined || isError || (listed.data !== undefined && rows.length === 0)
  const waiting = isKnown ? 'Not known' : <Skeleton characters={16} />
  return (
    <>
      <article className={styles.page}>
        <PageHeader
          kind={
            <span className={styles.kind}>
              Portal{' '}
              {portal !== undefined && <ChainBadge chainId={portal.chainId} protocol={portal.protocol} />}
            </span>
          }
          title={name === '' ? shortenMiddle(address, 10, 8) : <SafeText text={name} lengthMax={120} />}
          actions={
            <Link to="/attestations" search={query} className={buttonClass()}>
              Filter its attestations
            </Link>
          }
        >
          A contract that attestations of Verax are made through.
        </PageHeader>
        <Card title="Details" flush>
          <Facts
            facts={[
              { label: 'Contract', value: <Address address={address} /> },
              {
                label: 'Owner',
                value:
                  portal?.portalOwner == null ? (
                    waiting
                  ) : (
                    <>
                      <SafeText text={portal.portalOwnerName ?? ''} lengthMax={80} />{' '}
                      <Address address={portal.portalOwner} />
                    </>
                  ),
              },
              {
                label: 'Chain',
                value: portal === undefined ? waiting : <ChainFact chainId={portal.chainId} />,
              },
            ]}
          />
        </Card>
        <Card title="Attestations" flush>
          {page === 1 && (
            <NewRows
              noun="attestation"
              counting={attestationCountQuery(query)}
              listKey={attestationListKey}
              total={listed.data?.total}
            />
          )}
          <Listing
            listed={listed}
            page={page}
            size={pageSizeDefault}
            what="attestations"
            empty={
              <EmptyState title="Nothing was attested through it">
                <p>No indexed attestation names this contract as its portal.</p>
              </EmptyState>
            }
          >
            {(table) => (
              <AttestationTable {...table} caption="Attestations through the portal, newest first" />
            )}
          </Listing>
        </Card>
      </article>
      <UseFromCode question={{ kind: 'attestations', filter: query }} />
    </>
  )
}
