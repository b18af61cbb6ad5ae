import { useQuery } from '@tanstack/react-query'
import type { RecordProof } from '@attestry/client/proofs.ts'
import { momentQuery, proofQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { formatCount } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { Checks, type Check } from './Checks.tsx'
import { Verdict } from './Verdict.tsx'
import styles from './VerifyPage.module.css'

/** Checks a proof of a record in the browser, and asks the index about its block. */
export function ProofAnswer({ text }: { readonly text: string }) {
  const { data, error, isError, refetch } = useQuery(proofQuery(text))
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonBlock className={styles.pending} />
  if (data.kind === 'none')
    return <Verdict kind="invalid" words="This proof cannot be read" reason={`It ${data.reason}.`} />
  if (data.check.kind === 'invalid')
    return <Verdict kind="invalid" words="This proof does not hold" reason={`${data.check.reason}.`} />
  return <Holding proof={data.proof} />
}

const claims = {
  schema: 'The schema was registered',
  attestation: 'The attestation was made',
  revocation: 'The attestation was revoked',
} as const

/** A proof that holds by itself: whether its contract and its block are those of the chain is asked of the index. */
function Holding({ proof }: { readonly proof: RecordProof }) {
  const { block, event, id, log, transactionIndex, receiptLogIndex } = proof
  const chainId = /^onchain_evm_(\d+)_/.exec(id)?.[1] ?? ''
  const chain = useChain(chainId)
  const known = useQuery({ ...momentQuery(`${chainId}:${block.hash}`), retry: false })
  const deployment = chain?.deployments.find(({ address }) => address.toLowerCase() === log.address)
  const where = chain?.name ?? `chain ${chainId}`
  const claim = `${claims[event]} on ${where}`
  const checks: readonly Check[] = [
    {
      name: 'receipt',
      ok: true,
      message: `The receipt of transaction ${transactionIndex} of the block, which the hash of the block covers, has the log.`,
    },
    { name: 'event', ok: true, message: `The log is the event of ${id}.` },
    {
      name: 'contract',
      ok: deployment !== undefined,
      unknown: true,
      message:
        deployment === undefined
          ? `The log is of ${log.address}, none of the contracts that this index reads on ${where}: anybody may have made it.`
          : `${deployment.address} made the log, the contract of ${deployment.name} that this index reads.`,
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
  const isConfirmed = checks.every(({ ok }) => ok)
  return (
    <>
      {known.isPending ? (
        <Verdict kind="asked" words="The index is asked" />
      ) : isConfirmed ? (
        <Verdict kind="valid" words={`This proof holds: ${lowerFirst(claim)}`} />
      ) : (
        <Verdict kind="unconfirmed" words="This proof holds only if you trust its block and its contract" />
      )}
      <Checks checks={checks} />
      <Card title="What it proves" flush>
        <Facts
          facts={[
            { label: 'Event', value: claim },
            {
              label: 'Record',
              value:
                event === 'schema' ? (
                  <SchemaLink id={id} localId={localIdOf(id)} name="" protocol={proof.protocol} />
                ) : (
                  <AttestationLink id={id} localId={localIdOf(id)} protocol={proof.protocol} />
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
            { label: 'Log', value: `Number ${receiptLogIndex} of its transaction, counted from 0` },
            {
              label: 'Not proven',
              value:
                event === 'attestation'
                  ? 'Whether it was revoked since, and what it holds beyond its log. The page of the record says what this index knows.'
                  : 'What it holds beyond its log.',
            },
          ]}
        />
      </Card>
    </>
  )
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
