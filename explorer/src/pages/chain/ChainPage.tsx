import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import {
  attestationCountQuery,
  attestationListKey,
  attestationsQuery,
  chainsQuery,
} from '../../api/queries.ts'
import type { Chain } from '../../api/types.ts'
import { BlockLink } from '../../components/BlockNumber.tsx'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainProgressBar } from '../../components/ChainProgressBar.tsx'
import { ChainStateWord } from '../../components/ChainStateWord.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { RecordPending } from '../../components/RecordLayout.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Time } from '../../components/Time.tsx'
import { Totals } from '../../components/Totals.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { useAnswerAge } from '../../components/useAnswerAge.ts'
import { explorerLink } from '../../components/useChain.ts'
import { useTitle } from '../../components/useTitle.ts'
import { chainState } from '../../format/chainState.ts'
import { completenessWord, describeHistory } from '../../format/describeHistory.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import styles from './ChainPage.module.css'

const route = getRouteApi('/chain/$id')

/** One chain: how far it is indexed, its contracts and its newest attestations. */
export function ChainPage() {
  const { id } = route.useParams()
  const { data: chains, error, refetch } = useQuery(chainsQuery())
  const chain = chains?.find(({ chainId }) => chainId === id)
  useTitle(chain?.name ?? `Chain ${id}`)
  if (chain !== undefined) return <Loaded chain={chain} />
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} wholePage />
  if (chains === undefined) return <RecordPending what="chain" />
  return (
    <EmptyState title="This chain is not in the index" icon="search" wholePage>
      <p>
        No chain of the number <SafeText text={id} lengthMax={40} /> is indexed here.
      </p>
      <Link to="/chains" className={buttonClass('primary')}>
        All chains
      </Link>
    </EmptyState>
  )
}

const newestMax = 10

function Loaded({ chain }: { readonly chain: Chain }) {
  const { chainId, name, deployments, indexedBlock, indexedTimestamp, headBlock, lastError, defect, digest } =
    chain
  const answerAge = useAnswerAge()
  const query = { chainId, page: 1, size: newestMax }
  const newest = useQuery(attestationsQuery(query))
  return (
    <>
      <article className={styles.page}>
        <PageHeader
          kind={`Chain ${chainId}`}
          title={name}
          actions={
            <>
              <Link to="/attestations" search={{ chainId }} className={buttonClass()}>
                Attestations
              </Link>
              <Link to="/schemas" search={{ chainId }} className={buttonClass()}>
                Schemas
              </Link>
            </>
          }
        >
          <ChainStateWord chain={chain} state={chainState(chain, answerAge)} />
          {indexedTimestamp !== null && (
            <>
              , newest indexed block <Time seconds={indexedTimestamp} />
            </>
          )}
        </PageHeader>
        <ChainProgressBar chain={chain} />
        <Totals
          totals={[
            { key: 'attestations', label: 'Attestations', value: chain.attestationCount },
            { key: 'schemas', label: 'Schemas', value: chain.schemaCount },
            { key: 'revocations', label: 'Revocations', value: chain.revocationCount },
          ]}
        />
        <Card title="Index and contracts" flush>
          <Facts
            facts={[
              {
                label: 'Indexed up to block',
                value: indexedBlock === null ? 'None yet' : <BlockLink chain={chain} block={indexedBlock} />,
              },
              {
                label: 'Newest block known',
                value: headBlock === null ? 'Not known' : <BlockLink chain={chain} block={headBlock} />,
              },
              indexedBlock !== null &&
                chain.finality !== null && {
                  label: 'Finality',
                  value: (
                    <>
                      {formatQuantity(chain.finality, 'block')} below the newest: final up to block{' '}
                      <BlockLink
                        chain={chain}
                        block={Math.max(
                          0,
                          Math.min(indexedBlock, (headBlock ?? indexedBlock) - chain.finality),
                        )}
                      />
                    </>
                  ),
                },
              defect !== null && {
                label: 'Missing or wrong',
                value: <SafeText text={defect} lengthMax={400} expandable />,
              },
              lastError !== null && {
                label: 'Last error',
                value: <SafeText text={lastError} lengthMax={400} expandable />,
              },
              { label: 'Last verified', value: <Verified chain={chain} /> },
              {
                label: 'Completeness',
                value: `${completenessWord(chain.completeness)}; the weakest of all contracts counts`,
              },
              ...deployments.map((deployment) => ({
                label: deployment.name,
                value: (
                  <div className={styles.contract}>
                    <Hash
                      hash={deployment.address}
                      what="contract"
                      href={explorerLink(chain, 'address', deployment.address)}
                    />
                    <span>
                      Indexed from block <BlockLink chain={chain} block={deployment.startBlock} />
                    </span>
                    {chain.history
                      .filter(({ address }) => address === deployment.address)
                      .map((statement) => (
                        <SafeText
                          key={statement.protocol}
                          text={describeHistory(statement)}
                          lengthMax={400}
                          expandable
                        />
                      ))}
                  </div>
                ),
              })),
              digest !== null &&
                digest.blockNumber !== null && {
                  label: 'Digest',
                  value: (
                    <div className={styles.contract}>
                      <Hash hash={digest.value} what="digest" full />
                      <span>
                        Of {formatQuantity(digest.eventCount, 'event')} up to block{' '}
                        {formatCount(digest.blockNumber)}. Any complete index of this chain has the same:{' '}
                        <code>attestry verify --against {window.location.origin}</code>
                      </span>
                    </div>
                  ),
                },
            ]}
          />
        </Card>
        <Card title="Newest attestations" flush>
          {newest.error !== null && newest.data === undefined ? (
            <ErrorState error={newest.error} onRetry={() => void newest.refetch()} />
          ) : (
            <>
              <NewRows
                noun="attestation"
                counting={attestationCountQuery({ chainId })}
                listKey={attestationListKey}
                total={newest.data?.total}
              />
              <AttestationTable
                caption={`Newest attestations on ${name}`}
                rows={newest.data?.rows}
                skeletonRows={Math.min(newestMax, chain.attestationCount)}
                empty={
                  <EmptyState title="Nothing has been attested yet">
                    <p>Attestations appear here as soon as the chain has some.</p>
                  </EmptyState>
                }
              />
            </>
          )}
        </Card>
      </article>
      <UseFromCode question={{ kind: 'attestations', filter: { chainId } }} />
    </>
  )
}

/** The last comparison of the index with the chain. */
function Verified({ chain: { verification } }: { readonly chain: Chain }) {
  if (verification === null)
    return (
      <>
        Never: <code>attestry verify</code> compares the index with the chain
      </>
    )
  const { at, upToBlock, blocks, events, differences, isComplete } = verification
  return (
    <>
      <Time seconds={at} show="both" />:{' '}
      {differences === 0 ? 'no difference' : formatQuantity(differences, 'difference')} in{' '}
      {formatQuantity(events, 'event')} of {formatQuantity(blocks, 'block')}
      {upToBlock !== null && ` up to block ${formatCount(upToBlock)}`}
      {!isComplete && '; a part could not be compared'}
    </>
  )
}
