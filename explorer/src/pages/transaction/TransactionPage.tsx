import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { decodedAttestationsQuery, transactionQuery } from '../../api/queries.ts'
import type { Transaction } from '../../api/types.ts'
import { BlockNumber } from '../../components/BlockNumber.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ChainFact } from '../../components/ChainFact.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { RecordPending } from '../../components/RecordLayout.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { Sliced } from '../../components/Sliced.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { useTitle } from '../../components/useTitle.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { recordKey } from '../../format/recordKey.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import styles from './TransactionPage.module.css'

const route = getRouteApi('/transaction/$hash')

/** One transaction: the schemas that it registered, the attestations that it made and those that it revoked. */
export function TransactionPage() {
  const { hash } = route.useParams()
  const { chainId } = route.useSearch()
  const { data, error, refetch } = useQuery(transactionQuery(hash, chainId))
  useTitle(`Transaction ${shortenMiddle(hash, 8, 6)}`)
  if (error !== null) {
    return <RecordMissing what="transaction" id={hash} error={error} onRetry={() => void refetch()} />
  }
  return (
    <Sliced>
      {data === undefined ? <RecordPending what="transaction" /> : <Loaded transaction={data} />}
    </Sliced>
  )
}

/** Records that are read and shown at once. */
const shownMax = 100

function Loaded({ transaction }: { readonly transaction: Transaction }) {
  const { transactionHash, chainId, schemas, attestations, revocations } = transaction
  const chain = useChain(chainId)
  return (
    <>
      <article className={styles.page}>
        <PageHeader
          kind={
            <span className={styles.kind}>
              Transaction <ChainBadge chainId={chainId} />
            </span>
          }
          title={shortenMiddle(transactionHash, 10, 8)}
        >
          {[
            schemas.length > 0 && `Registered ${formatQuantity(schemas.length, 'schema')}`,
            attestations.length > 0 && `Made ${formatQuantity(attestations.length, 'attestation')}`,
            revocations.length > 0 && `Revoked ${formatQuantity(revocations.length, 'attestation')}`,
          ]
            .filter((part) => part !== false)
            .join('. ')}
        </PageHeader>
        <Card title="Details" flush>
          <Facts
            facts={[
              { label: 'Chain', value: <ChainFact chainId={chainId} /> },
              {
                label: 'Block',
                value: <BlockNumber chainId={chainId} transactionHash={transactionHash} />,
              },
              {
                label: 'Transaction',
                value: (
                  <Hash
                    hash={transactionHash}
                    what="transaction hash"
                    href={explorerLink(chain, 'transaction', transactionHash)}
                  />
                ),
              },
            ]}
          />
        </Card>
        {attestations.length > 0 && <MadeAttestations rows={attestations} />}
        {schemas.length > 0 && (
          <Card title="Schemas registered">
            <ul className={styles.list}>
              {schemas.slice(0, shownMax).map((row) => (
                <li key={recordKey(row)}>
                  <SchemaLink id={row.id} localId={row.schemaId} name={row.name} protocol={row.protocol} />
                </li>
              ))}
            </ul>
            <Rest count={schemas.length} />
          </Card>
        )}
        {revocations.length > 0 && (
          <Card title="Attestations revoked">
            <ul className={styles.list}>
              {revocations.slice(0, shownMax).map((id) => (
                <li key={id}>
                  <AttestationLink id={id} localId={localIdOf(id)} />
                </li>
              ))}
            </ul>
            <Rest count={revocations.length} />
          </Card>
        )}
      </article>
      <UseFromCode question={{ kind: 'transaction', hash: transactionHash, chainId }} />
    </>
  )
}

/** The rows of a transaction lack schema, status and payload; these are read by the ids of the rows. */
function MadeAttestations({ rows }: { readonly rows: Transaction['attestations'] }) {
  const shown = rows.slice(0, shownMax)
  const { data: records, error, refetch } = useQuery(decodedAttestationsQuery(shown))
  return (
    <Card title="Attestations made" flush>
      {error === null ? (
        <AttestationTable
          caption="Attestations that the transaction made"
          rows={records === undefined ? undefined : shown.flatMap((row) => records.get(recordKey(row)) ?? [])}
          skeletonRows={shown.length}
          empty={null}
        />
      ) : (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
      <Rest count={rows.length} />
    </Card>
  )
}

function Rest({ count }: { readonly count: number }) {
  return count <= shownMax ? null : (
    <p className={styles.rest}>
      The first {shownMax} of {formatCount(count)}. The interface has all of them.
    </p>
  )
}
