import { useQuery } from '@tanstack/react-query'
import type { StateProof } from '@attestry/client/proofs.ts'
import { momentQuery, stateProofQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { formatCount } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { Checks, type Check } from './Checks.tsx'
import { Verdict } from './Verdict.tsx'
import styles from './VerifyPage.module.css'

/** Checks a proof of state in the browser, and asks the index about its block. */
export function StateProofAnswer({ text }: { readonly text: string }) {
  const { data, error, isError, refetch } = useQuery(stateProofQuery(text))
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonBlock className={styles.pending} />
  if (data.kind === 'none')
    return <Verdict kind="invalid" words="This proof cannot be read" reason={`It ${data.reason}.`} />
  if (data.kind === 'invalid')
    return <Verdict kind="invalid" words="This proof does not hold" reason={`${data.reason}.`} />
  return <Holding {...data} />
}

interface HoldingProps {
  readonly proof: StateProof
  readonly says: string
  readonly notProven: readonly string[]
}

/** A proof that holds by itself: whether its contract and its block are those of the chain is asked of the index. */
function Holding({ proof, says, notProven }: HoldingProps) {
  const { accounts, block, chainId, claim, contracts, layout } = proof
  const chain = useChain(chainId)
  const known = useQuery({ ...momentQuery(`${chainId}:${block.hash}`), retry: false })
  const where = chain?.name ?? `chain ${chainId}`
  const deployment = chain?.deployments.find(({ address }) => address.toLowerCase() === layout.contract)
  const words = accounts.reduce((sum, { storageProof }) => sum + storageProof.length, 0)
  const checks: readonly Check[] = [
    {
      name: 'state',
      ok: true,
      message: `${formatCount(words)} words of ${accounts.length === 1 ? 'an account' : `${accounts.length} accounts`} lead to the root of the state, which the hash of the block covers.`,
    },
    {
      name: 'layout',
      ok: true,
      message: `The words are those of a contract with the layout ${layout.name}.`,
    },
    {
      name: 'contract',
      ok: deployment !== undefined,
      unknown: true,
      message:
        deployment === undefined
          ? `The records are of ${layout.contract}, none of the contracts that this index reads on ${where}.`
          : `${deployment.address} is the contract of ${deployment.name} that this index reads.`,
    },
    {
      name: 'block',
      ok: known.isPending ? null : known.isSuccess,
      unknown: true,
      message: known.isPending
        ? 'The index is asked.'
        : known.isSuccess
          ? `Block ${formatCount(block.number)} of ${where} has this hash, as this index knows it.`
          : 'This index cannot say whether the block is part of the chain: compare its hash with a source that you trust.',
    },
  ]
  return (
    <>
      {known.isPending ? (
        <Verdict kind="asked" words="The index is asked" />
      ) : checks.every(({ ok }) => ok) ? (
        <Verdict kind="valid" words="This proof holds" reason={`${says}.`} />
      ) : (
        <Verdict
          kind="unconfirmed"
          words="This proof holds only if you trust its block and its contract"
          reason={`${says}.`}
        />
      )}
      <Checks checks={checks} />
      <Card title="What it proves" flush>
        <Facts
          facts={[
            { label: 'State', value: <SafeText text={says} lengthMax={400} /> },
            claim.kind === 'attestation' && {
              label: 'Record',
              value: (
                <AttestationLink id={claim.id} localId={localIdOf(claim.id)} protocol={proof.protocol} />
              ),
            },
            { label: 'Chain', value: <ChainBadge chainId={chainId} protocol={proof.protocol} /> },
            { label: 'Time of the block', value: <Time seconds={block.timestamp} show="both" /> },
            {
              label: 'Block hash',
              value: (
                <Hash
                  hash={block.hash}
                  what="block hash"
                  href={explorerLink(chain, 'block', String(block.number))}
                  full
                />
              ),
            },
            ...contracts.map(({ implementation, codeHash }, index) => ({
              label: contracts.length === 1 ? 'Code of the contract' : `Code of contract ${index + 1}`,
              value: <Hash hash={implementation?.codeHash ?? codeHash} what="code hash" full />,
            })),
            {
              label: 'Not proven',
              value: (
                <ul>
                  {notProven.map((each) => (
                    <li key={each}>{each}</li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      </Card>
    </>
  )
}
