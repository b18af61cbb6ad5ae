import type { VerifiedOffchain } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { PayloadTable } from '../../components/payload/PayloadTable.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { Time } from '../../components/Time.tsx'
import { Checks } from './Checks.tsx'
import { Verdict } from './Verdict.tsx'
import { verdictOf } from './verdictOf.ts'

/** The findings of a verification: whether the attestation holds, why, and what it says. */
export function Verified({ verified }: { readonly verified: VerifiedOffchain }) {
  const reason = verified.checks.find(({ ok }) => !ok)
  return (
    <>
      <Verdict {...verdictOf(verified)} {...(reason === undefined ? {} : { reason: reason.message })} />
      <Checks checks={verified.checks} />
      {verified.protocol !== null && (
        <Card title="What it says" flush>
          <Facts facts={factsOf(verified)} />
        </Card>
      )}
      {verified.decodedData !== null && (
        <Card title="Payload" flush>
          <PayloadTable caption="The values of the attestation" fields={verified.decodedData} />
        </Card>
      )}
    </>
  )
}

function factsOf(verified: VerifiedOffchain) {
  const {
    protocol,
    uid,
    signer,
    chainId,
    schemaId,
    recipients,
    time,
    expirationTime,
    timestampedAt,
    revokedAt,
  } = verified
  return [
    uid !== null && { label: 'Uid', value: <Hash hash={uid} what="uid" full /> },
    signer !== null && { label: 'Signer', value: <Address address={signer} full /> },
    recipients.length > 0 && {
      label: 'Recipients',
      value: recipients.slice(0, 20).map((each) => <Address key={each} address={each} full />),
    },
    schemaId !== null && {
      label: 'Schema',
      value:
        chainId === null ? (
          <SafeText text={schemaId} />
        ) : (
          <SchemaLink
            id={`onchain_evm_${chainId}_${schemaId}`}
            localId={schemaId}
            name=""
            protocol={protocol ?? undefined}
          />
        ),
    },
    chainId !== null && { label: 'Chain', value: chainId },
    time !== null && { label: 'Made', value: <Moment seconds={time} note="as the signer says" /> },
    expirationTime !== null && {
      label: 'Expires',
      value: expirationTime === '0' ? 'Never' : <Moment seconds={expirationTime} />,
    },
    timestampedAt !== null && { label: 'Timestamped', value: <Moment seconds={String(timestampedAt)} /> },
    revokedAt !== null && { label: 'Revoked', value: <Moment seconds={String(revokedAt)} /> },
  ]
}

/** The last second that JavaScript's calendar reaches. */
const secondsMax = 8_640_000_000_000

function Moment({ seconds, note }: { readonly seconds: string; readonly note?: string }) {
  if (Number(seconds) > secondsMax) return <>second {seconds} of Unix time</>
  return (
    <>
      <Time seconds={seconds} show="both" />
      {note !== undefined && ` ${note}`}
    </>
  )
}
