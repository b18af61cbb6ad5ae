import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { AttestryError } from '@attestry/client/attestryError.ts'
import { attestationQuery, presentIntervalMs } from '../../api/queries.ts'
import { momentOfPage } from '../../api/moment.ts'
import { serverSeconds } from '../../api/serverContact.ts'
import type { Attestation } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { Icon } from '../../components/Icon.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { RawJson } from '../../components/RawJson.tsx'
import { RecordLayout, RecordPending } from '../../components/RecordLayout.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { SafeText, TextWarnings } from '../../components/SafeText.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { WhenNear } from '../../components/WhenNear.tsx'
import { Sliced } from '../../components/Sliced.tsx'
import { classNames } from '../../components/classNames.ts'
import { useProtocol } from '../../components/useProtocol.ts'
import { useTitle } from '../../components/useTitle.ts'
import type { HeldAttestation } from '../../format/codeExamples.ts'
import { plainText } from '../../format/inspectText.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { stringifySearch } from '../../format/readSearch.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { AttestationFacts } from './AttestationFacts.tsx'
import styles from './AttestationPage.module.css'
import { Certificate, type CertificateProps } from './Certificate.tsx'
import { Content } from './Content.tsx'
import { DownloadProof } from './DownloadProof.tsx'
import { OtherAttestations } from './OtherAttestations.tsx'
import { Payload } from './Payload.tsx'
import { RelatedAttestations } from './RelatedAttestations.tsx'
import { Sentence } from './Sentence.tsx'
import { StatusPanel } from './StatusPanel.tsx'

/** One attestation: status, content, attester and recipients, and related attestations. */
export function AttestationPage() {
  const { id } = useParams({ from: '/attestation/$id' })
  const protocol = useProtocol()
  const query = useQuery({
    ...attestationQuery(id, protocol),
    refetchInterval: presentIntervalMs,
  })
  const { data: attestation, dataUpdatedAt, error, refetch } = query
  useTitle(titleOf(id, attestation))
  if (
    error !== null &&
    (attestation === undefined || (error instanceof AttestryError && error.status === 404))
  )
    return <RecordMissing what="attestation" id={id} error={error} onRetry={() => void refetch()} />
  return (
    <Sliced>
      {attestation === undefined ? (
        <RecordPending what="attestation" />
      ) : (
        <Loaded attestation={attestation} readAt={serverSeconds(dataUpdatedAt)} />
      )}
    </Sliced>
  )
}

function Loaded({ attestation, readAt }: Omit<CertificateProps, 'children'>) {
  const { id, chainId, attestationId, schema } = attestation
  const protocol = useProtocol()
  const search = stringifySearch({ protocol })
  // As the page asks for the record.
  const path = `/scan/attestations/${id}?include=decoded,protocol,content,names${stringifySearch({ protocol, ...momentOfPage() }).replace('?', '&')}`
  return (
    <article>
      <div className={styles.onScreen}>
        <PageHeader
          kind={
            <span className={styles.kind}>
              {attestation.mode === 'offchain' ? 'Off-chain attestation' : 'Attestation'}{' '}
              {chainId !== '' && <ChainBadge chainId={chainId} protocol={attestation.protocol} />}
            </span>
          }
          title={<NameOf attestation={attestation} />}
          actions={
            <div className={styles.actions}>
              {attestation.mode === 'onchain' && <DownloadProof id={id} search={search} />}
              <span className={styles.share}>
                Link <CopyButton value={window.location.href} label="Copy the link to this page" />
              </span>
              <Button onClick={() => window.print()}>
                <Icon name="attestation" /> Print certificate
              </Button>
            </div>
          }
        >
          <Sentence attestation={attestation} />
          <span className={styles.localId}>{attestationId}</span>
        </PageHeader>
      </div>
      <RecordLayout
        main={
          <>
            <div className={styles.onScreen}>
              <StatusPanel attestation={attestation} readAt={readAt} />
            </div>
            <TextWarnings text={schema.name} />
            <Certificate attestation={attestation} readAt={readAt}>
              <Card title="Data" flush>
                <Payload attestation={attestation} />
              </Card>
              {attestation.mode === 'onchain' && attestation.content && (
                <Card title="Content behind the pointer" flush>
                  <Content content={attestation.content} />
                </Card>
              )}
            </Certificate>
            {attestation.mode === 'onchain' ? (
              <RelatedAttestations attestation={attestation} />
            ) : (
              <Card title="What was signed, as it was handed in" className={styles.onScreen}>
                <SafeText text={attestation.envelope} lengthMax={1_000} expandable multiline />
              </Card>
            )}
          </>
        }
        side={
          <Card title="Details" flush className={styles.onScreen}>
            <AttestationFacts attestation={attestation} />
          </Card>
        }
      />
      {attestation.mode === 'onchain' && (
        <div className={styles.raw}>
          <WhenNear title="Other attestations">
            <OtherAttestations attestation={attestation} />
          </WhenNear>
        </div>
      )}
      <div className={classNames(styles.raw, styles.onScreen)}>
        <RawJson title="Raw record" value={attestation} path={path} />
      </div>
      <UseFromCode question={{ kind: 'attestation', id, protocol, held: heldOf(attestation) }} />
    </article>
  )
}

/** The question of an app that decides by an attestation; undefined for one that no policy can name. */
function heldOf({ mode, schemaId, attester, recipients }: Attestation): HeldAttestation | undefined {
  const subject = recipients.find((recipient) => /^0x[0-9a-fA-F]{40}$/.test(recipient))
  return mode === 'onchain' && schemaId !== '' ? { schema: schemaId, attester, subject } : undefined
}

function NameOf({ attestation: { schema, schemaId } }: { readonly attestation: Attestation }) {
  if (schema.name === '') return <>Attestation under schema {shortenMiddle(schemaId, 8, 4)}</>
  return <SafeText text={schema.name} lengthMax={160} />
}

function titleOf(id: string, attestation: Attestation | undefined): string {
  const localId = shortenMiddle(localIdOf(id), 8, 6)
  if (attestation === undefined || attestation.schema.name === '') return `Attestation ${localId}`
  return `${plainText(attestation.schema.name, 80)} ${localId}`
}
